#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace kinema::tracking {

// Throws Error(usage) unless `name` is one plain folder name: 1 to 100 bytes, no slash or backslash, no
// control character, no leading dot or dash.
void check_run_name(const std::string& name);

// Makes RUNS_DIR/NAME/YYYYmmdd-HHMMSS (UTC; -2, -3, ... when taken, also by another process at the same
// instant) and moves the link RUNS_DIR/NAME/latest to it. The new folder's path.
std::string create_run_folder(const std::string& runs_dir, const std::string& name, std::time_t now);

// The run that a bare --resume means: where `latest` points, else the newest by name. Empty: there is none.
std::optional<std::string> latest_run(const std::string& runs_dir, const std::string& name);

struct PluginFact {
  std::string name, version, path, sha256;
};

struct Versions {
  std::string kinema, torch, ffmpeg;
};

// What is known at the start. Texts are written as given.
struct RunStart {
  std::string config_toml;                // the resolved experiment
  std::vector<std::string> command_line;  // argv
  std::vector<PluginFact> plugins;
  Versions versions;
  int threads = 0;  // that compute uses
};

// Writes config.toml, env.json, plugins.json and command.txt into an existing run folder.
void write_run_start(const std::string& folder, const RunStart& start);

// What may make a resumed run's numbers differ from those of an uninterrupted one: the threads and the CPU
// features that the folder's env.json records against those of now. A line each; none where nothing was
// recorded.
std::vector<std::string> changed_environment(const std::string& folder, int threads);

}  // namespace kinema::tracking
