#include "framework/tracking/run_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "framework/tracking/clock.h"
#include "framework/tracking/host.h"
#include "framework/tracking/run_file.h"
#include "framework/tracking/shell_word.h"
#include "kinema/error.h"

namespace kinema::tracking {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxNameBytes = 100;
constexpr int kMaxSameSecond = 1000;
constexpr const char* kLatest = "latest";
constexpr std::size_t kStampBytes = 15;  // YYYYmmdd-HHMMSS

// (time stamp, number in that second); an empty stamp: not a run folder's name.
std::pair<std::string, int> run_order(const std::string& name) {
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::string_view view = name;
  if (view.size() < kStampBytes || !digits(view.substr(0, 8)) || view[8] != '-' || !digits(view.substr(9, 6)))
    return {};
  if (view.size() == kStampBytes) return {name, 1};
  if (view[kStampBytes] != '-' || !digits(view.substr(kStampBytes + 1))) return {};
  return {name.substr(0, kStampBytes), std::stoi(name.substr(kStampBytes + 1))};
}

void make_parents(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw Error(ErrorKind::run, path.string(), "cannot make the folder: " + error.message());
}

Json env_json(const RunStart& start) {
  const HostFacts host = host_facts();
  return {{"time", utc_text(std::time(nullptr))},
          {"versions",
           {{"kinema", start.versions.kinema},
            {"torch", start.versions.torch},
            {"ffmpeg", start.versions.ffmpeg}}},
          {"host", host.name},
          {"os", host.os},
          {"kernel", host.kernel},
          {"cpu", host.cpu},
          {"cpu_features", host.cpu_features},
          {"cores", host.cores},
          {"threads", start.threads},
          {"memory_mb", host.memory_mb},
          {"command_line", start.command_line}};
}

Json plugins_json(const std::vector<PluginFact>& plugins) {
  Json list = Json::array();
  for (const PluginFact& plugin : plugins)
    list.push_back({{"name", plugin.name},
                    {"version", plugin.version},
                    {"path", plugin.path},
                    {"sha256", plugin.sha256}});
  return list;
}

// The text of JSON whose strings may hold bytes that are not UTF-8 (paths, host names).
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

void check_run_name(const std::string& name) {
  const bool good = !name.empty() && name.size() <= kMaxNameBytes && name.front() != '.' &&
                    name.front() != '-' && std::none_of(name.begin(), name.end(), [](char c) {
                      return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
                    });
  if (!good)
    throw Error(ErrorKind::usage, "run '" + name + "'",
                "bad name: expected one folder name of 1 to 100 bytes without slashes, leading dot or dash");
}

std::string create_run_folder(const std::string& runs_dir, const std::string& name, std::time_t now) {
  check_run_name(name);
  const fs::path parent = fs::path(runs_dir) / name;
  make_parents(parent);
  const std::string stamp = utc_file_name(now);
  for (int n = 1; n <= kMaxSameSecond; ++n) {
    const std::string leaf = n == 1 ? stamp : fmt::format("{}-{}", stamp, n);
    const std::string path = (parent / leaf).string();
    // mkdir itself decides who gets the name: no check before it.
    if (::mkdir(path.c_str(), 0777) == 0) {
      link_atomically(leaf, (parent / kLatest).string());
      return path;
    }
    if (errno != EEXIST)
      throw Error(ErrorKind::run, path, std::string("cannot make the folder: ") + std::strerror(errno));
  }
  throw Error(ErrorKind::run, (parent / stamp).string(),
              fmt::format("too many runs in one second: expected at most {}", kMaxSameSecond));
}

std::optional<std::string> latest_run(const std::string& runs_dir, const std::string& name) {
  check_run_name(name);
  const fs::path parent = fs::path(runs_dir) / name;
  std::error_code error;
  const fs::path target = fs::read_symlink(parent / kLatest, error);
  if (!error && !run_order(target.string()).first.empty() && fs::is_directory(parent / target, error))
    return (parent / target).string();
  std::string newest;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string leaf = entry.path().filename().string();
    if (run_order(leaf).first.empty() || !entry.is_directory(error)) continue;
    if (newest.empty() || run_order(newest) < run_order(leaf)) newest = leaf;
  }
  if (newest.empty()) return std::nullopt;
  return (parent / newest).string();
}

void write_run_start(const std::string& folder, const RunStart& start) {
  std::string command;
  for (const std::string& word : start.command_line) {
    if (!command.empty()) command += ' ';
    command += shell_word(word);
  }
  write_atomically(folder + "/config.toml", start.config_toml);
  write_atomically(folder + "/env.json", text_of(env_json(start)));
  write_atomically(folder + "/plugins.json", text_of(plugins_json(start.plugins)));
  write_atomically(folder + "/command.txt", command + "\n");
}

std::vector<std::string> changed_environment(const std::string& folder, int threads) {
  const Json before = Json::parse(read_whole(folder + "/env.json"), nullptr, false);
  std::vector<std::string> changes;
  const auto compare = [&](const char* key, const char* what, const Json& now) {
    if (!before.is_object() || !before.contains(key) || before[key] == now) return;
    changes.push_back(fmt::format("{} differ, so results may differ in the last bits: expected {}, got {}",
                                  what, line_of(before[key]), line_of(now)));
  };
  compare("threads", "compute threads", threads);
  compare("cpu_features", "CPU features", host_facts().cpu_features);
  return changes;
}

}  // namespace kinema::tracking
