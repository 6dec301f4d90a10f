#include "framework/config/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "framework/config/environment.h"
#include "framework/config/merge.h"
#include "framework/config/override.h"
#include "framework/config/toml.h"
#include "framework/config/toml_limits.h"

namespace kinema::config {
namespace {

namespace fs = std::filesystem;

// Files that extend several files that extend several: the number of reads would double with each level.
constexpr int kMaxFiles = 100;

std::string current_folder() {
  std::error_code error;
  return fs::current_path(error).string();
}

class Reader {
 public:
  explicit Reader(Layers& layers) : layers_(layers) {}

  // The file with everything that it extends below it.
  std::optional<Value> file(const fs::path& path, const Origin& said_at) {
    const std::string name = path.lexically_normal().string();
    if (!enter(path, name, said_at)) return std::nullopt;
    std::optional<Value> result;
    if (const auto text = read(path, name, said_at)) {
      layers_.sources.add(name, *text);
      const Origin source{name, 0, 0, fs::absolute(path).parent_path().lexically_normal().string()};
      if (auto table = parse_toml(*text, source, layers_.problems))
        result = extended(std::move(*table), path);
    }
    stack_.pop_back();
    return result;
  }

 private:
  void problem(const Origin& origin, std::string what, std::string hint = {}) {
    layers_.problems.push_back(problem_at(origin, {}, std::move(what), std::move(hint)));
  }

  bool enter(const fs::path& path, const std::string& name, const Origin& said_at) {
    std::error_code error;
    const fs::path identity = fs::weakly_canonical(path, error);
    const auto begin = std::find_if(stack_.begin(), stack_.end(),
                                    [&](const auto& entry) { return entry.first == identity; });
    if (begin != stack_.end()) {
      std::string chain;
      for (auto it = begin; it != stack_.end(); ++it) chain += it->second + " -> ";
      problem(said_at, "extends cycle: expected files that end somewhere, got " + chain + name);
      return false;
    }
    if (++files_ > kMaxFiles) {
      if (files_ == kMaxFiles + 1)
        problem(said_at, fmt::format("too many files: expected at most {}, got more", kMaxFiles));
      return false;
    }
    stack_.emplace_back(identity, name);
    return true;
  }

  std::optional<std::string> read(const fs::path& path, const std::string& name, const Origin& said_at) {
    const auto refuse = [&](const std::string& got) {
      problem(said_at, fmt::format("cannot read {}: expected a TOML file, got {}", name, got));
      return std::nullopt;
    };
    std::error_code error;
    const auto status = fs::status(path, error);
    if (!fs::exists(status)) return refuse("no such file");
    if (fs::is_directory(status)) return refuse("a folder");
    // A pipe or a device could block for ever.
    if (!fs::is_regular_file(status)) return refuse("no regular file");
    std::ifstream stream(path, std::ios::binary);
    if (!stream) return refuse("no permission");
    std::string text(kMaxTomlBytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad()) return refuse("a read error");
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
  }

  std::optional<Value> extended(Value table, const fs::path& path) {
    const Value* extends = table.find("extends");
    if (!extends) return table;
    std::vector<Value> names;
    if (extends->is(Value::Type::array))
      names = extends->as_array();
    else
      names.push_back(*extends);
    Value below = Value::table();
    bool complete = true;
    for (Value& name : names) {
      if (!name.is(Value::Type::string)) {
        problem(name.origin,
                std::string("wrong value type: expected string, got ") + Value::type_name(name.type()),
                "extends = [\"base.toml\"]");
        complete = false;
        continue;
      }
      expand_environment(name, "extends", layers_.problems);
      const auto weaker = file(path.parent_path() / name.as_string(), name.origin);
      complete = complete && weaker;
      if (weaker) merge_into(below, *weaker);
    }
    if (!complete) return std::nullopt;
    table.erase("extends");
    merge_into(below, table);
    return below;
  }

  Layers& layers_;
  std::vector<std::pair<fs::path, std::string>> stack_;  // canonical path, name for messages
  int files_ = 0;
};

void apply(Layers& layers, Reader& reader, const std::vector<std::string>& overrides,
           const std::string& source) {
  const Origin origin{source, 0, 0, current_folder()};
  const ReadFile read = [&](const std::string& name, const Origin& said_at) {
    auto table = reader.file(name, said_at);
    if (!table) layers.complete = false;
    return table;
  };
  for (const std::string& text : overrides)
    apply_override(layers.merged, text, origin, read, layers.problems);
}

std::vector<fs::path> plugin_paths(const Value& merged) {
  std::vector<fs::path> paths;
  const Value* list = merged.find("plugins");
  if (!list || !list->is(Value::Type::array)) return paths;
  for (const Value& path : list->as_array())
    if (path.is(Value::Type::string) && !path.as_string().empty())
      paths.push_back((fs::path(path.origin.base) / path.as_string()).lexically_normal());
  return paths;
}

Layers merged_layers(const fs::path* file, const std::vector<std::string>& overrides, const Value& resolved) {
  Layers layers;
  layers.merged = escaped_for_expansion(resolved);
  Reader reader(layers);
  if (file) {
    auto table = reader.file(*file, Origin{});
    layers.complete = table.has_value();
    if (table) layers.merged = std::move(*table);
    if (table && layers.merged.as_table().empty()) {
      layers.problems.push_back(problem_at(layers.merged.origin, {},
                                           "empty file: expected an experiment, got nothing",
                                           "`kinema demo --eject DIR` writes one to start from"));
      layers.complete = false;
    }
  }
  // Without the file every override would seem to name keys that are not there.
  if (layers.complete) {
    if (const char* set = std::getenv("KINEMA_SET"))
      apply(layers, reader, split_overrides(set), "KINEMA_SET");
    apply(layers, reader, overrides, "command line");
  }
  expand_environment(layers.merged, {}, layers.problems);
  layers.plugins = plugin_paths(layers.merged);
  return layers;
}

}  // namespace

void Layers::require_complete() const {
  if (!complete) throw Error(ErrorKind::usage, problems);
}

Layers read_layers(const fs::path& file, const std::vector<std::string>& overrides) {
  return merged_layers(&file, overrides, Value::table());
}

Layers read_overrides(const std::vector<std::string>& overrides, const Value& resolved) {
  return merged_layers(nullptr, overrides, resolved);
}

}  // namespace kinema::config
