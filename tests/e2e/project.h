#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/process.h"

// What the end-to-end tests share: a scratch folder with a tiny project, and the built program in it.
namespace kinema::e2e {

// A folder with clips/{train,test}/{down,left,right,up}/*.mp4 and tiny.toml, removed at the end. Training it
// takes four steps an epoch of some milliseconds each.
class Project {
 public:
  Project();
  ~Project();
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path operator/(std::string_view name) const { return folder_ / name; }

  // `kinema ARGUMENTS` in the folder, with one thread.
  test::Command command(std::vector<std::string> arguments) const;
  test::Finished kinema(std::vector<std::string> arguments) const;
  // `kinema train tiny.toml ARGUMENTS`
  test::Finished train(std::vector<std::string> arguments = {}) const;

  // runs/tiny/latest, with the link followed.
  std::filesystem::path newest_run() const;
  std::filesystem::path last_checkpoint() const { return newest_run() / "checkpoints" / "last"; }

  void write(std::string_view name, std::string_view text) const;
  // Replaces the first `from` in a file.
  void edit(std::string_view name, std::string_view from, std::string_view to) const;

 private:
  std::filesystem::path folder_;
};

extern const std::string_view kTinyExperiment;  // the text of tiny.toml

std::string text_of(const std::filesystem::path& file);
// Cuts a file off after a share of its bytes.
void cut(const std::filesystem::path& file, double share);
// Changes one byte in the middle.
void damage(const std::filesystem::path& file);

// A program that ended with `code`; else both of its streams are shown.
testing::AssertionResult ended(const test::Finished& run, int code);

}  // namespace kinema::e2e
