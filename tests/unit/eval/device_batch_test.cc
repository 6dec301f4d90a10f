#include "framework/eval/device_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/eval/autocast.h"
#include "tests/support/scratch.h"

#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

namespace kinema::eval {
namespace {

// Byte i has the value i.
data::Batch counting_batch() {
  data::Batch batch;
  batch.clips = 2;
  batch.frames = 2;
  batch.size = {4, 3};
  batch.classes = 3;
  batch.mean = {0.1F, 0.2F, 0.3F};
  batch.std = {0.5F, 0.25F, 0.125F};
  batch.pixels = data::Pixels(new std::uint8_t[batch.bytes()], std::default_delete<std::uint8_t[]>());
  for (std::int64_t i = 0; i < batch.bytes(); ++i) batch.pixels.get()[i] = static_cast<std::uint8_t>(i);
  batch.labels = {2, 0};
  batch.weights = {1, 0.5F};
  batch.infos.resize(2);
  return batch;
}

TEST(device_batch, a_model_s_output_must_have_a_row_a_clip_and_a_column_a_class) {
  const data::Batch batch = counting_batch();
  check_output({at::ones({2, 3}), {}}, batch);
  const auto message = [&](const at::Tensor& logits) {
    return test::error_of([&] { check_output({logits, {}}, batch); });
  };
  EXPECT_THAT(message(at::ones({2, 4})),
              testing::HasSubstr("model: bad shape of logits: expected [2, 3], got [2, 4]"));
  EXPECT_THAT(message(at::ones({1, 3})), testing::HasSubstr("expected [2, 3], got [1, 3]"));
  EXPECT_THAT(message(at::ones({2})), testing::HasSubstr("expected [2, 3], got [2]"));
  EXPECT_THAT(message({}), testing::HasSubstr("expected [2, 3], got none"));
}

TEST(device_batch, boxes_are_the_rows_in_detection) {
  data::Batch batch = counting_batch();
  batch.detection = true;
  batch.boxes.resize(5);
  check_output({at::ones({5, 3}), {}}, batch);
  EXPECT_THAT(test::error_of([&] {
                check_output({at::ones({2, 3}), {}}, batch);
              }),
              testing::HasSubstr("one row for each box"));
  batch.boxes.clear();
  check_output({at::ones({0, 3}), {}}, batch);
}

TEST(device_batch, boxes_come_with_their_clip_and_their_classes) {
  data::Batch batch = counting_batch();
  batch.detection = true;
  batch.boxes = {{0, 0, 1, 0, 3, 2, {0, 2}, 1}, {0, 1, 0, 0, 4, 3, {}, 1}, {1, 0, 2, 1, 3, 3, {1}, 1}};
  const DeviceBatch out = to_device(batch, at::kCPU);
  EXPECT_TRUE(out.clips.boxes.equal(
      at::tensor({0., 1., 0., 3., 2., 0., 0., 0., 4., 3., 1., 2., 1., 3., 3.}).to(at::kFloat).view({3, 5})));
  EXPECT_FALSE(out.targets.labels.defined());
  EXPECT_TRUE(
      out.targets.values.equal(at::tensor({1., 0., 1., 0., 0., 0., 0., 1., 0.}).to(at::kFloat).view({3, 3})));
  EXPECT_TRUE(out.targets.weight.equal(at::tensor({1., 1., 0.5}).to(at::kFloat))) << "of the clip";
  const std::vector<Rows> rows = rows_of_clips(batch);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].first, 2);
  EXPECT_EQ(rows[1].count, 1);
  const DeviceBatch second = one_clip(out, 1, rows[1]);
  EXPECT_TRUE(second.clips.boxes.equal(at::tensor({0., 2., 1., 3., 3.}).to(at::kFloat).view({1, 5})))
      << "the only clip of its own batch";
  EXPECT_TRUE(second.clips.rgb().equal(out.clips.rgb().narrow(0, 1, 1)));
  EXPECT_TRUE(second.targets.values.equal(out.targets.values.narrow(0, 2, 1)));
  batch.boxes.clear();
  EXPECT_EQ(to_device(batch, at::kCPU).clips.boxes.sizes().vec(), (std::vector<std::int64_t>{0, 5}));
}

