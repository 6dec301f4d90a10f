// From a decoded frame to the RGB window that a model sees: YUV 4:2:0 of common sizes, on one thread.
// `swscale` is what FFmpeg's own scaler takes for the same window in one call (bilinear, accurate rounding),
// made once.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "framework/media/convert.h"
#include "framework/media/ffmpeg.h"

namespace {

using namespace kinema;

struct Case {
  const char* name;
  Size frame, scaled, crop;
};

constexpr Case kCases[] = {
    {"340x256_crop_224", {340, 256}, {340, 256}, {224, 224}},
    {"340x256_short_288_crop_224", {340, 256}, {382, 288}, {224, 224}},
    {"340x256_short_128_crop_112", {340, 256}, {170, 128}, {112, 112}},
    {"180x144_short_128_crop_112", {180, 144}, {160, 128}, {112, 112}},
    {"1280x720_short_256_crop_224", {1280, 720}, {455, 256}, {224, 224}},
    {"340x256_whole", {340, 256}, {340, 256}, {340, 256}},
};

media::FramePtr frame_of(Size size) {
  media::FramePtr frame(av_frame_alloc());
  frame->width = size.width;
  frame->height = size.height;
  frame->format = AV_PIX_FMT_YUV420P;
  av_frame_get_buffer(frame.get(), 0);
  std::mt19937 random(3);
  for (int plane = 0; plane < 3; ++plane)
    for (int i = 0; i < frame->linesize[plane] * size.height / (plane > 0 ? 2 : 1); ++i)
      frame->data[plane][i] = static_cast<std::uint8_t>(random());
  return frame;
}

void convert(benchmark::State& state, const Case& c) {
  const media::FramePtr frame = frame_of(c.frame);
  Geometry geometry = Geometry::whole(c.frame);
  if (!(c.scaled == c.frame)) geometry.resize(c.scaled);
  geometry.crop((c.scaled.width - c.crop.width) / 2, (c.scaled.height - c.crop.height) / 2, c.crop);
  std::vector<std::uint8_t> out(static_cast<std::size_t>(c.crop.width * c.crop.height * 3));
  media::Converter converter;
  for (auto _ : state) {
    converter.convert(*frame, {}, c.frame, geometry, out.data());
    benchmark::DoNotOptimize(out.data());
  }
}

// The whole scaled picture: swscale has no window.
void swscale(benchmark::State& state, const Case& c) {
  const media::FramePtr frame = frame_of(c.frame);
  media::SwsContextPtr sws(sws_getContext(
      c.frame.width, c.frame.height, AV_PIX_FMT_YUV420P, c.scaled.width, c.scaled.height, AV_PIX_FMT_RGB24,
      SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr, nullptr, nullptr));
  std::vector<std::uint8_t> out(static_cast<std::size_t>(c.scaled.width * c.scaled.height * 3 + 64));
  std::uint8_t* const planes[4] = {out.data()};
  const int strides[4] = {3 * c.scaled.width};
  for (auto _ : state) {
    sws_scale(sws.get(), frame->data, frame->linesize, 0, c.frame.height, planes, strides);
    benchmark::DoNotOptimize(out.data());
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const Case& c : kCases) {
    benchmark::RegisterBenchmark((std::string("convert/") + c.name).c_str(), convert, c)
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark((std::string("swscale/") + c.name).c_str(), swscale, c)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace

BENCHMARK_MAIN();
