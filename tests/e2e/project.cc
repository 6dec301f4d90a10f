#include "tests/e2e/project.h"

#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "framework/app/demo_clips.h"

namespace kinema::e2e {

namespace fs = std::filesystem;

const std::string_view kTinyExperiment = R"(name = "tiny"
seed = 3

[model]
type = "resnet3d"
blocks = [1]
width = 4
dropout = 0.3

[data.train]
type = "video_folder"
root = "clips/train"

[data.val]
type = "video_folder"
root = "clips/test"

[clip]
frames = 4
stride = 2
resize = [24, 24]
crop = 16
flip = false

[loader]
batch = 2
workers = 0

[loss]
type = "cross_entropy"

[optimizer]
type = "adamw"
lr = 0.01

[trainer]
epochs = 3
accumulate = 2
threads = 1
log_every = 1
)";

namespace {

// Made once a program: encoding is the slow part.
const fs::path& shared_clips() {
  struct Clips {
    fs::path folder;
    Clips() {
      std::string pattern = testing::TempDir() + "kinema-clips-XXXXXX";
      folder = ::mkdtemp(pattern.data());
      app::DemoClips clips;
      clips.train_per_class = 4;
      clips.test_per_class = 2;
      clips.frames = 10;
      clips.side_px = 32;
      app::write_demo_clips(folder, clips, [](std::int64_t, std::int64_t) {});
    }
    ~Clips() { fs::remove_all(folder); }
  };
  static const Clips clips;
  return clips.folder;
}

}  // namespace

Project::Project() {
  std::string pattern = testing::TempDir() + "kinema-e2e-XXXXXX";
  folder_ = fs::canonical(::mkdtemp(pattern.data()));
  fs::copy(shared_clips(), folder_ / "clips", fs::copy_options::recursive);
  write("tiny.toml", kTinyExperiment);
}

Project::~Project() { fs::remove_all(folder_); }

test::Command Project::command(std::vector<std::string> arguments) const {
  test::Command command;
  command.program = std::string(KINEMA_BUILD_DIR) + "/bin/kinema";
  command.arguments = std::move(arguments);
  command.environment = {
      {"OMP_NUM_THREADS", "1"}, {"KINEMA_PLUGIN_PATH", ""}, {"KINEMA_SET", ""}, {"NO_COLOR", "1"}};
  command.folder = folder_;
  return command;
}

test::Finished Project::kinema(std::vector<std::string> arguments) const {
  return test::run(command(std::move(arguments)));
}

test::Finished Project::train(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"train", "tiny.toml"});
  return kinema(std::move(arguments));
}

fs::path Project::newest_run() const { return fs::canonical(folder_ / "runs" / "tiny" / "latest"); }

void Project::write(std::string_view name, std::string_view text) const {
  fs::create_directories((folder_ / name).parent_path());
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

void Project::edit(std::string_view name, std::string_view from, std::string_view to) const {
  std::string text = text_of(folder_ / name);
  const std::size_t place = text.find(from);
  if (place == std::string::npos) throw std::runtime_error("not in the file: " + std::string(from));
  write(name, text.replace(place, from.size(), to));
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void cut(const fs::path& file, double share) {
  fs::resize_file(file, static_cast<std::uintmax_t>(static_cast<double>(fs::file_size(file)) * share));
}

void damage(const fs::path& file) {
  std::string bytes = text_of(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x40);
  std::ofstream(file, std::ios::binary) << bytes;
}

testing::AssertionResult ended(const test::Finished& run, int code) {
  if (run.code == code && run.signal == 0 && !run.timed_out) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "exit code " << run.code << ", signal " << run.signal
                                     << (run.timed_out ? ", timed out" : "") << "\nstdout:\n"
                                     << run.out << "stderr:\n"
                                     << run.err;
}

}  // namespace kinema::e2e
