#include "tests/e2e/killed_run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace kinema::e2e {

namespace fs = std::filesystem;

const std::vector<std::string> kWatched = {
    "checkpoint.every_steps=1",
    "callback=[{type=\"early_stopping\", monitor=\"train/loss\", patience=100}, {type=\"top_k_checkpoint\", "
    "k=2}]"};

namespace {

struct Ending {
  std::string model, state, table;
  std::vector<std::string> kept;
};

Ending ending_of(const fs::path& run) {
  Ending ending;
  const fs::path last = run / "checkpoints" / "last";
  ending.model = text_of(last / "model.safetensors");
  ending.state = text_of(last / "state.safetensors");
  // Everything but the wall time.
  std::istringstream lines(text_of(last / "state.json"));
  for (std::string line; std::getline(lines, line);)
    if (line.find("wall_s") == std::string::npos) ending.table += line + "\n";
  for (const fs::directory_entry& entry : fs::directory_iterator(run / "checkpoints"))
    ending.kept.push_back(entry.path().filename());
  std::sort(ending.kept.begin(), ending.kept.end());
  return ending;
}

void expect_same(const Ending& ended, const Ending& whole) {
  EXPECT_TRUE(ended.model == whole.model) << "model.safetensors differs";
  EXPECT_TRUE(ended.state == whole.state) << "state.safetensors differs";
  EXPECT_EQ(ended.table, whole.table);
  EXPECT_EQ(ended.kept, whole.kept);
}

}  // namespace

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void killed_after(const Project& project, const std::vector<std::string>& settings, int step, int delay_us) {
  test::Process process(project.command(with({"train", "tiny.toml"}, settings)));
  char name[32];
  std::snprintf(name, sizeof name, "step-%08d", step);
  const fs::path before = fs::exists(project / "runs/tiny/latest") ? project.newest_run() : fs::path();
  const auto saved = [&](const test::Finished&) {
    if (!fs::exists(project / "runs/tiny/latest")) return false;
    const fs::path run = project.newest_run();
    return run != before && (step == 0 || fs::exists(run / "checkpoints" / name));
  };
  ASSERT_TRUE(process.wait_until(saved)) << process.wait().err;
  ::usleep(static_cast<useconds_t>(delay_us));
  process.signal(SIGKILL);
  ASSERT_EQ(process.wait().signal, SIGKILL);
}

void expect_resumes_byte_equal(const std::vector<std::string>& settings, const std::vector<int>& steps) {
  const Project project;
  ASSERT_TRUE(ended(project.train(settings), 0));
  const Ending whole = ending_of(project.newest_run());
  int delay_us = 0;
  for (const int step : steps) {
    SCOPED_TRACE("killed after step " + std::to_string(step));
    killed_after(project, settings, step, delay_us += 700);
    ASSERT_TRUE(ended(project.train(with(settings, {"--resume"})), 0));
    expect_same(ending_of(project.newest_run()), whole);
  }
}

}  // namespace kinema::e2e
