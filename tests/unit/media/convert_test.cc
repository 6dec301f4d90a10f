#include "framework/media/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "framework/media/resample.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

std::vector<std::uint8_t> noise(Size size, unsigned seed = 7) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> rgb(test::rgb_bytes(size));
  for (auto& value : rgb) value = static_cast<std::uint8_t>(random());
  return rgb;
}

FramePtr frame_of(Size size, AVPixelFormat format, unsigned seed = 3) {
  FramePtr frame(av_frame_alloc());
  frame->width = size.width;
  frame->height = size.height;
  frame->format = format;
  av_frame_get_buffer(frame.get(), 0);
  std::mt19937 random(seed);
  const bool ten_bits = format == AV_PIX_FMT_YUV420P10LE;
  for (int plane = 0; plane < 4 && frame->buf[plane] != nullptr; ++plane) {
    for (std::size_t i = 0; i < frame->buf[plane]->size; ++i) {
      const bool high = ten_bits && i % 2 == 1;
      frame->buf[plane]->data[i] = static_cast<std::uint8_t>(high ? random() % 4 : random());
    }
  }
  return frame;
}

int plane_height(const AVFrame& frame, int plane) {
  const auto* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  return plane == 0 ? frame.height : AV_CEIL_RSHIFT(frame.height, format->log2_chroma_h);
}

std::vector<std::uint8_t> converted(const AVFrame& frame, const Geometry& geometry,
                                    Orientation orientation = {}) {
  Converter converter;
  std::vector<std::uint8_t> rgb(test::rgb_bytes(geometry.output));
  converter.convert(frame, orientation, displayed_size({frame.width, frame.height}, orientation), geometry,
                    rgb.data());
  return rgb;
}

std::vector<std::uint8_t> cropped(const std::vector<std::uint8_t>& rgb, Size size, int x, int y, Size crop) {
  std::vector<std::uint8_t> out;
  for (int row = 0; row < crop.height; ++row) {
    const auto begin = rgb.begin() + 3 * (static_cast<std::ptrdiff_t>(y + row) * size.width + x);
    out.insert(out.end(), begin, begin + 3 * crop.width);
  }
  return out;
}

// What torch's interpolate(mode="bilinear", align_corners=False, antialias=False) computes.
double reference(const std::vector<std::uint8_t>& rgb, Size size, const Geometry& geometry, int ox, int oy,
                 int c) {
  const auto place = [](int i, double begin, double length, int count, double low, double high) {
    return std::clamp(begin + (i + 0.5) * length / count - 0.5, low, high - 1);
  };
  const Rect& s = geometry.source;
  const Rect& k = geometry.clamp;
  if (geometry.flip) ox = geometry.output.width - 1 - ox;
  const double x = place(ox, s.x, s.width, geometry.output.width, k.x, k.x + k.width);
  const double y = place(oy, s.y, s.height, geometry.output.height, k.y, k.y + k.height);
  const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
  const int x1 = std::min<int>(x0 + 1, static_cast<int>(k.x + k.width) - 1);
  const int y1 = std::min<int>(y0 + 1, static_cast<int>(k.y + k.height) - 1);
  const auto at = [&](int column, int line) {
    return static_cast<double>(
        rgb[3 * static_cast<std::size_t>(line * size.width + column) + static_cast<std::size_t>(c)]);
  };
  const double fx = x - x0, fy = y - y0;
  return (at(x0, y0) * (1 - fx) + at(x1, y0) * fx) * (1 - fy) +
         (at(x0, y1) * (1 - fx) + at(x1, y1) * fx) * fy;
}

FramePtr rgb_frame(const std::vector<std::uint8_t>& rgb, Size size) {
  FramePtr frame = frame_of(size, AV_PIX_FMT_RGB24);
  for (int y = 0; y < size.height; ++y) {
    std::memcpy(frame->data[0] + static_cast<std::ptrdiff_t>(y) * frame->linesize[0],
                rgb.data() + 3 * y * size.width, 3 * static_cast<std::size_t>(size.width));
  }
  return frame;
}

std::vector<Geometry> geometries(Size size) {
  std::vector<Geometry> all(6, Geometry::whole(size));
  all[1].resize({31, 17});
  all[2].resize({200, 150});
  all[2].crop(40, 30, {64, 64});
  all[3].crop(5, 7, {40, 30});
  all[3].resize({64, 64});
  all[4].resize({97, 41});
  all[4].mirror();
  all[5].crop(11, 3, {20, 20});
  return all;
}

TEST(convert, whole_geometry_copies_rgb_exactly) {
  const Size size{83, 61};
  const auto rgb = noise(size);
  EXPECT_EQ(converted(*rgb_frame(rgb, size), Geometry::whole(size)), rgb);
}

