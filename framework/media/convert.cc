#include "framework/media/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "framework/media/ffmpeg.h"
#include "framework/media/message_count.h"
#include "framework/media/pixel_rows.h"
#include "framework/media/resample.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

// A rectangle of whole pixels, ends excluded.
struct Area {
  int left = 0, top = 0, right = 0, bottom = 0;
  int width() const { return right - left; }
  int height() const { return bottom - top; }
};

struct Picture {
  std::vector<std::uint8_t> bytes;
  std::size_t stride = 0;
  void resize(int width, int height) {
    constexpr std::size_t kAlign = 64;  // swscale writes whole vectors
    stride = (static_cast<std::size_t>(width) * 3 + 2 * kAlign - 1) / kAlign * kAlign;
    bytes.resize(stride * static_cast<std::size_t>(height) + kAlign);
  }
};

struct SourceFormat {
  int width = 0, height = 0;
  int pixel_format = AV_PIX_FMT_NONE;
  int matrix = 0;
  bool full_range = false;
  bool operator==(const SourceFormat&) const = default;
};

// The J formats are the plain ones with full range; swscale warns of each use.
std::pair<AVPixelFormat, bool> format_and_range(const AVFrame& frame) {
  switch (frame.format) {
    case AV_PIX_FMT_YUVJ420P:
      return {AV_PIX_FMT_YUV420P, true};
    case AV_PIX_FMT_YUVJ422P:
      return {AV_PIX_FMT_YUV422P, true};
    case AV_PIX_FMT_YUVJ444P:
      return {AV_PIX_FMT_YUV444P, true};
    case AV_PIX_FMT_YUVJ440P:
      return {AV_PIX_FMT_YUV440P, true};
    case AV_PIX_FMT_YUVJ411P:
      return {AV_PIX_FMT_YUV411P, true};
    default:
      return {static_cast<AVPixelFormat>(frame.format), frame.color_range == AVCOL_RANGE_JPEG};
  }
}

int matrix_of(const AVFrame& frame) {
  switch (frame.colorspace) {
    case AVCOL_SPC_BT709:
      return SWS_CS_ITU709;
    case AVCOL_SPC_FCC:
      return SWS_CS_FCC;
    case AVCOL_SPC_SMPTE240M:
      return SWS_CS_SMPTE240M;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL:
      return SWS_CS_BT2020;
    default:
      return SWS_CS_ITU601;
  }
}

Area to_stored(const Area& shown, Orientation orientation, Size displayed) {
  Area area = shown;
  if (orientation.flip_x) {
    area.left = displayed.width - shown.right;
    area.right = displayed.width - shown.left;
  }
  if (orientation.flip_y) {
    area.top = displayed.height - shown.bottom;
    area.bottom = displayed.height - shown.top;
  }
  if (orientation.transpose) area = {area.top, area.left, area.bottom, area.right};
  return area;
}

Area to_displayed(const Area& stored, Orientation orientation, Size displayed) {
  Area area = orientation.transpose ? Area{stored.top, stored.left, stored.bottom, stored.right} : stored;
  if (orientation.flip_x) {
    const int left = area.left;
    area.left = displayed.width - area.right;
    area.right = displayed.width - left;
  }
  if (orientation.flip_y) {
    const int top = area.top;
    area.top = displayed.height - area.bottom;
    area.bottom = displayed.height - top;
  }
  return area;
}

// A part that swscale converts to the very pixels it would have in the whole: its borders on multiples of all
// subsamplings and its filters' taps inside. Odd sizes stretch chroma a little over the whole axis.
Area convertible(const Area& need, const AVFrame& frame, const AVPixFmtDescriptor& format) {
  constexpr int kStep = 16, kMargin = 8;
  Area area{0, 0, frame.width, frame.height};
  const bool planar = (format.flags & AV_PIX_FMT_FLAG_PLANAR) != 0 || format.log2_chroma_w == 0;
  if ((format.flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL)) != 0 ||
      !planar) {
    return area;
  }
  if (frame.width % (1 << format.log2_chroma_w) == 0) {
    area.left = std::max(0, (need.left - kMargin) / kStep * kStep);
    area.right = std::min(frame.width, (need.right + kMargin + kStep - 1) / kStep * kStep);
  }
  if (frame.height % (1 << format.log2_chroma_h) == 0) {
    area.top = std::max(0, (need.top - kMargin) / kStep * kStep);
    area.bottom = std::min(frame.height, (need.bottom + kMargin + kStep - 1) / kStep * kStep);
  }
  return area;
}

