#include "framework/media/mirror_row.h"

#include <tmmintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace kinema::media {
namespace {

constexpr int kPixels = 16;  // three vectors
using Order = std::array<std::uint8_t, 16>;

// Which bytes of input vector `from` go where in output vector `to`; the others become 0.
constexpr Order order(int from, int to) {
  Order bytes{};
  for (int i = 0; i < 16; ++i) {
    const int pixel = (16 * to + i) / 3, channel = (16 * to + i) % 3;
    const int source = 3 * (kPixels - 1 - pixel) + channel;
    bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(source / 16 == from ? source % 16 : 0x80);
  }
  return bytes;
}
alignas(16) constexpr Order k20 = order(2, 0), k10 = order(1, 0), k21 = order(2, 1), k11 = order(1, 1),
                            k01 = order(0, 1), k12 = order(1, 2), k02 = order(0, 2);

__attribute__((target("ssse3"))) inline __m128i picked(__m128i from, const Order& order) {
  return _mm_shuffle_epi8(from, _mm_load_si128(reinterpret_cast<const __m128i*>(order.data())));
}

__attribute__((target("ssse3"))) void mirror_vectors(const std::uint8_t* in, int count, std::uint8_t* out) {
  int i = 0;
  for (; i + kPixels <= count; i += kPixels) {
    const auto* from = reinterpret_cast<const __m128i*>(in + 3 * (count - kPixels - i));
    auto* to = reinterpret_cast<__m128i*>(out + 3 * i);
    const __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1), c = _mm_loadu_si128(from + 2);
    _mm_storeu_si128(to, _mm_or_si128(picked(c, k20), picked(b, k10)));
    _mm_storeu_si128(to + 1, _mm_or_si128(_mm_or_si128(picked(c, k21), picked(b, k11)), picked(a, k01)));
    _mm_storeu_si128(to + 2, _mm_or_si128(picked(b, k12), picked(a, k02)));
  }
  mirror_row_plain(in, count - i, out + 3 * i);
}

// Memory is read forwards, as it comes fastest, and turned in the cache.
void mirror_row_vectors(const std::uint8_t* in, int count, std::uint8_t* out) {
  constexpr int kPiece = 512;
  std::array<std::uint8_t, 3 * kPiece> piece;
  for (int begin = 0; begin < count; begin += kPiece) {
    const int length = std::min(kPiece, count - begin);
    std::memcpy(piece.data(), in + 3 * begin, static_cast<std::size_t>(3 * length));
    mirror_vectors(piece.data(), length, out + 3 * (count - begin - length));
  }
}

}  // namespace

void mirror_row_plain(const std::uint8_t* in, int count, std::uint8_t* out) {
  for (int i = 0; i < count; ++i) std::memcpy(out + 3 * i, in + 3 * (count - 1 - i), 3);
}

void mirror_row(const std::uint8_t* in, int count, std::uint8_t* out) {
  static const auto best = __builtin_cpu_supports("ssse3") ? mirror_row_vectors : mirror_row_plain;
  best(in, count, out);
}

}  // namespace kinema::media
