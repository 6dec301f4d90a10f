#include "framework/infer/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kinema/error.h"
#include "tests/support/scratch.h"

namespace kinema::infer {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

struct Folder : test::Scratch {
  std::string touch(const std::string& name) const {
    fs::create_directories(fs::path(*this / name).parent_path());
    test::spit(*this / name, "x");
    return *this / name;
  }
};

TEST(video_files, are_files_themselves_and_all_files_below_folders_in_byte_order) {
  const Folder folder;
  const std::string single = folder.touch("z.avi"), b = folder.touch("more/b.avi"),
                    a = folder.touch("more/deep/a.mp4"), upper = folder.touch("more/B.avi");
  folder.touch("more/.hidden.avi");
  EXPECT_THAT(video_files({single, folder / "more"}), ElementsAre(single, upper, b, a));
}

TEST(video_files, names_everything_that_is_not_there_at_once) {
  try {
    video_files({"/no/such/a", "/no/such/b"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_STREQ(error.what(),
                 "/no/such/a: no such video: expected a file or a folder, got nothing there\n"
                 "/no/such/b: no such video: expected a file or a folder, got nothing there");
  }
}

}  // namespace
}  // namespace kinema::infer