TEST(convert, resizing_is_within_one_level_of_torchs_bilinear) {
  const Size size{83, 61};
  const auto rgb = noise(size);
  const FramePtr frame = rgb_frame(rgb, size);
  for (const Geometry& geometry : geometries(size)) {
    const auto got = converted(*frame, geometry);
    double worst = 0;
    for (int y = 0; y < geometry.output.height; ++y) {
      for (int x = 0; x < geometry.output.width; ++x) {
        for (int c = 0; c < 3; ++c) {
          const double value =
              got[3 * static_cast<std::size_t>(y * geometry.output.width + x) + static_cast<std::size_t>(c)];
          worst = std::max(worst, std::abs(value - reference(rgb, size, geometry, x, y, c)));
        }
      }
    }
    EXPECT_LE(worst, 0.75);
  }
}

TEST(convert, enlarging_is_within_two_levels_of_swscale_bilinear) {
  const Size size{64, 48}, larger{128, 96};
  const auto rgb = noise(size);
  const FramePtr frame = rgb_frame(rgb, size);
  Geometry geometry = Geometry::whole(size);
  geometry.resize(larger);
  const auto got = converted(*frame, geometry);
  SwsContextPtr sws(sws_getContext(
      size.width, size.height, AV_PIX_FMT_RGB24, larger.width, larger.height, AV_PIX_FMT_RGB24,
      SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP, nullptr, nullptr, nullptr));
  std::vector<std::uint8_t> expected(test::rgb_bytes(larger) + 64);
  std::uint8_t* const planes[4] = {expected.data()};
  const int strides[4] = {3 * larger.width};
  sws_scale(sws.get(), frame->data, frame->linesize, 0, size.height, planes, strides);
  int worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - expected[i]));
  EXPECT_LE(worst, 2);
}

TEST(convert, a_window_has_the_pixels_of_the_whole_in_every_pixel_format) {
  const AVPixelFormat formats[] = {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P,    AV_PIX_FMT_YUV422P,
                                   AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_NV12,
                                   AV_PIX_FMT_BGRA,    AV_PIX_FMT_GRAY8,       AV_PIX_FMT_YUYV422,
                                   AV_PIX_FMT_GBRP,    AV_PIX_FMT_YUVA420P,    AV_PIX_FMT_YUV410P};
  for (const Size size : {Size{160, 120}, Size{161, 121}}) {
    for (const AVPixelFormat format : formats) {
      const FramePtr frame = frame_of(size, format);
      const auto whole = converted(*frame, Geometry::whole(size));
      for (const auto& [x, y] : {std::pair{0, 0}, {37, 51}, {96, 70}, {101, 61}}) {
        Geometry geometry = Geometry::whole(size);
        geometry.crop(x, y, {50, 40});
        EXPECT_EQ(converted(*frame, geometry), cropped(whole, size, x, y, {50, 40}))
            << av_get_pix_fmt_name(format) << " " << x << "," << y;
      }
    }
  }
}