// Pointers to the planes at the corner of `area`.
void plane_pointers(const AVFrame& frame, const AVPixFmtDescriptor& format, const Area& area,
                    const std::uint8_t* (&planes)[4]) {
  for (int plane = 0; plane < 4; ++plane) planes[plane] = frame.data[plane];
  if (area.left == 0 && area.top == 0) return;
  bool done[4] = {};
  for (int c = 0; c < format.nb_components; ++c) {
    const AVComponentDescriptor& component = format.comp[c];
    if (done[component.plane]) continue;
    done[component.plane] = true;
    const bool chroma = c == 1 || c == 2;
    const int x = area.left >> (chroma ? format.log2_chroma_w : 0);
    const int y = area.top >> (chroma ? format.log2_chroma_h : 0);
    planes[component.plane] +=
        static_cast<std::ptrdiff_t>(y) * frame.linesize[component.plane] + x * component.step;
  }
}

// Planes that are converted without swscale: nearly all videos have them.
std::optional<YuvPlanes> yuv_planes(const AVFrame& frame, const AVPixFmtDescriptor& format) {
  constexpr std::uint64_t kOther = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                                   AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
  const bool plain = (format.flags & AV_PIX_FMT_FLAG_PLANAR) != 0 && (format.flags & kOther) == 0 &&
                     format.nb_components >= 3 && format.log2_chroma_w <= 1 && format.log2_chroma_h <= 1;
  if (!plain) return std::nullopt;
  YuvPlanes yuv;
  for (int c = 0; c < 3; ++c) {
    const AVComponentDescriptor& component = format.comp[c];
    if (component.plane != c || component.step != 1 || component.depth != 8 || component.shift != 0)
      return std::nullopt;
    yuv.planes[c] = frame.data[c];
    yuv.strides[c] = frame.linesize[c];
  }
  yuv.width = frame.width;
  yuv.height = frame.height;
  yuv.chroma_shift_x = format.log2_chroma_w;
  yuv.chroma_shift_y = format.log2_chroma_h;
  return yuv;
}

// swscale's coefficients of a matrix are those of the limited range, in 1/65536.
Colour colour_of(int matrix, bool full_range) {
  const int* given = sws_getCoefficients(matrix);
  const double one = 1 << kColourBits, luma = full_range ? 1 : 255.0 / 219;
  const auto chroma = [&](int coefficient, double sign) {
    constexpr double kEighths = 8;
    const double scale = full_range ? 224.0 / 255 : 1;
    return static_cast<std::int32_t>(std::lround(sign * coefficient / 65536.0 * scale * one / kEighths));
  };
  Colour colour;
  colour.luma = static_cast<std::int32_t>(std::lround(luma * one));
  colour.red_v = chroma(given[0], 1);
  colour.blue_u = chroma(given[1], 1);
  colour.green_u = chroma(given[2], -1);
  colour.green_v = chroma(given[3], -1);
  constexpr std::int32_t kGrey = 128 * 8;
  const auto offset = [&](std::int32_t coefficients) {
    const std::int32_t black = full_range ? 0 : 16;
    return (1 << (kColourBits - 1)) - black * colour.luma - kGrey * coefficients;
  };
  colour.red_offset = offset(colour.red_v);
  colour.green_offset = offset(colour.green_u + colour.green_v);
  colour.blue_offset = offset(colour.blue_u);
  return colour;
}

Rect scaled(const Rect& rect, double x, double y) {
  return {rect.x * x, rect.y * y, rect.width * x, rect.height * y};
}

}  // namespace

struct Converter::State {
  SwsContextPtr sws;
  SourceFormat sws_format;
  Picture stored, upright;
  Resampler resampler;
  // The taps of the last geometry: clips ask for many frames with one geometry.
  Geometry geometry;
  Size taps_size;
  Taps columns, rows;

  void prepare_sws(const AVFrame& frame, const Area& area);
  void prepare_taps(const Geometry& wanted, Size displayed, Size actual);
  const Picture& turn(const Area& shown, Orientation orientation);
};

