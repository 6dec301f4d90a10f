#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/config/sources.h"
#include "kinema/error.h"
#include "kinema/value.h"

namespace kinema::config {

// The layers of an experiment merged into one table, before any schema has been looked at.
struct Layers {
  Value merged = Value::table();  // without `extends`; ${NAME} expanded; each value knows who said it
  std::vector<std::filesystem::path> plugins;  // absolute: libraries to load before the table can be checked
  std::vector<Problem> problems;
  bool complete =
      true;         // false: a file could not be read or parsed, so that checking `merged` makes no sense
  Sources sources;  // of every file that was read, for messages

  // Throws what stands in the way of checking: the problems, when not complete.
  void require_complete() const;
};

// Reads, weakest first: the files that `file` extends (each before the file that names it, later ones
// stronger), `file`, KINEMA_SET, `overrides`. Relative paths are relative to the file that says them, on the
// command line and in KINEMA_SET to the current folder. Throws nothing about the content: see `problems`.
Layers read_layers(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

// KINEMA_SET and overrides on top of a table that is already resolved (Experiment::resolved, as a checkpoint
// keeps it; nothing in it is expanded again), or on top of nothing.
Layers read_overrides(const std::vector<std::string>& overrides, const Value& resolved = Value::table());

}  // namespace kinema::config
