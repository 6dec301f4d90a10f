// A checkpoint that was changed on disk is never used, and the error names what changed.
#include <gmock/gmock.h>

#include <filesystem>
#include <random>

#include "framework/checkpoint/store.h"
#include "tests/unit/checkpoint/contents.h"
#include "tests/unit/checkpoint/faulty_file_system.h"

namespace kinema::checkpoint {
namespace {

using testing::HasSubstr;

FileSystem& disk() {
  static FaultyFileSystem system;
  return system;
}

struct Saved1 {
  Scratch scratch;
  std::string folder = scratch / "step";
  Saved1() { write_checkpoint(disk(), folder, contents_at(1), 1); }
  std::string load_error() const {
    return error_of([&] { load_checkpoint(disk(), folder); });
  }
};

const char* const kFiles[] = {"model.safetensors", "state.safetensors", "state.json", "manifest.json"};

TEST(damage, one_flipped_bit_at_any_position_is_detected) {
  const Saved1 saved;
  ASSERT_EQ(saved.load_error(), "");
  std::mt19937 random(1);
  int flips = 0;
  for (const char* name : kFiles) {
    const std::string path = saved.folder + "/" + name, whole = slurp(path);
    for (std::size_t i = 0; i < whole.size(); ++i, ++flips) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << random() % 8));
      spit(path, flipped);
      ASSERT_THAT(saved.load_error(), HasSubstr(name)) << name << " byte " << i;
    }
    spit(path, whole);
  }
  EXPECT_GE(flips, 500);
  EXPECT_EQ(saved.load_error(), "");
}

TEST(damage, a_file_cut_at_any_length_is_detected) {
  const Saved1 saved;
  for (const char* name : kFiles) {
    const std::string path = saved.folder + "/" + name, whole = slurp(path);
    for (std::size_t length = 0; length < whole.size(); length += 3) {
      spit(path, whole.substr(0, length));
      ASSERT_THAT(saved.load_error(), HasSubstr(name)) << name << " length " << length;
    }
    spit(path, whole + "x");
    ASSERT_THAT(saved.load_error(), HasSubstr(name));
    spit(path, whole);
  }
}

TEST(damage, a_missing_file_is_named) {
  const Saved1 saved;
  std::filesystem::remove(saved.folder + "/state.safetensors");
  EXPECT_THAT(saved.load_error(),
              HasSubstr("state.safetensors: missing file: expected one, as the manifest says, got none"));
}

TEST(damage, a_missing_manifest_means_no_checkpoint) {
  const Saved1 saved;
  std::filesystem::remove(saved.folder + "/manifest.json");
  EXPECT_THAT(saved.load_error(), HasSubstr("not a checkpoint: expected a manifest.json, got none"));
}

TEST(damage, an_extra_file_is_named) {
  const Saved1 saved;
  spit(saved.folder + "/note.txt", "x");
  EXPECT_THAT(saved.load_error(), HasSubstr("note.txt: extra file: expected none"));
}

TEST(damage, swapped_files_of_equal_size_are_both_named) {
  Scratch scratch;
  CheckpointContents contents = contents_at(1);
  contents.metadata.clear();
  contents.state = contents.model;
  contents.state[0].tensor = contents.state[0].tensor.add(1);
  write_checkpoint(disk(), scratch / "step", contents, 1);
  std::filesystem::rename(scratch / "step/model.safetensors", scratch / "x");
  std::filesystem::rename(scratch / "step/state.safetensors", scratch / "step/model.safetensors");
  std::filesystem::rename(scratch / "x", scratch / "step/state.safetensors");
  const std::string error = error_of([&] { load_checkpoint(disk(), scratch / "step"); });
  EXPECT_THAT(error, HasSubstr("model.safetensors: content is damaged: expected checksum"));
  EXPECT_THAT(error, HasSubstr("state.safetensors: content is damaged: expected checksum"));
}

TEST(damage, a_file_that_became_a_link_is_refused) {
  const Saved1 saved;
  std::filesystem::rename(saved.folder + "/state.json", saved.scratch / "elsewhere");
  std::filesystem::create_symlink(saved.scratch / "elsewhere", saved.folder + "/state.json");
  EXPECT_THAT(saved.load_error(), HasSubstr("state.json: not a regular file"));
}

Manifest manifest_of(const Saved1& saved) { return read_manifest(disk(), saved.folder); }

TEST(damage, a_newer_format_is_refused_with_both_numbers_and_never_skipped) {
  Scratch scratch;
  CheckpointStore store(scratch / "c", disk());
  store.save(contents_at(1), step_name(1));
  const std::string folder = store.save(contents_at(2), step_name(2)).path;
  Manifest manifest = read_manifest(disk(), folder);
  manifest.format = 7;
  manifest.kinema = "9.1";
  spit(folder + "/manifest.json", render_manifest(manifest));
  for (const auto& use : {std::function<void()>([&] { load_checkpoint(disk(), folder); }),
                          std::function<void()>([&] { find_newest(disk(), store.folder()); }),
                          std::function<void()>([&] { CheckpointStore again(store.folder(), disk()); })}) {
    const std::string error = error_of(use);
    EXPECT_THAT(error, HasSubstr("checkpoint format is too new: expected at most 1, got 7"));
    EXPECT_THAT(error, HasSubstr("use kinema 9.1 or newer"));
  }
}

TEST(damage, a_file_name_that_leaves_the_folder_is_refused) {
  const Saved1 saved;
  const Manifest original = manifest_of(saved);
  for (const std::string name : {"../x", "a/b", "", ".."}) {
    Manifest manifest = original;
    manifest.files[name] = {};
    spit(saved.folder + "/manifest.json", render_manifest(manifest));
    EXPECT_THAT(saved.load_error(), HasSubstr("bad file name: expected one in the folder itself, got"))
        << name;
  }
}

TEST(damage, a_manifest_without_one_of_the_three_files_is_incomplete) {
  const Saved1 saved;
  Manifest manifest = manifest_of(saved);
  manifest.files.erase("state.json");
  std::filesystem::remove(saved.folder + "/state.json");
  spit(saved.folder + "/manifest.json", render_manifest(manifest));
  EXPECT_THAT(saved.load_error(), HasSubstr("incomplete checkpoint: expected state.json, got none"));
}

}  // namespace
}  // namespace kinema::checkpoint
