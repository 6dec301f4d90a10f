#include "annotations/clips.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace kinema::annotations {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

// In front of a row; the path follows, then the rest.
struct Head {
  std::uint32_t path_size = 0;
  std::int32_t label = -1;
  std::uint16_t given = 0;  // a bit for each part of the rest that is there
};
constexpr std::size_t kHead = 10;  // without padding

Head head_of(const char* row) {
  Head head;
  std::memcpy(&head.path_size, row, 4);
  std::memcpy(&head.label, row + 4, 4);
  std::memcpy(&head.given, row + 8, 2);
  return head;
}

// What a clip may have beside path and label, of two clips at a time; one list of it, so that writing and
// reading agree.
template <class C, class F>
void for_each_part(C& a, const Clip& b, F&& part) {
  part(a.span, b.span);
  part(a.pictures, b.pictures);
  part(a.first_number, b.first_number);
  part(a.first_given, b.first_given);
  part(a.fps, b.fps);
  part(a.labels, b.labels);
  part(a.timed, b.timed);
  part(a.boxes, b.boxes);
  part(a.weight, b.weight);
  part(a.key, b.key);
  part(a.flow, b.flow);
  part(a.flow_first_number, b.flow_first_number);
}

bool same(const Span& a, const Span& b) { return a.unit == b.unit && a.begin == b.begin && a.end == b.end; }
bool same(const std::string& a, const std::string& b) { return a == b; }
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>&) {
  return a.empty();  // that of an untouched clip is
}
template <class T>
requires std::is_arithmetic_v<T>
bool same(T a, T b) { return a == b; }

class Writer {
 public:
  explicit Writer(std::string& bytes) : bytes_(bytes) {}
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void write(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void write(const std::string& text) {
    write(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  template <class T>
  void write(const std::vector<T>& list) {
    write(static_cast<std::uint32_t>(list.size()));
    for (const T& each : list) write(each);
  }
  void write(const LabelledBox& box) {
    for (const double value : {box.x1, box.y1, box.x2, box.y2, box.score}) write(value);
    write(box.classes);
  }

 private:
  std::string& bytes_;
};

class Reader {
 public:
  explicit Reader(const char* at) : at_(at) {}
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void read(T& value) {
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
  }
  void read(std::string& text) {
    std::uint32_t size = 0;
    read(size);
    text.assign(at_, size);
    at_ += size;
  }
  template <class T>
  void read(std::vector<T>& list) {
    std::uint32_t size = 0;
    read(size);
    list.resize(size);
    for (T& each : list) read(each);
  }
  void read(LabelledBox& box) {
    for (double* value : {&box.x1, &box.y1, &box.x2, &box.y2, &box.score}) read(*value);
    read(box.classes);
  }

 private:
  const char* at_;
};

// Writes what differs from an untouched clip; which parts these are.
std::uint16_t write_rest(const Clip& clip, std::string& bytes) {
  static const Clip untouched;
  Writer writer(bytes);
  std::uint16_t given = 0, bit = 1;
  for_each_part(clip, untouched, [&](const auto& part, const auto& usual) {
    if (!same(part, usual)) {
      writer.write(part);
      given = static_cast<std::uint16_t>(given | bit);
    }
    bit = static_cast<std::uint16_t>(bit << 1);
  });
  return given;
}

}  // namespace

void Clips::push_back(const Clip& clip) { rows_.push_back(packed(clip)); }

char* Clips::packed(const Clip& clip) {
  rest_.clear();
  const Head head{static_cast<std::uint32_t>(clip.path.size()), static_cast<std::int32_t>(clip.label),
                  write_rest(clip, rest_)};
  const std::size_t size = kHead + clip.path.size() + rest_.size();
  if (size > left_) {
    left_ = std::max(size, kBlock);
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(left_), left_});
    next_ = blocks_.back().bytes.get();
  }
  char* row = next_;
  std::memcpy(row, &head.path_size, 4);
  std::memcpy(row + 4, &head.label, 4);
  std::memcpy(row + 8, &head.given, 2);
  std::memcpy(row + kHead, clip.path.data(), clip.path.size());
  std::memcpy(row + kHead + clip.path.size(), rest_.data(), rest_.size());
  next_ += size;
  left_ -= size;
  return row;
}

Clip Clips::at(std::size_t index) const { return unpacked(rows_.at(index)); }

Clip Clips::unpacked(const char* row) {
  const Head head = head_of(row);
  Clip clip;
  clip.path.assign(row + kHead, head.path_size);
  clip.label = head.label;
  Reader reader(row + kHead + head.path_size);
  unsigned given = head.given;
  if (given != 0)
    for_each_part(clip, clip, [&](auto& part, const auto&) {
      if (given & 1u) reader.read(part);
      given >>= 1;
    });
  return clip;
}

std::string_view Clips::path(std::size_t index) const {
  return {rows_[index] + kHead, head_of(rows_[index]).path_size};
}

std::int64_t Clips::label(std::size_t index) const { return head_of(rows_[index]).label; }

void Clips::set_label(std::size_t index, std::int64_t label) {
  const auto value = static_cast<std::int32_t>(label);
  std::memcpy(rows_[index] + 4, &value, 4);
}

}  // namespace kinema::annotations
