#include "framework/checkpoint/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

constexpr std::int64_t kMaxManifestBytes = 16 << 20;
constexpr std::string_view kSealKey = ",\n\"manifest_xxh3\": \"";
constexpr std::string_view kSealEnd = "\"\n}\n";
constexpr std::size_t kHashDigits = 16;

std::string seal(std::string_view text) {
  return fmt::format("{}{:016x}{}", kSealKey,
                     static_cast<std::uint64_t>(XXH3_64bits(text.data(), text.size())), kSealEnd);
}

// The text without its seal; empty when the seal is absent or wrong.
std::string_view unsealed(std::string_view text) {
  constexpr std::size_t kBytes = kSealKey.size() + kHashDigits + kSealEnd.size();
  if (text.size() < kBytes) return {};
  const std::string_view body = text.substr(0, text.size() - kBytes);
  return text.substr(body.size()) == seal(body) ? body : std::string_view();
}

bool plain_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos && name != kManifestFile;
}

}  // namespace

std::string render_manifest(const Manifest& manifest) {
  nlohmann::ordered_json files = nlohmann::ordered_json::object();
  for (const auto& [name, facts] : manifest.files)
    files[name] = {{"bytes", facts.bytes}, {"xxh3", facts.xxh3}};
  const nlohmann::ordered_json json = {{"format", manifest.format},   {"kinema", manifest.kinema},
                                       {"serial", manifest.serial},   {"step", manifest.step},
                                       {"epoch", manifest.epoch},     {"created", manifest.created},
                                       {"finite", manifest.finite},   {"config_hash", manifest.config_hash},
                                       {"plugins", manifest.plugins}, {"files", files}};
  // Names of plugins may hold any bytes; a label is no reason to lose a checkpoint.
  std::string text = json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize(text.size() - 2);  // the closing brace and its line break; the seal brings its own
  return text + seal(text);
}

Manifest parse_manifest(std::string_view text, const std::string& where) {
  const std::string_view body = unsealed(text);
  if (body.empty())
    throw Error(ErrorKind::data, where, "manifest is damaged: expected its own checksum, got another one");
  try {
    const auto json = nlohmann::json::parse(std::string(body) + "}");
    Manifest manifest;
    manifest.format = json.at("format").get<int>();
    if (manifest.format > kFormatVersion)
      throw Error(ErrorKind::usage, where,
                  fmt::format("checkpoint format is too new: expected at most {}, got {}", kFormatVersion,
                              manifest.format),
                  fmt::format("use kinema {} or newer", json.value("kinema", "?")));
    if (manifest.format < 1)
      throw Error(ErrorKind::data, where,
                  fmt::format("unknown checkpoint format: expected 1 to {}, got {}", kFormatVersion,
                              manifest.format));
    json.at("kinema").get_to(manifest.kinema);
    json.at("serial").get_to(manifest.serial);
    json.at("step").get_to(manifest.step);
    json.at("epoch").get_to(manifest.epoch);
    json.at("created").get_to(manifest.created);
    json.at("finite").get_to(manifest.finite);
    json.at("config_hash").get_to(manifest.config_hash);
    json.at("plugins").get_to(manifest.plugins);
    for (const auto& [name, facts] : json.at("files").items()) {
      if (!plain_name(name))
        throw Error(ErrorKind::data, where,
                    "bad file name: expected one in the folder itself, got '" + name + "'");
      manifest.files[name] = {facts.at("bytes").get<std::int64_t>(), facts.at("xxh3").get<std::string>()};
    }
    return manifest;
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::data, where, fmt::format("manifest is malformed: {}", e.what()));
  }
}

Manifest read_manifest(FileSystem& system, const std::string& folder) {
  const std::string path = join(folder, kManifestFile);
  if (status(system, path).type == FileType::none)
    throw Error(ErrorKind::data, folder, "not a checkpoint: expected a manifest.json, got none");
  return parse_manifest(read_text(system, path, kMaxManifestBytes), path);
}

Manifest verify_folder(FileSystem& system, const std::string& folder) {
  Manifest manifest = read_manifest(system, folder);
  std::vector<Problem> problems;
  const auto report = [&](const std::string& name, std::string what) {
    problems.push_back({join(folder, name), std::move(what), {}, {}});
  };
  for (const std::string& name : list(system, folder))
    if (name != kManifestFile && !manifest.files.contains(name))
      report(name, "extra file: expected none of that name in the manifest's folder, got one");
  for (const auto& [name, expected] : manifest.files) {
    const std::string path = join(folder, name);
    const FileStatus facts = status(system, path);
    if (facts.type == FileType::none) {
      report(name, "missing file: expected one, as the manifest says, got none");
    } else if (facts.type != FileType::regular) {
      report(name, "not a regular file: expected one, got a folder, link or device");
    } else if (facts.bytes != expected.bytes) {
      report(name, fmt::format("wrong size: expected {} bytes, got {}", expected.bytes, facts.bytes));
    } else if (const FileFacts got = hash_file(system, path); got != expected) {
      report(name, fmt::format("content is damaged: expected checksum {}, got {}", expected.xxh3, got.xxh3));
    }
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return manifest;
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace kinema::checkpoint
