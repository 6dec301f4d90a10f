#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/data/loader.h"
#include "framework/data/transforms.h"
#include "tests/support/clips.h"
#include "tests/unit/data/own_pixels.h"

// Loaders over made items, for the tests of this folder.
namespace kinema::data::test_loader {

// A batch as plain values, to be compared.
struct Taken {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> labels;
  std::vector<std::size_t> used;
  bool operator==(const Taken&) const = default;
};

inline Taken taken(const Batch& batch) {
  Taken t{{batch.pixels.get(), batch.pixels.get() + batch.bytes()}, batch.labels, {}};
  for (const ClipInfo& info : batch.infos) t.used.push_back(info.used);
  return t;
}

inline std::vector<Taken> rest_of(Loader& loader) {
  std::vector<Taken> all;
  while (const auto batch = loader.next()) {
    all.push_back(taken(*batch));
  }
  return all;
}

inline TransformList augmentation() {
  auto crop = std::make_shared<RandomCrop>();
  crop->size = 16;
  return {crop, std::make_shared<Flip>(), std::make_shared<Brightness>(), std::make_shared<Normalise>()};
}

inline std::shared_ptr<ClipRecipe> train_recipe(std::shared_ptr<const Dataset> dataset) {
  auto recipe = std::make_shared<ClipRecipe>();
  recipe->dataset = std::move(dataset);
  recipe->temporal = {4, 2, {}, config::Sampling::random, 1};
  recipe->transforms = augmentation();
  return recipe;
}

inline LoaderSetup train_setup(std::shared_ptr<const Dataset> dataset, std::int64_t workers,
                               std::int64_t batch = 4) {
  TrainScheduleOptions schedule;
  schedule.items = dataset->size();
  schedule.batch = batch;
  schedule.drop_last = false;
  LoaderSetup setup;
  setup.recipe = train_recipe(std::move(dataset));
  setup.schedule = std::make_shared<TrainSchedule>(schedule);
  setup.workers = workers;
  setup.max_bad_fraction = 1;
  return setup;
}

inline LoaderSetup eval_setup(std::shared_ptr<const Dataset> dataset, std::int64_t workers,
                              std::int64_t views = 1) {
  LoaderSetup setup;
  EvalScheduleOptions schedule;
  schedule.items = dataset->size();
  schedule.temporal_views = views;
  schedule.batch = 3;
  auto recipe = train_recipe(std::move(dataset));
  recipe->training = false;
  recipe->temporal = {4, 2, {}, config::Sampling::uniform, views};
  auto crop = std::make_shared<CenterCrop>();
  crop->size = 16;
  recipe->transforms = {crop};
  setup.recipe = recipe;
  setup.schedule = std::make_shared<EvalSchedule>(schedule);
  setup.workers = workers;
  return setup;
}

// Videos of different lengths and groups of pictures.
inline std::shared_ptr<test::ListedItems> video_items() {
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a", "b"};
  for (int i = 0; i < 6; ++i) {
    const std::string path =
        (std::filesystem::path(testing::TempDir()) / ("kinema_loader_" + std::to_string(i) + ".mp4"))
            .string();
    test::ClipSpec spec;
    spec.frames = 10 + 3 * i;
    spec.writer.b_frames = i % 3;
    test::make_clip(path, spec);
    set->add_video(path, i % 2);
  }
  return set;
}

inline std::vector<Taken> epoch_of(LoaderSetup setup, std::uint64_t epoch, std::int64_t first = 0) {
  Loader loader(std::move(setup));
  loader.start(epoch, first);
  return rest_of(loader);
}

}  // namespace kinema::data::test_loader