// Noise is the hardest picture: every level next to every other. Legal levels: blue beyond twice the
// brightest wraps around to 0 in swscale.
TEST(convert, yuv_is_within_two_levels_of_swscale) {
  const Size size{160, 120};
  for (const AVPixelFormat format :
       {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV440P}) {
    for (const AVColorRange range : {AVCOL_RANGE_MPEG, AVCOL_RANGE_JPEG}) {
      for (const auto& [space, matrix] :
           {std::pair{AVCOL_SPC_BT709, SWS_CS_ITU709}, std::pair{AVCOL_SPC_SMPTE170M, SWS_CS_ITU601},
            std::pair{AVCOL_SPC_BT2020_NCL, SWS_CS_BT2020}}) {
        const FramePtr frame = frame_of(size, format);
        for (int plane = 0; plane < 3; ++plane)
          for (int k = 0; k < frame->linesize[plane] * plane_height(*frame, plane); ++k)
            frame->data[plane][k] = static_cast<std::uint8_t>(16 + frame->data[plane][k] % 220);
        frame->color_range = range;
        frame->colorspace = space;
        SwsContextPtr sws(
            sws_getContext(size.width, size.height, format, size.width, size.height, AV_PIX_FMT_RGB24,
                           SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr, nullptr, nullptr));
        sws_setColorspaceDetails(sws.get(), sws_getCoefficients(matrix), range == AVCOL_RANGE_JPEG,
                                 sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
        std::vector<std::uint8_t> expected(test::rgb_bytes(size) + 64);
        std::uint8_t* const planes[4] = {expected.data()};
        const int strides[4] = {3 * size.width};
        sws_scale(sws.get(), frame->data, frame->linesize, 0, size.height, planes, strides);
        const auto got = converted(*frame, Geometry::whole(size));
        int worst = 0;
        for (std::size_t k = 0; k < got.size(); ++k) worst = std::max(worst, std::abs(got[k] - expected[k]));
        EXPECT_LE(worst, 2) << av_get_pix_fmt_name(format) << " " << range << " " << space;
      }
    }
  }
}

TEST(convert, matrix_and_range_come_from_the_frame) {
  const Size size{16, 16};
  FramePtr frame = frame_of(size, AV_PIX_FMT_YUV444P);
  const auto fill = [&](int y, int u, int v) {
    const int values[3] = {y, u, v};
    for (int plane = 0; plane < 3; ++plane) {
      for (int row = 0; row < size.height; ++row) {
        std::memset(frame->data[plane] + row * frame->linesize[plane], values[plane],
                    static_cast<std::size_t>(size.width));
      }
    }
  };
  const auto expect = [&](double kr, double kb, bool full, const char* name) {
    const int y = 110, u = 90, v = 170;
    fill(y, u, v);
    const double luma = full ? y : (y - 16) * 255.0 / 219, scale = full ? 1 : 255.0 / 224;
    const double r = luma + 2 * (1 - kr) * (v - 128) * scale, b = luma + 2 * (1 - kb) * (u - 128) * scale;
    const double g = (luma - kr * r - kb * b) / (1 - kr - kb);
    const auto rgb = converted(*frame, Geometry::whole(size));
    EXPECT_NEAR(rgb[0], r, 1.5) << name;
    EXPECT_NEAR(rgb[1], g, 1.5) << name;
    EXPECT_NEAR(rgb[2], b, 1.5) << name;
  };
  expect(0.299, 0.114, false, "unspecified");
  frame->colorspace = AVCOL_SPC_BT709;
  expect(0.2126, 0.0722, false, "BT.709");
  frame->color_range = AVCOL_RANGE_JPEG;
  expect(0.2126, 0.0722, true, "BT.709 full");
  frame->colorspace = AVCOL_SPC_SMPTE170M;
  expect(0.299, 0.114, true, "BT.601 full");
}

TEST(convert, turns_and_mirrors_as_the_display_matrix_says) {
  const Size size{6, 4};
  const auto rgb = noise(size);
  const FramePtr frame = rgb_frame(rgb, size);
  const auto stored = [&](int x, int y) { return rgb[3 * static_cast<std::size_t>(y * size.width + x)]; };
  struct Case {
    Orientation orientation;
    int degrees;
    std::pair<int, int> top_left, top_right;  // the stored pixels shown there
  };
  const Case cases[] = {
      {{false, false, false}, 0, {0, 0}, {5, 0}}, {{true, true, false}, 90, {0, 3}, {0, 0}},
      {{false, true, true}, 180, {5, 3}, {0, 3}}, {{true, false, true}, 270, {5, 0}, {5, 3}},
      {{false, true, false}, 0, {5, 0}, {0, 0}},
  };
  for (const Case& c : cases) {
    const Size shown = displayed_size(size, c.orientation);
    const auto got = converted(*frame, Geometry::whole(shown), c.orientation);
    EXPECT_EQ(rotation_degrees(c.orientation), c.degrees);
    EXPECT_EQ(got[0], stored(c.top_left.first, c.top_left.second));
    EXPECT_EQ(got[3 * static_cast<std::size_t>(shown.width - 1)],
              stored(c.top_right.first, c.top_right.second));
    // A window of a turned frame is a window of what is shown.
    Geometry window = Geometry::whole(shown);
    window.crop(1, 1, {2, 2});
    EXPECT_EQ(converted(*frame, window, c.orientation), cropped(got, shown, 1, 1, {2, 2}));
  }
}

TEST(convert, written_rotation_is_read_back) {
  const test::Folder folder;
  for (const int degrees : {0, 90, 180, 270}) {
    test::ClipSpec spec;
    spec.frames = 2;
    spec.writer.rotation_degrees = degrees;
    const std::string path = folder / (std::to_string(degrees) + ".mp4");
    test::make_clip(path, spec);
    EXPECT_EQ(Video::open(path).info().rotation_degrees, degrees);
    spec.writer.mirror = true;
    test::make_clip(path, spec);
    const Orientation plain = Video::open(path).info().orientation;
    EXPECT_EQ(plain.transpose, degrees == 90 || degrees == 270);
  }
}

TEST(convert, frames_of_another_size_are_scaled_to_the_displayed_one) {
  const Size size{40, 30};
  const auto rgb = noise(size);
  const FramePtr frame = rgb_frame(rgb, size);
  Converter converter;
  const Geometry twice = Geometry::whole({80, 60});
  std::vector<std::uint8_t> got(test::rgb_bytes({80, 60}));
  converter.convert(*frame, {}, {80, 60}, twice, got.data());
  Geometry resize = Geometry::whole(size);
  resize.resize({80, 60});
  EXPECT_EQ(got, converted(*frame, resize));
}

}  // namespace
}  // namespace kinema::media
