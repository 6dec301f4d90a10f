#include "framework/media/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "framework/media/container.h"
#include "framework/media/file_pass.h"
#include "framework/media/message_count.h"
#include "framework/media/picture.h"
#include "framework/media/scan_trust.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

bool mentions_cut(const std::string& message) {
  for (const char* text : {"partial file", "runcat", "unexpected end"})
    if (message.find(text) != std::string::npos) return true;
  return false;
}

void look_at_messages(const Pass& pass, const Container& container, Examination& found) {
  if (pass.errors > 0)
    found.add("decoder_errors", fmt::format("{} message(s): {}", pass.errors, pass.first_message));
  if (const auto corrupt = std::ranges::count_if(pass.frames, &DecodedFrame::corrupt); corrupt > 0)
    found.add("corrupt_frames", fmt::format("{} of {} frames are damaged", corrupt, pass.frames.size()));
  if (pass.resized_frames > 0)
    found.add("size_changes",
              fmt::format("{} of {} frames are not {}x{}", pass.resized_frames, pass.frames.size(),
                          pass.info.stored_size.width, pass.info.stored_size.height));
  const AVStream& stream = *container.stream();
  if (stream.avg_frame_rate.num <= 0 && stream.r_frame_rate.num <= 0)
    found.add("unknown_rate", fmt::format("no frame rate: {:g} is taken", pass.info.fps));
}

void look_at_count(const Pass& pass, const Container& container, Examination& found) {
  const std::int64_t claimed = pass.info.header_frames, count = found.info.frame_count;
  const bool avi = std::string(container.format()->iformat->name) == "avi";
  if (container.failure() != 0 || mentions_cut(pass.first_message) ||
      (avi && claimed > std::ssize(pass.packets) + 1))
    found.add("truncated", fmt::format("the file ends after {} packets", pass.packets.size()));
  if (claimed > count)
    found.add("count_over_reported", fmt::format("the header claims {} frames, {} decode", claimed, count));
  if (claimed > 0 && claimed < count)
    found.add("count_under_reported", fmt::format("the header claims {} frames, {} decode", claimed, count));
}

// `pts` in stream units, in display order.
void look_at_times(std::vector<std::int64_t> pts, const Container& container, Examination& found) {
  // The last frames of an AVI file often have none: only the order of decoding is stored there.
  const auto missing = std::erase(pts, AV_NOPTS_VALUE);
  if (missing > pts.size()) {
    found.add("no_times", fmt::format("{} of {} frames have no time", missing, missing + pts.size()));
    return;
  }
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i < pts.size(); ++i) steps.push_back(pts[i] - pts[i - 1]);
  if (const auto back = std::ranges::count_if(steps, [](auto step) { return step <= 0; }); back > 0) {
    found.add("times_out_of_order", fmt::format("{} frames are not later than the one before", back));
    return;
  }
  if (steps.size() < 2) return;
  std::vector<std::int64_t> sorted = steps;
  std::ranges::sort(sorted);
  const std::int64_t usual = sorted[sorted.size() / 2];
  // A rate that the time base cannot express makes steps differ by a unit.
  const auto irregular = std::ranges::count_if(
      steps, [&](auto step) { return 2 * std::abs(step - usual) > usual && std::abs(step - usual) > 1; });
  const double unit = av_q2d(container.stream()->time_base);
  if (irregular > 0)
    found.add("variable_rate",
              fmt::format("{} of {} steps are irregular: {:.3f} to {:.3f} s, usually {:.3f} s", irregular,
                          steps.size(), static_cast<double>(sorted.front()) * unit,
                          static_cast<double>(sorted.back()) * unit, static_cast<double>(usual) * unit));
}

std::vector<std::int64_t> times_of(const Pass& pass, const Bitstream& bitstream, bool decoded) {
  std::vector<std::int64_t> pts;
  if (decoded) {
    for (const DecodedFrame& frame : pass.frames) pts.push_back(frame.pts);
  } else {
    const auto time = [](const ScannedPacket& p) { return p.pts != AV_NOPTS_VALUE ? p.pts : p.dts; };
    for (const std::uint32_t i : display_order(pass, bitstream.ordered_by_type()))
      pts.push_back(time(pass.scanned[i]));
    // Of a container that knows the order of decoding alone.
    if (bitstream.ordered_by_type()) std::ranges::sort(pts);
  }
  return pts;
}

