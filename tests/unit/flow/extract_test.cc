#include "framework/flow/extract.h"

#include <gmock/gmock.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "framework/media/picture.h"
#include "tests/unit/flow/made_clips.h"

namespace kinema::flow {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// Frame k is the texture moved by k times (1.5, -1).
class MovingFrames final : public FrameSource {
 public:
  explicit MovingFrames(std::int64_t count) : count_(count) {}
  Facts facts() const override { return {{48, 36}, count_, 25}; }
  void read(std::int64_t k, std::span<std::uint8_t> out) const override {
    if (k >= 50) throw Error(ErrorKind::data, "made", "damaged");
    for (int i = 0; i < 48 * 36; ++i) {
      const double value =
          test::texture(6, i % 48 - 1.5 * static_cast<double>(k), i / 48 + 1.0 * static_cast<double>(k));
      for (int c = 0; c < 3; ++c)
        out[static_cast<std::size_t>(3 * i + c)] = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
    }
  }

 private:
  std::int64_t count_;
};

class extract_flow : public testing::Test {
 protected:
  void SetUp() override {
    output = fs::path(testing::TempDir()) /
             (std::string("kinema_extract_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(output);
    options.method = Method::farneback;
  }
  void TearDown() override { fs::remove_all(output); }

  FlowJob job(const std::string& folder, std::int64_t frames = 6) {
    FlowJob made;
    made.source.frames = std::make_shared<MovingFrames>(frames);
    made.folder = folder;
    return made;
  }
  Extracted run(const std::vector<FlowJob>& jobs, int threads = 2) {
    return extract(jobs, output, options, threads, [](const ExtractProgress&) {});
  }
  // Every file below the output with its bytes.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(output)) {
      if (entry.is_directory()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      all[entry.path().lexically_relative(output)] = {std::istreambuf_iterator<char>(in), {}};
    }
    return all;
  }
  std::string message(const std::vector<FlowJob>& jobs, ErrorKind kind) {
    try {
      run(jobs);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "no error";
  }
  fs::path output;
  FlowOptions options;
};

TEST_F(extract_flow, writes_a_pair_of_pictures_between_any_two_frames) {
  options.format = media::PictureFormat::png;
  const Extracted result = run({job("walk/a", 3)});
  EXPECT_EQ(result.written, 1);
  EXPECT_EQ(result.pairs, 2);
  std::vector<std::string> names;
  for (const auto& [name, bytes] : files()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("kinema_flow.txt", "walk/a/flow_x_00001.png", "walk/a/flow_x_00002.png",
                                 "walk/a/flow_y_00001.png", "walk/a/flow_y_00002.png"));
  const auto middle = [&](const char* name) {
    media::Picture picture = media::Picture::open((output / "walk/a" / name).string());
    std::vector<std::uint8_t> rgb(48 * 36 * 3);
    picture.read(Geometry::whole({48, 36}), rgb.data());
    return rgb[3 * (18 * 48 + 24)];
  };
  EXPECT_NEAR(middle("flow_x_00001.png"), 127.5 + 1.5 * 127.5 / 20, 1.5);
  EXPECT_NEAR(middle("flow_y_00002.png"), 127.5 - 1.0 * 127.5 / 20, 1.5);
}

TEST_F(extract_flow, bytes_do_not_depend_on_the_number_of_threads) {
  for (const Method method : {Method::tv_l1, Method::farneback}) {
    options.method = method;
    const std::vector<FlowJob> jobs = {job("a", 5), job("b", 2), job("c", 4)};
    run(jobs, 1);
    const auto alone = files();
    for (const int threads : {2, 7}) {
      fs::remove_all(output);
      run(jobs, threads);
      EXPECT_EQ(files(), alone);
    }
    fs::remove_all(output);
  }
}

TEST_F(extract_flow, goes_on_where_it_was_stopped) {
  run({job("a"), job("b")});
  const auto all = files();
  // As a killed run leaves it: one finished, one half done under another name.
  fs::rename(output / "b", output / ".b.partial");
  fs::remove(output / ".b.partial/flow_y_00005.jpg");
  std::ofstream(output / ".b.partial/flow_x_00001.jpg") << "cut";
  const auto before = fs::last_write_time(output / "a/flow_x_00001.jpg");
  const Extracted result = run({job("a"), job("b")});
  EXPECT_EQ(result.written, 1);
  EXPECT_EQ(result.already_there, 1);
  EXPECT_EQ(files(), all);
  EXPECT_EQ(fs::last_write_time(output / "a/flow_x_00001.jpg"), before);
}

TEST_F(extract_flow, lists_videos_that_cannot_be_used_and_leaves_nothing_of_them) {
  FlowJob gone;
  gone.source.video = "/nowhere/gone.avi";
  gone.folder = "gone";
  const Extracted result = run({job("single", 1), job("good"), job("damaged", 60), gone});
  EXPECT_EQ(result.written, 1);
  ASSERT_EQ(result.bad.size(), 3u);
  EXPECT_THAT(result.bad[0].what, HasSubstr("no motion: expected at least two frames, got 1"));
  EXPECT_EQ(result.bad[1].what, "damaged");
  EXPECT_EQ(result.bad[2].where, "/nowhere/gone.avi");
  for (const auto& [name, bytes] : files())
    EXPECT_TRUE(name.starts_with("good/") || name == "kinema_flow.txt");
}

TEST_F(extract_flow, writes_nothing_outside_its_folder) {
  for (const char* folder : {"../a", "a/../../b", "/tmp/a", "", ".", "a/.."})
    EXPECT_THAT(message({job("fine"), job(folder)}, ErrorKind::usage), HasSubstr("no place below")) << folder;
  EXPECT_FALSE(fs::exists(output));
}

TEST_F(extract_flow, does_not_mix_flows_of_different_kinds_in_a_folder) {
  run({job("a")});
  options.bound = 15;
  EXPECT_THAT(
      message({job("b")}, ErrorKind::usage),
      HasSubstr("holds flow of another kind: expected method farneback bound 15 short_side 0 pictures "
                "jpg, got method farneback bound 20 short_side 0 pictures jpg"));
}

TEST_F(extract_flow, a_folder_that_takes_no_files_stops_the_run) {
  run({job("a")});
  std::ofstream(output / "b") << "in the way";
  EXPECT_THAT(message({job("b/c")}, ErrorKind::run), HasSubstr("b/c: cannot be made"));
}

TEST_F(extract_flow, a_folder_is_not_finished_because_others_are_in_it) {
  fs::create_directories(output / "a/b");
  EXPECT_EQ(run({job("a/b")}).written, 1);
  EXPECT_EQ(run({job("a/b")}).already_there, 1);
  EXPECT_THAT(message({job("a")}, ErrorKind::run), HasSubstr("a: cannot be made"));
}

TEST_F(extract_flow, resizes_frames_first_where_asked) {
  options.short_side = 20;
  run({job("a", 2)});
  EXPECT_EQ(media::Picture::open((output / "a/flow_x_00001.jpg").string()).size(), (Size{26, 20}));
}

TEST(flow_bytes, map_the_bound_to_the_whole_scale) {
  Plane plane({9, 1});
  plane.values = {0, 20, -20, 100, -100, 10, -10, 0.07F, -0.09F};
  EXPECT_THAT(to_bytes(plane, 20), ElementsAre(128, 255, 0, 255, 0, 191, 64, 128, 127));
  // What a model sees of a byte, byte / 127.5 - 1, is the motion in units of the bound within half a step.
  for (float& value : plane.values) value = std::clamp(value, -20.0F, 20.0F);
  const auto bytes = to_bytes(plane, 20);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    EXPECT_NEAR(bytes[i] / 127.5 - 1, plane.values[i] / 20, 0.5 / 127.5 + 1e-6);
}

}  // namespace
}  // namespace kinema::flow
