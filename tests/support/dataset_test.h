#pragma once

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "kinema/dataset.h"
#include "kinema/error.h"
#include "tests/support/plugin_under_test.h"

namespace kinema::test {

// A folder of its own for each test, and the data set plugin `type` over it.
class DatasetTest : public testing::Test {
 protected:
  explicit DatasetTest(std::string type) : type_(std::move(type)), host(plugin_under_test(type_)) {}
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    root = std::filesystem::path(testing::TempDir()) / ("kinema_" + type_ + "_" + info->name());
    std::filesystem::remove_all(root);
    std::filesystem::create_directories(root);
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  std::string write(const std::string& name, const std::string& text = "x") {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << text;
    return (root / name).string();
  }
  using Entries = std::vector<std::pair<std::string, Value>>;
  // `root` is given unless the entries say another one or give_root is false.
  std::shared_ptr<Dataset> make(const Entries& entries = {}) {
    Value options = Value::table();
    for (const auto& [key, value] : entries) options.set(key, value);
    if (give_root && !options.find("root")) options.set("root", Value(root.string()));
    return host->make<Dataset>(type_, options);
  }
  std::string message(const Entries& entries = {}, ErrorKind kind = ErrorKind::data) {
    try {
      make(entries);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "no error";
  }
  static std::vector<std::string> keys(const Dataset& set) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < set.size(); ++i) list.push_back(set.item(i).key);
    return list;
  }
  static std::vector<std::int64_t> labels(const Dataset& set) {
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < set.size(); ++i) list.push_back(set.item(i).target.label);
    return list;
  }
  // Where an item's frames come from, relative to the root.
  std::string source(const Dataset& set, std::size_t i) const {
    const Source source = set.item(i).sources.at(0);
    return (source.video.empty() ? source.pattern : source.video).lexically_relative(root).string();
  }
  // A folder of real annotations; empty when there are none.
  static std::filesystem::path real(const std::string& name) {
    const char* data = std::getenv("KINEMA_REAL_DATA");
    if (data == nullptr) return {};
    const auto folder = std::filesystem::path(data) / name;
    return std::filesystem::exists(folder) ? folder : std::filesystem::path();
  }
  static Value list_of(const std::vector<std::string>& texts) {
    return Value(Value::Array(texts.begin(), texts.end()));
  }

 private:
  std::string type_;

 protected:
  bool give_root = true;
  std::filesystem::path root;
  std::unique_ptr<ComponentsUnderTest> host;
};

}  // namespace kinema::test
