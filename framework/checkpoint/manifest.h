#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "framework/checkpoint/file_io.h"

namespace kinema::checkpoint {

constexpr int kFormatVersion = 1;  // of the whole checkpoint folder; older ones are read for ever
inline constexpr const char* kManifestFile = "manifest.json";

// What a checkpoint folder holds and where in the run it was taken.
struct Manifest {
  int format = kFormatVersion;
  std::string kinema;  // version of the program that wrote it
  std::int64_t serial =
      0;  // counts the saves of a run: the highest is the newest, whatever the clock or step
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::string created;                         // UTC, "2026-01-31T12:00:00Z"
  std::map<std::string, FileFacts> files;      // all but the manifest itself, by name
  std::map<std::string, std::string> plugins;  // name: version
  std::string config_hash;
  bool finite = true;  // false: a tensor holds NaN or infinity; never chosen by itself
};

// JSON whose last member is the XXH3-64 of everything before it, so that a changed manifest is found as well.
std::string render_manifest(const Manifest& manifest);

// Throws Error(data) naming `where`: damaged text, a missing or mistyped member, a file name that leaves the
// folder; Error(usage) with both numbers for a newer format.
Manifest parse_manifest(std::string_view text, const std::string& where);

// Reads and checks `folder`/manifest.json alone.
Manifest read_manifest(FileSystem& system, const std::string& folder);

// Reads the manifest and compares every file's size and hash with it. Throws with all missing, extra, cut and
// changed files.
Manifest verify_folder(FileSystem& system, const std::string& folder);

std::string utc_now();

}  // namespace kinema::checkpoint
