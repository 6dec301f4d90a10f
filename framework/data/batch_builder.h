#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "framework/data/bad_videos.h"
#include "framework/data/batch.h"
#include "framework/data/buffer_pool.h"
#include "framework/data/clip_source.h"

namespace kinema::data {

// What the ledger says about an item in which a decoder was stuck.
BadVideo stuck_video(const ClipRecipe& recipe, std::uint64_t epoch, std::size_t item);

// A batch in the making: several threads fill different clips of it, then one finishes it.
class BatchBuilder {
 public:
  BatchBuilder(std::uint64_t epoch, std::int64_t number, std::vector<ClipRequest> requests);

  std::size_t clips() const { return requests_.size(); }
  // Makes clip `i`. In training a video that cannot be read is replaced; in evaluation it is marked. Never
  // throws: what cannot be helped waits for finish(). [worker threads, concurrent for different clips]
  void make(std::size_t i, ClipReader& reader, const ClipRecipe& recipe, const Replacements& replacements,
            BufferPool& pool);
  // The batch, when all clips are made. Throws the exception of the first clip that failed.
  std::unique_ptr<Batch> finish(const ClipRecipe& recipe, BufferPool& pool);
  // Instead of the batch there will be this exception.
  void fail(std::exception_ptr error) { error_ = std::move(error); }

 private:
  struct Row {
    ClipInfo info;
    std::vector<BatchBox> boxes;
    std::vector<BadVideo> bad;
    std::exception_ptr error;
  };
  struct Shape {
    std::string modality;
    std::int64_t frames = 0;
    Size size;
    std::int64_t channels = 3;
    bool operator==(const Shape&) const = default;
  };
  void fill(std::size_t i, ClipReader& reader, const ClipRecipe& recipe, const Replacements& replacements,
            BufferPool& pool);
  void try_item(std::size_t i, std::size_t item, ClipReader& reader, BufferPool& pool);
  void agree_on_shape(const PlannedClip& clip, BufferPool& pool);
  void allocate(std::vector<Shape> shapes, BufferPool& pool);
  std::uint8_t* place(std::size_t i, std::size_t modality) const;
  void add_targets(std::int64_t classes);
  std::vector<Shape> usual_shapes(const ClipRecipe& recipe) const;
  void add_extra(const ClipRecipe& recipe);

  std::vector<ClipRequest> requests_;
  std::vector<Row> rows_;
  std::unique_ptr<Batch> batch_;
  std::exception_ptr error_;

  std::mutex mutex_;  // of the following
  std::vector<Shape> shapes_;
  std::vector<Pixels> pixels_;
  std::string first_key_;  // the clip that decided the shape
};

}  // namespace kinema::data