void set_length(const std::vector<std::int64_t>& pts, const Container& container, VideoInfo& info) {
  info.frame_count = std::ssize(pts);
  const double step = 1 / info.fps, counted = static_cast<double>(info.frame_count) * step;
  const bool timed = pts.front() != AV_NOPTS_VALUE && pts.back() != AV_NOPTS_VALUE;
  info.duration_s =
      timed ? static_cast<double>(pts.back() - pts.front()) * av_q2d(container.stream()->time_base) + step
            : counted;
}

// Everything, where reading clips would not ask for it: then being slow is no reason to refuse the file.
bool decode_everything(Container& container, const Limits& limits, Pass& pass, Examination& found) {
  container.reopen();
  container.set_deadline(limits.seconds_per_check, "seconds_per_check");
  try {
    pass = run_pass(container, limits, true);
    return true;
  } catch (const Error&) {
    if (!container.timed_out()) throw;
  }
  found.add("not_decoded", fmt::format("decoding took more than {:g} s", limits.seconds_per_check));
  return false;
}

void look_at_video(const VideoPart& part, Depth depth, const Limits& limits, Examination& found) {
  Container container(part, limits);
  container.set_deadline(limits.seconds_per_open, "seconds_per_open");
  const Bitstream bitstream(*container.stream()->codecpar);
  Pass pass;
  std::string doubt = limits.index_by_decoding ? "asked for" : unscannable(container, bitstream);
  if (doubt.empty()) {
    pass = run_pass(container, limits, false);
    doubt = scan_doubt(pass, container, bitstream);
    if (!doubt.empty()) container.reopen();
  }
  if (!doubt.empty()) {  // what opening the video does, too
    pass = run_pass(container, limits, true);
    found.decoded = true;
  } else if (depth == Depth::everything) {
    found.decoded = decode_everything(container, limits, pass, found);
  }
  found.info = pass.info;
  const std::vector<std::int64_t> pts = times_of(pass, bitstream, found.decoded);
  set_length(pts, container, found.info);
  look_at_messages(pass, container, found);
  look_at_count(pass, container, found);
  look_at_times(pts, container, found);
}

bool look_at_picture(const std::string& path, const Limits& limits, Examination& found) {
  try {
    const Picture picture = Picture::open(path, limits);
    found.picture = found.decoded = true;
    found.info.size = found.info.stored_size = picture.size();
    found.info.codec = found.info.container = picture.format();
    found.info.frame_count = 1;
    if (const ClipReport& report = picture.report(); report.errors > 0)
      found.add("decoder_errors", fmt::format("{} message(s): {}", report.errors, report.first_message));
    return true;
  } catch (const Error& error) {
    const std::string& what = error.problems().front().what;
    found.picture = !what.starts_with("not a picture");
    if (found.picture) found.reason = what;
    return false;
  }
}

}  // namespace

Examination examine(const VideoPart& part, Depth depth, const Limits& limits) {
  const MessageCount unheard;
  Examination found;
  std::error_code failed;
  if (const auto bytes = std::filesystem::file_size(part.path, failed); !failed)
    found.bytes = part.bytes > 0 ? part.bytes : static_cast<std::int64_t>(bytes) - part.offset;
  try {
    look_at_video(part, depth, limits, found);
    found.usable = true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    found = {.reason = error.problems().front().what, .bytes = found.bytes};
    // A list of pictures may name them one by one.
    if (found.bytes > 0 && part.whole_file()) found.usable = look_at_picture(part.path, limits, found);
    if (found.usable) found.reason.clear();
  }
  return found;
}

Examination examine(const std::string& path, Depth depth, const Limits& limits) {
  return examine(VideoPart{path}, depth, limits);
}

}  // namespace kinema::media
