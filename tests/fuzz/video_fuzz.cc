#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "framework/media/bitstream.h"
#include "framework/media/examine.h"
#include "framework/media/grey_picture.h"
#include "framework/media/picture.h"
#include "framework/media/video.h"
#include "kinema/error.h"

// Whatever bytes a video or a picture holds: frames or an error of ours, within the limits. What is read, and
// how, follows from the bytes, so that a crash can be repeated.
namespace {

using namespace kinema;
using Random = std::mt19937;

constexpr media::Limits kLimits = {
    .max_pixels = 512 * 512, .max_packets = 2000, .seconds_per_open = 20, .seconds_per_read = 20};

double fraction(Random& random) { return static_cast<double>(random() % 1025) / 1024; }

// A window somewhere in the frame or partly outside, of any size.
Geometry any_geometry(Size size, Random& random) {
  Geometry geometry = Geometry::whole(size);
  if (random() % 2 == 0)
    geometry.resize({static_cast<int>(1 + random() % 70), static_cast<int>(1 + random() % 70)});
  if (random() % 2 == 0) {
    const Size now = geometry.output;
    const Size crop{1 + static_cast<int>(random() % static_cast<unsigned>(now.width)),
                    1 + static_cast<int>(random() % static_cast<unsigned>(now.height))};
    geometry.crop(static_cast<int>(fraction(random) * (now.width - crop.width)),
                  static_cast<int>(fraction(random) * (now.height - crop.height)), crop);
  }
  if (random() % 4 == 0) geometry.mirror();
  if (random() % 8 == 0) geometry.source.x -= 3;
  if (random() % 8 == 0) geometry.source.width *= fraction(random) + 0.01;
  return geometry;
}

// Exactly as large as the contract says, so that a byte too many is seen.
std::vector<std::uint8_t> room_for(std::size_t frames, const Geometry& geometry) {
  return std::vector<std::uint8_t>(frames * 3 * static_cast<std::size_t>(geometry.output.width) *
                                   static_cast<std::size_t>(geometry.output.height));
}

void read_video(const std::string& path, Random& random) {
  media::Limits limits = kLimits;
  limits.skip_unwanted = random() % 4 != 0;
  limits.index_by_decoding = random() % 4 == 0;
  media::Video video = media::Video::open(path, limits);
  for (int round = 0; round < 3; ++round) {
    const Geometry geometry = any_geometry(video.info().size, random);
    std::vector<std::int64_t> frames(1 + random() % 5);
    for (std::int64_t& frame : frames)
      frame = static_cast<std::int64_t>(
          random() % static_cast<std::uint64_t>(video.info().frame_count + (random() % 16 == 0)));
    std::vector<std::uint8_t> rgb = room_for(frames.size(), geometry);
    video.read(frames, geometry, rgb.data());
    video.frame_time_s(0);
    video.frame_at(fraction(random) * 10);
  }
}

void read_picture(const std::string& path, Random& random) {
  media::Picture picture = media::Picture::open(path, kLimits);
  const Geometry geometry = any_geometry(picture.size(), random);
  std::vector<std::uint8_t> rgb = room_for(1, geometry);
  picture.read(geometry, rgb.data());
}

void write_picture(const std::string& path, media::Bytes bytes, Random& random) {
  const int width = 1 + static_cast<int>(random() % 20);
  const Size size{
      width, static_cast<int>(std::min<std::size_t>(bytes.size() / static_cast<std::size_t>(width), 40))};
  media::write_grey(path, bytes.data(), size,
                    random() % 2 == 0 ? media::PictureFormat::png : media::PictureFormat::jpeg);
  read_picture(path, random);
}

void inspect(media::Bytes bytes, Random& random) {
  // A copy without room behind it: spans are not bounds of an allocation by themselves.
  const std::size_t begin = random() % (bytes.size() + 1);
  const std::vector<std::uint8_t> exact(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end());
  const media::Bytes packet(exact.data(), exact.size());
  for (const int length_bytes : {0, 1, 2, 3, 4}) {
    media::inspect_h264(packet, length_bytes);
    media::inspect_hevc(packet, length_bytes);
  }
  media::inspect_vp8(packet);
  media::inspect_vp9(packet);
  media::inspect_av1(packet);
  media::Mpeg4State state;
  media::inspect_mpeg4(bytes, state);
  media::inspect_mpeg4(packet, state);
}

template <typename Call>
void guarded(Call call) {
  try {
    call();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/dev/shm/kinema-video-fuzz-" + std::to_string(::getpid());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
  ::close(file);
  std::uint32_t seed = 2166136261u;
  for (std::size_t i = 0; i < size; ++i) seed = (seed ^ data[i]) * 16777619u;
  Random random(seed);
  const media::Bytes bytes(data, size);
  media::IndexCache::global().clear();
  inspect(bytes, random);
  guarded([&] { read_video(path, random); });
  if (random() % 2 == 0)
    media::examine(path, random() % 2 == 0 ? media::Depth::index : media::Depth::everything, kLimits);
  guarded([&] { read_picture(path, random); });
  if (random() % 16 == 0) guarded([&] { write_picture(path, bytes, random); });
  ::unlink(path.c_str());
  return 0;
}
