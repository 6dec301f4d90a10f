#include "framework/media/pixel_rows.h"

#include <algorithm>

namespace kinema::media {

RgbRows::RgbRows(const std::uint8_t* rgb, std::size_t stride, int left, int top, int from, int to)
    : rgb_(rgb + 3 * static_cast<std::ptrdiff_t>(from - left)),
      stride_(stride),
      top_(top),
      pixels_(static_cast<std::size_t>(to - from)) {}

const std::uint32_t* RgbRows::row(int y) {
  const std::uint8_t* in = rgb_ + static_cast<std::size_t>(y - top_) * stride_;
  for (std::size_t x = 0; x < pixels_.size(); ++x, in += 3)
    pixels_[x] = in[0] | static_cast<std::uint32_t>(in[1]) << 8 | static_cast<std::uint32_t>(in[2]) << 16;
  return pixels_.data();
}

YuvRows::YuvRows(const YuvPlanes& frame, const Colour& colour, const RowKernel& kernel, int from, int to)
    : frame_(frame),
      colour_(colour),
      kernel_(kernel),
      from_(from),
      to_(to),
      pixels_(static_cast<std::size_t>(to - from)) {
  const std::size_t most = static_cast<std::size_t>(to - from) + 8;
  sums_.resize(most);
  u_.resize(most);
  v_.resize(most);
}

// Eighths of a level at every luma column from `from_` on.
const std::int16_t* YuvRows::chroma(int plane, int y, std::vector<std::int16_t>& out) {
  const int half = frame_.chroma_shift_x;
  const int row = y >> frame_.chroma_shift_y;
  const bool between = frame_.chroma_shift_y == 1 && (y % 2 == 0 || y == frame_.height - 1);
  const int above = between ? std::max(row - 1, 0) : row;
  const std::uint8_t* a = frame_.planes[plane] + above * frame_.strides[plane];
  const std::uint8_t* b = frame_.planes[plane] + row * frame_.strides[plane];
  const int first = from_ >> half, last = (to_ - 1) >> half;  // chroma columns, both included
  const int most = ((frame_.width - 1) >> half);
  const int begin = std::max(first - half, 0), end = std::min(last + half, most) + 1;
  std::int16_t* sums = sums_.data() + 1;  // sums[0] is column `first`
  kernel_.add(a + begin, b + begin, end - begin, sums + (begin - first));
  if (half == 0) {
    kernel_.scale(sums, last + 1 - first, out.data());
    return out.data();
  }
  if (first == 0) sums[-1] = sums[0];
  if (last == most) sums[last + 1 - first] = sums[last - first];
  kernel_.widen(sums, last + 1 - first, out.data());
  return out.data() + (from_ & 1);
}

const std::uint32_t* YuvRows::row(int y) {
  const std::int16_t* u = chroma(1, y, u_);
  const std::int16_t* v = chroma(2, y, v_);
  kernel_.colour(frame_.planes[0] + y * frame_.strides[0] + from_, u, v, to_ - from_, colour_,
                 pixels_.data());
  return pixels_.data();
}

}  // namespace kinema::media