TEST(device_batch, is_normalised_channels_first_in_channels_last_memory) {
  const data::Batch batch = counting_batch();
  const DeviceBatch out = to_device(batch, at::kCPU);
  const at::Tensor& clip = out.clips.rgb();
  ASSERT_EQ(clip.sizes().vec(), (std::vector<std::int64_t>{2, 3, 2, 3, 4}));
  EXPECT_TRUE(clip.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  EXPECT_EQ(clip.scalar_type(), at::kFloat);
  std::int64_t byte = 0;
  for (std::int64_t n = 0; n < 2; ++n)
    for (std::int64_t t = 0; t < 2; ++t)
      for (std::int64_t y = 0; y < 3; ++y)
        for (std::int64_t x = 0; x < 4; ++x)
          for (std::int64_t c = 0; c < 3; ++c, ++byte)
            ASSERT_NEAR(clip[n][c][t][y][x].item<float>(),
                        (static_cast<float>(byte % 256) / 255 - batch.mean[c]) / batch.std[c], 1e-6);
}

TEST(device_batch, carries_targets_and_shares_nothing_with_the_bytes) {
  data::Batch batch = counting_batch();
  batch.values = {0, 0.5F, 0.5F, 1, 0, 0};
  const DeviceBatch out = to_device(batch, at::kCPU);
  const float before = out.clips.rgb()[0][0][0][0][0].item<float>();
  batch.pixels.get()[0] = 255;
  batch.labels[0] = 1;
  batch.values[1] = 9;
  EXPECT_EQ(out.clips.rgb()[0][0][0][0][0].item<float>(), before);
  EXPECT_EQ(out.targets.labels[0].item<std::int64_t>(), 2);
  EXPECT_EQ(out.targets.values[0][1].item<float>(), 0.5F);
  EXPECT_EQ(out.targets.weight[1].item<float>(), 0.5F);
}

TEST(autocast, is_bfloat16_within_its_scope_alone) {
  const at::Tensor a = at::ones({2, 2}, at::kFloat);
  {
    const Autocast autocast(c10::DeviceType::CPU, config::Precision::bf16);
    EXPECT_EQ(at::matmul(a, a).scalar_type(), at::kBFloat16);
    {
      const Autocast inner(c10::DeviceType::CPU, config::Precision::bf16);
      EXPECT_EQ(at::matmul(a, a).scalar_type(), at::kBFloat16);
    }
    EXPECT_EQ(at::matmul(a, a).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(at::matmul(a, a).scalar_type(), at::kFloat);
  const Autocast none(c10::DeviceType::CPU, config::Precision::fp32);
  EXPECT_EQ(at::matmul(a, a).scalar_type(), at::kFloat);
}

TEST(device_batch, optical_flow_has_two_channels_and_numbers_of_its_own) {
  data::Batch batch = counting_batch();
  data::ExtraClips flow{
      .modality = "flow", .pixels = batch.pixels, .frames = 2, .size = {4, 3}, .channels = 2};
  flow.mean = {0.5F, 0.25F, 0};
  flow.std = {0.5F, 0.125F, 1};
  batch.extra = {flow};
  const ClipBatch out = to_device(batch, at::kCPU).clips;
  EXPECT_EQ(out.rgb().size(1), 3);
  const at::Tensor& clip = out.clip("flow");
  ASSERT_EQ(clip.sizes().vec(), (std::vector<std::int64_t>{2, 2, 2, 3, 4}));
  EXPECT_TRUE(clip.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  const std::uint8_t* bytes = batch.pixels.get();
  for (std::int64_t i = 0; i < 2 * 2 * 3 * 4; ++i) {
    const auto at = [&](std::int64_t c) {
      return clip[i / 24][c][i / 12 % 2][i / 4 % 3][i % 4].item<float>();
    };
    EXPECT_NEAR(at(0), (bytes[3 * i] / 255.0 - 0.5) / 0.5, 1e-6);
    EXPECT_NEAR(at(1), (bytes[3 * i + 1] / 255.0 - 0.25) / 0.125, 1e-6);
  }
  batch.channels = 2;  // alone, in the first place
  batch.extra.clear();
  EXPECT_EQ(to_device(batch, at::kCPU).clips.rgb().size(1), 2);
}

}  // namespace
}  // namespace kinema::eval
