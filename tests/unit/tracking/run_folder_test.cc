#include "framework/tracking/run_folder.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "framework/tracking/host.h"
#include "tests/support/scratch.h"

namespace kinema::tracking {
namespace {

using test::error_of;
using test::Scratch;
using test::slurp;
using test::spit;
using testing::EndsWith;
using testing::HasSubstr;

constexpr std::time_t kNow = 1769860800;  // 2026-01-31T12:00:00Z

TEST(run_folder, is_named_by_the_second_in_utc_and_linked_as_latest) {
  Scratch scratch;
  const std::string first = create_run_folder(scratch / "runs", "net", kNow);
  EXPECT_EQ(first, scratch / "runs/net/20260131-120000");
  EXPECT_EQ(std::filesystem::read_symlink(scratch / "runs/net/latest"), "20260131-120000");
  EXPECT_THAT(create_run_folder(scratch / "runs", "net", kNow), EndsWith("/20260131-120000-2"));
  EXPECT_THAT(create_run_folder(scratch / "runs", "net", kNow), EndsWith("/20260131-120000-3"));
  EXPECT_EQ(std::filesystem::read_symlink(scratch / "runs/net/latest"), "20260131-120000-3");
}

TEST(run_folder, is_given_to_one_run_alone) {
  Scratch scratch;
  std::vector<std::string> paths(8);
  std::vector<std::thread> threads;
  // Two links of one process share a temporary name: only the folders are put to the test.
  for (auto& path : paths)
    threads.emplace_back([&] {
      try {
        path = create_run_folder(scratch.path(), "net", kNow);
      } catch (const Error&) {
      }
    });
  for (auto& thread : threads) thread.join();
  std::erase(paths, "");
  EXPECT_EQ(std::set(paths.begin(), paths.end()).size(), paths.size());
}

TEST(run_folder, names_that_leave_the_folder_are_refused) {
  for (const std::string name : {"", ".", "..", "../x", "a/b", "a\\b", ".hidden", "-x", "a\nb"})
    EXPECT_THAT(error_of([&] { check_run_name(name); }), HasSubstr("bad name: expected one folder name"))
        << name;
  EXPECT_NE(error_of([] { check_run_name(std::string(101, 'x')); }), "");
  EXPECT_EQ(error_of([] { check_run_name("slow fast_ucf-101.\xc3\xa4"); }), "");
}

TEST(run_folder, latest_follows_the_link_and_else_the_newest_name) {
  Scratch scratch;
  EXPECT_FALSE(latest_run(scratch.path(), "net"));
  for (int i = 0; i < 11; ++i) create_run_folder(scratch.path(), "net", kNow);
  EXPECT_THAT(*latest_run(scratch.path(), "net"), EndsWith("/20260131-120000-11"));
  std::filesystem::remove(scratch / "net/latest");
  std::filesystem::create_directory(scratch / "net/zzz");
  EXPECT_THAT(*latest_run(scratch.path(), "net"), EndsWith("/20260131-120000-11"));
  std::filesystem::create_symlink("20200101-000000", scratch / "net/latest");
  EXPECT_THAT(*latest_run(scratch.path(), "net"), EndsWith("/20260131-120000-11"));
}

TEST(run_folder, that_cannot_be_made_is_an_error_with_the_reason) {
  Scratch scratch;
  spit(scratch / "file", "");
  EXPECT_THAT(error_of([&] { create_run_folder(scratch / "file", "net", kNow); }),
              HasSubstr("cannot make the folder: Not a directory"));
}

TEST(run_folder, start_documents_say_what_ran_where) {
  Scratch scratch;
  RunStart start;
  start.config_toml = "name = \"net\"\n";
  start.command_line = {"kinema", "train", "my exp.toml", "a='b'"};
  start.plugins = {{"resnet3d", "0.1", "/p/resnet3d.so", "ab"}};
  start.versions = {"0.1", "2.11.0", "5.1"};
  start.threads = 2;
  write_run_start(scratch.path(), start);
  EXPECT_EQ(slurp(scratch / "config.toml"), start.config_toml);
  EXPECT_EQ(slurp(scratch / "command.txt"), "kinema train 'my exp.toml' 'a='\\''b'\\'''\n");
  const auto env = nlohmann::json::parse(slurp(scratch / "env.json"));
  EXPECT_EQ(env.at("versions").at("torch"), "2.11.0");
  EXPECT_EQ(env.at("threads"), 2);
  EXPECT_GT(env.at("cores").get<int>(), 0);
  EXPECT_EQ(env.at("command_line").size(), 4u);
  for (const char* key : {"time", "host", "os", "kernel", "cpu", "cpu_features", "memory_mb"})
    EXPECT_TRUE(env.contains(key)) << key;
  const auto plugins = nlohmann::json::parse(slurp(scratch / "plugins.json"));
  EXPECT_EQ(plugins.at(0).at("name"), "resnet3d");
}

TEST(run_folder, tells_what_of_the_environment_changed_since_the_start) {
  Scratch scratch;
  EXPECT_TRUE(changed_environment(scratch.path(), 2).empty());
  RunStart start;
  start.threads = 2;
  write_run_start(scratch.path(), start);
  EXPECT_TRUE(changed_environment(scratch.path(), 2).empty());
  EXPECT_EQ(changed_environment(scratch.path(), 4),
            std::vector<std::string>{
                "compute threads differ, so results may differ in the last bits: expected 2, got 4"});
}

TEST(host, facts_name_the_processor_and_its_kernels) {
  const HostFacts facts = host_facts();
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_GT(facts.memory_mb, 0);
  for (const std::string& feature : facts.cpu_features) EXPECT_EQ(feature.find(' '), std::string::npos);
}

}  // namespace
}  // namespace kinema::tracking
