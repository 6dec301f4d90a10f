#include "framework/checkpoint/weights.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "framework/checkpoint/safetensors.h"
#include "framework/checkpoint/store.h"
#include "tests/unit/checkpoint/contents.h"

namespace kinema::checkpoint {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

FileSystem& disk() { return real_file_system(); }

std::string weights_error(const std::string& path) {
  return error_of([&] { load_weights(disk(), path); });
}

TEST(weights, come_from_a_checkpoint_a_link_a_folder_of_checkpoints_or_a_file) {
  Scratch scratch;
  CheckpointStore store(scratch / "c", disk());
  store.save(contents_at(1), step_name(1));
  const std::string step = store.save(contents_at(2), step_name(2)).path;
  for (const std::string& path :
       {step, store.folder() + "/last", store.folder(), step + "/model.safetensors"}) {
    const Weights weights = load_weights(disk(), path);
    ASSERT_THAT(weights.tensors, SizeIs(2)) << path;
    EXPECT_TRUE(at::equal(weights.tensors[1].tensor, contents_at(2).model[0].tensor));
    EXPECT_EQ(weights.metadata.at("classes"), "[\"run\", \"jump\"]");
    EXPECT_THAT(weights.source, HasSubstr("model.safetensors"));
  }
}

TEST(weights, of_a_damaged_checkpoint_are_refused) {
  Scratch scratch;
  CheckpointStore store(scratch / "c", disk());
  const std::string step = store.save(contents_at(1), step_name(1)).path;
  std::string bytes = slurp(step + "/model.safetensors");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  spit(step + "/model.safetensors", bytes);
  EXPECT_THAT(weights_error(step), HasSubstr("model.safetensors: content is damaged"));
}

TEST(weights, in_shards_are_joined_and_checked_against_the_index) {
  Scratch scratch;
  write_safetensors(disk(), scratch / "m-1.safetensors", {{"a", at::zeros({1})}});
  write_safetensors(disk(), scratch / "m-2.safetensors", {{"b", at::zeros({2})}});
  const auto index = [&](const std::string& map) {
    spit(scratch / "model.safetensors.index.json", R"({"metadata":{},"weight_map":)" + map + "}");
  };
  index(R"({"a":"m-1.safetensors","b":"m-2.safetensors"})");
  EXPECT_THAT(load_weights(disk(), scratch.path()).tensors, SizeIs(2));
  index(R"({"c":"m-1.safetensors"})");
  EXPECT_THAT(
      weights_error(scratch.path()),
      testing::AllOf(HasSubstr("missing tensor 'c': expected it in this file, as the index says, got none"),
                     HasSubstr("extra tensor 'a': expected it in the index, got none there")));
  index(R"({"a":"../m-1.safetensors"})");
  EXPECT_THAT(weights_error(scratch.path()),
              HasSubstr("bad file name: expected one in the folder itself, got '../m-1.safetensors'"));
  spit(scratch / "model.safetensors.index.json", "{}");
  EXPECT_THAT(weights_error(scratch.path()), HasSubstr("index is malformed"));
}

TEST(weights, in_another_format_or_absent_are_refused_by_name) {
  Scratch scratch;
  spit(scratch / "x.pth", "PK\3\4rest of it");
  EXPECT_THAT(weights_error(scratch / "x.pth"), HasSubstr("zip archive is cut off"));
  spit(scratch / "y.pth", "\x80\x02}q\x01.");
  EXPECT_THAT(weights_error(scratch / "y.pth"), HasSubstr("is a pickle, but not of torch.save"));
  spit(scratch / "z.pth", "GIF89a, which is something else");
  EXPECT_THAT(weights_error(scratch / "z.pth"), HasSubstr("header is too long"));
  EXPECT_THAT(weights_error(scratch / "none"), HasSubstr("no such file or folder"));
  EXPECT_THAT(weights_error(scratch.path()), HasSubstr("no weights in this folder"));
}

}  // namespace
}  // namespace kinema::checkpoint
