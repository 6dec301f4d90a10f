#include "framework/data/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "framework/data/in_order.h"
#include "framework/data/parallel.h"
#include "framework/data/shard_writer.h"
#include "framework/media/index_file.h"
#include "framework/media/lead_in.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

std::string settings_of(const ShardRun& run) {
  return transcode_settings(
      run.options, fmt::format(R"(, "b_frames": {}, "compared": {}, "shard_bytes": {})", run.options.b_frames,
                               run.options.compared, run.shard_bytes));
}

// A file on its way into a shard, removed at the end.
struct Piece {
  fs::path file;
  ShardRecord record;
  std::string index;
  explicit Piece(fs::path path) : file(std::move(path)) {}
  ~Piece() {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
};

// As the table says it, so that a run that goes on reports what a whole one does.
float hundredths(double value) { return static_cast<float>(std::round(value * 100) / 100); }

void take_facts(const media::TranscodeFacts& facts, Piece& piece) {
  piece.index = media::index_to_bytes(*facts.index);
  ShardFigures& figures = piece.record.figures;
  figures.frames = static_cast<std::int32_t>(facts.index->info.frame_count);
  figures.lead_in_before = hundredths(facts.lead_in_before);
  figures.lead_in_after = hundredths(media::mean_lead_in(*facts.index));
  if (facts.psnr.empty()) return;
  figures.psnr_mean = hundredths(std::accumulate(facts.psnr.begin(), facts.psnr.end(), 0.0) /
                                 static_cast<double>(facts.psnr.size()));
  figures.psnr_least = hundredths(*std::ranges::min_element(facts.psnr));
}

struct Outcome {
  bool written = false;
  std::string reason;
  ShardRecord record;
};

// The work on one video after another, by several threads.
class Job {
 public:
  Job(const ShardRun& run, std::vector<NamedFile> videos)
      : run_(run),
        videos_(std::move(videos)),
        writer_(run.output, settings_of(run), {run.root.string(), run.options.fps.value_or(0)},
                run.shard_bytes),
        order_(kAhead),
        outcomes_(videos_.size()) {
    remove_unfinished(run.output);
  }
  const std::vector<NamedFile>& videos() const { return videos_; }
  const std::vector<Outcome>& outcomes() const { return outcomes_; }

  void operator()(std::size_t i) {
    if (!order_.begin(i)) return;
    try {
      one(i);
    } catch (...) {
      order_.stop();
      throw;
    }
  }

 private:
  // Files that wait for their place cost disk alone.
  static constexpr std::size_t kAhead = 64;

  void one(std::size_t i) {
    const NamedFile& video = videos_[i];
    Outcome& outcome = outcomes_[i];
    outcome.record.name = video.name;
    outcome.reason = name_refusal(video.name);
    std::shared_ptr<Piece> piece;
    const ShardRecord* known = nullptr;
    const bool named = outcome.reason.empty();
    if (named)
      outcome.reason = reason_against([&] {
        outcome.record.source = source_stamp(video.path);
        known = writer_.before().find(video.name);
        if (known != nullptr && known->source != outcome.record.source) known = nullptr;
        if (known != nullptr && known->place.shard >= 0) return;
        piece = std::make_shared<Piece>(unfinished_path(run_.output / fmt::format("video-{:08}", i)));
        take_facts(media::transcode(video.path.string(), piece->file.string(), run_.options, run_.limits),
                   *piece);
      });
    if (!outcome.reason.empty()) {
      const bool noted = known != nullptr && known->reason == outcome.reason;
      return order_.finish(i, [this, &outcome, named, noted] {
        if (!named || noted) return;
        ShardRecord record = outcome.record;
        record.reason = outcome.reason;
        writer_.append_refusal(record);
      });
    }
    if (piece == nullptr) {
      outcome.record = *known;
      return order_.finish(i, [] {});
    }
    outcome.written = true;
    piece->record.name = outcome.record.name;
    piece->record.source = outcome.record.source;
    order_.finish(i, [this, &outcome, piece = std::move(piece)] {
      outcome.record = writer_.append(piece->record, piece->file, piece->index);
    });
  }

  const ShardRun& run_;
  std::vector<NamedFile> videos_;
  ShardWriter writer_;
  InOrder order_;
  std::vector<Outcome> outcomes_;
};

void add(const Outcome& outcome, const std::string& name, ShardReport& report) {
  const ShardRecord& record = outcome.record;
  const ShardFigures& figures = record.figures;
  ++(outcome.written ? report.written : report.finished_before);
  report.bytes_before += record.source.bytes;
  report.bytes_after += record.place.bytes + record.place.index_bytes;
  report.frames += figures.frames;
  report.lead_in_before += static_cast<double>(figures.lead_in_before) * figures.frames;
  report.lead_in_after += static_cast<double>(figures.lead_in_after) * figures.frames;
  report.psnr_mean += static_cast<double>(figures.psnr_mean);
  if (!report.least_name.empty() && report.psnr_least <= static_cast<double>(figures.psnr_least)) return;
  report.psnr_least = static_cast<double>(figures.psnr_least);
  report.least_name = name;
}

}  // namespace

ShardRun::ShardRun() {
  options.short_side = 256;
  options.gop = 12;
  options.b_frames = 3;
  options.compared = 4;
}

ShardReport shard_files(const TranscodeWork& work, const ShardRun& run) {
  Job job(run, each_once(work.videos));
  const std::size_t count = job.videos().size();
  for_each_parallel(
      count, run.threads, [&](std::size_t i) { job(i); },
      [&](std::size_t finished) {
        if (run.progress) run.progress(finished, count);
      });
  ShardReport report;
  for (std::size_t i = 0; i < count; ++i) {
    const Outcome& outcome = job.outcomes()[i];
    if (outcome.reason.empty())
      add(outcome, job.videos()[i].name, report);
    else
      report.refused.push_back({job.videos()[i].name, outcome.reason});
  }
  if (const std::size_t videos = report.written + report.finished_before; videos > 0)
    report.psnr_mean /= static_cast<double>(videos);
  if (report.frames > 0) {
    report.lead_in_before /= static_cast<double>(report.frames);
    report.lead_in_after /= static_cast<double>(report.frames);
  }
  return report;
}

}  // namespace kinema::data
