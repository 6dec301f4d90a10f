#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "annotations/clip.h"

namespace kinema::annotations {

// Many clips, small: a large data set has a million of them. Each is a row of bytes: its path and label, and
// of the rest only what is not as in a clip that nobody has touched. Labels are below 2^31.
class Clips {
 public:
  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  void push_back(const Clip& clip);

  // Throws std::out_of_range.
  Clip at(std::size_t index) const;
  // Without a copy; it stays valid as long as the clips live.
  std::string_view path(std::size_t index) const;
  std::int64_t label(std::size_t index) const;
  void set_label(std::size_t index, std::int64_t label);

  // change(index, clip) for each of them, in order, without holding all twice. They are gone when it throws.
  template <class F>
  void change(F&& change) {
    std::vector<Block> old = std::exchange(blocks_, {});
    std::vector<char*> rows = std::exchange(rows_, {});
    left_ = 0;
    std::size_t done = 0;  // blocks that nobody needs
    for (std::size_t i = 0; i < rows.size(); ++i) {
      while (!old[done].holds(rows[i])) old[done++].bytes.reset();
      Clip clip = unpacked(rows[i]);
      change(i, clip);
      rows[i] = packed(clip);
    }
    rows_ = std::move(rows);
  }

  // Keeps those with kept(index), in their order; asked once each, in order.
  template <class F>
  void keep_if(F&& kept) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (kept(i)) rows_[count++] = rows_[i];
    rows_.resize(count);
  }

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    bool holds(const char* row) const { return row >= bytes.get() && row < bytes.get() + size; }
  };
  char* packed(const Clip& clip);
  static Clip unpacked(const char* row);
  std::vector<Block> blocks_;  // in the order of the rows
  std::size_t left_ = 0;       // bytes of the last block
  char* next_ = nullptr;
  std::string rest_;  // of the clip that is being packed
  std::vector<char*> rows_;
};

}  // namespace kinema::annotations