void Converter::State::prepare_sws(const AVFrame& frame, const Area& area) {
  const auto [pixel_format, full_range] = format_and_range(frame);
  const SourceFormat format{area.width(), area.height(), pixel_format, matrix_of(frame), full_range};
  if (sws != nullptr && format == sws_format) return;
  sws.reset(sws_getContext(format.width, format.height, pixel_format, format.width, format.height,
                           AV_PIX_FMT_RGB24, SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr,
                           nullptr, nullptr));
  if (sws == nullptr) {
    const char* name = av_get_pix_fmt_name(pixel_format);
    throw Error(ErrorKind::data, "",
                fmt::format("pixel format: expected one that converts to RGB, got {}",
                            name ? name : "an unknown one"));
  }
  constexpr int kUnchanged = 0, kOne = 1 << 16;  // brightness; contrast and saturation
  sws_setColorspaceDetails(sws.get(), sws_getCoefficients(format.matrix), format.full_range,
                           sws_getCoefficients(SWS_CS_DEFAULT), 1, kUnchanged, kOne, kOne);
  sws_format = format;
}

void Converter::State::prepare_taps(const Geometry& wanted, Size displayed, Size actual) {
  if (wanted == geometry && actual == taps_size && !columns.near.empty()) return;
  geometry = wanted;
  taps_size = actual;
  const double x = static_cast<double>(actual.width) / displayed.width;
  const double y = static_cast<double>(actual.height) / displayed.height;
  const Rect source = scaled(wanted.source, x, y), clamp = scaled(wanted.clamp, x, y);
  const auto limits = [](double from, double length, int size) {
    const int low = std::clamp(static_cast<int>(std::lround(from)), 0, size - 1);
    return std::pair{low, std::clamp(static_cast<int>(std::lround(from + length)) - 1, low, size - 1)};
  };
  const auto [left, right] = limits(clamp.x, clamp.width, actual.width);
  const auto [top, bottom] = limits(clamp.y, clamp.height, actual.height);
  columns = make_taps(source.x, source.width, wanted.output.width, left, right, wanted.flip);
  rows = make_taps(source.y, source.height, wanted.output.height, top, bottom, false);
}

// The converted part as it is displayed.
const Picture& Converter::State::turn(const Area& shown, Orientation orientation) {
  if (orientation.identity()) return stored;
  upright.resize(shown.width(), shown.height());
  for (int y = 0; y < shown.height(); ++y) {
    std::uint8_t* line = upright.bytes.data() + static_cast<std::size_t>(y) * upright.stride;
    const int b = orientation.flip_y ? shown.height() - 1 - y : y;
    for (int x = 0; x < shown.width(); ++x) {
      const int a = orientation.flip_x ? shown.width() - 1 - x : x;
      const auto u = static_cast<std::size_t>(orientation.transpose ? b : a);
      const auto v = static_cast<std::size_t>(orientation.transpose ? a : b);
      std::memcpy(line + 3 * x, stored.bytes.data() + v * stored.stride + 3 * u, 3);
    }
  }
  return upright;
}

Converter::Converter() : state_(std::make_unique<State>()) { capture_messages(); }
Converter::~Converter() = default;
Converter::Converter(Converter&&) noexcept = default;

void Converter::convert(const AVFrame& frame, Orientation orientation, Size displayed,
                        const Geometry& geometry, std::uint8_t* out) {
  State& state = *state_;
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  if (format == nullptr) throw Error(ErrorKind::data, "", "pixel format: expected a known one, got none");
  const Size actual = displayed_size({frame.width, frame.height}, orientation);
  state.prepare_taps(geometry, displayed, actual);
  const Area need{first_of(state.columns), first_of(state.rows), end_of(state.columns), end_of(state.rows)};
  const std::optional<YuvPlanes> yuv = yuv_planes(frame, *format);
  if (yuv && orientation.identity()) {
    YuvRows rows(*yuv, colour_of(matrix_of(frame), format_and_range(frame).second), best_row_kernel(),
                 need.left, need.right);
    return state.resampler.run(rows, need.left, state.columns, state.rows, out);
  }
  const Area area = convertible(to_stored(need, orientation, actual), frame, *format);
  state.prepare_sws(frame, area);
  state.stored.resize(area.width(), area.height());
  const std::uint8_t* planes[4];
  plane_pointers(frame, *format, area, planes);
  std::uint8_t* const target[4] = {state.stored.bytes.data()};
  const int target_stride[4] = {static_cast<int>(state.stored.stride)};
  sws_scale(state.sws.get(), planes, frame.linesize, 0, area.height(), target, target_stride);
  const Area shown = to_displayed(area, orientation, actual);
  const Picture& picture = state.turn(shown, orientation);
  state.resampler.run(picture.bytes.data(), picture.stride, shown.left, shown.top, state.columns, state.rows,
                      out);
}

}  // namespace kinema::media
