#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/support/dataset_test.h"

// Bytes that this program and its plugins hold by `new`, now and at most.
namespace {
std::atomic<std::size_t> held{0}, most{0};

void* counted(std::size_t size) {
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t now = held += malloc_usable_size(memory);
  std::size_t before = most;
  while (now > before && !most.compare_exchange_weak(before, now)) {
  }
  return memory;
}
void uncounted(void* memory) {
  if (memory != nullptr) held -= malloc_usable_size(memory);
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t) noexcept { uncounted(memory); }

namespace kinema {
namespace {

constexpr std::size_t kItems = 200000;
// A million items and the program, which takes 155 MB with LibTorch, in 300 MB.
constexpr double kMost = (300e6 - 155e6) / 1e6;
// Both sides of an experiment at once, when they are read.
constexpr double kKept = kMost / 2;

std::string number(std::size_t value, std::size_t digits) {
  const std::string text = std::to_string(value);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

class list_memory : public test::DatasetTest {
 protected:
  list_memory() : DatasetTest("list") {}

  struct Bytes {
    double most = 0, kept = 0;  // an item
  };
  Bytes bytes_of(const std::string& text, Entries entries = {}) {
    entries.emplace_back("list", Value(write("list.txt", text)));
    make(entries);  // what the first use of anything allocates does not count
    const std::size_t before = held;
    most = before;
    const auto set = make(entries);
    const std::size_t highest = most, after = held;
    EXPECT_EQ(set->size(), kItems);
    EXPECT_EQ(set->item(kItems - 1).key, "class_199/video_0199999.mp4");
    const auto per_item = [&](std::size_t bytes) {
      return static_cast<double>(bytes - before) / static_cast<double>(kItems);
    };
    return {per_item(highest), per_item(after)};
  }
  static std::string path(std::size_t i) {
    return "class_" + number(i % 200, 3) + "/video_" + number(i, 7) + ".mp4";
  }
};

TEST_F(list_memory, a_million_videos_and_the_program_fit_into_300_megabytes) {
  std::string text;
  for (std::size_t i = 0; i < kItems; ++i) text += path(i) + " " + std::to_string(i % 200) + "\n";
  const Bytes bytes = bytes_of(text);
  EXPECT_LT(bytes.most, kMost);
  EXPECT_LT(bytes.kept, kKept);
}

TEST_F(list_memory, so_do_parts_of_videos_with_weights_and_named_classes) {
  std::string text;
  for (std::size_t i = 0; i < kItems; ++i)
    text +=
        path(i) + " 1.5 " + std::to_string(i % 90 + 2) + " 0.25 some_class_" + std::to_string(i % 200) + "\n";
  const Bytes bytes = bytes_of(text, {{"columns", list_of({"path", "start_s", "end_s", "weight", "label"})}});
  EXPECT_LT(bytes.most, kMost);
}

TEST_F(list_memory, so_do_folders_of_pictures_with_several_labels) {
  std::string text;
  for (std::size_t i = 0; i < kItems; ++i) text += path(i) + " 300 1," + std::to_string(i % 200) + "\n";
  const Bytes bytes = bytes_of(text, {{"columns", list_of({"path", "frames", "label"})},
                                      {"pictures", Value("img_%05d.jpg")},
                                      {"first_number", Value(std::int64_t{1})},
                                      {"multi_label", Value(true)}});
  EXPECT_LT(bytes.kept, kMost);
}

}  // namespace
}  // namespace kinema
