#include "framework/data/transcode.h"

#include <fmt/format.h>

#include "framework/data/parallel.h"
#include "framework/data/transcode_ledger.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;
using State = TranscodeLedger::State;

// Why a file may not be written under its name; empty: it may.
std::string refusal(const std::string& name) {
  const fs::path path(name);
  if (path == TranscodeLedger::kSettings || path == TranscodeLedger::kTable)
    return "a name that is kept for the settings: expected another one";
  return name_refusal(name);
}

// Makes the folder of a file. Throws Error(data) where a link leads out of `output`.
void make_folder(const fs::path& output, const fs::path& file) {
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(file.parent_path(), failed);
  const bool inside = !failed && is_below(real, fs::weakly_canonical(output, failed));
  if (inside) fs::create_directories(real, failed);
  if (!inside || failed)
    throw Error(ErrorKind::data, file.string(),
                fmt::format("outside of the folder: expected a place below {}, got {}", output.string(),
                            failed ? failed.message() : real.string()));
}

// One file after another of one thread.
class Worker {
 public:
  Worker(const TranscodeRun& run, TranscodeLedger& ledger) : run_(run), ledger_(ledger) {}

  // True when it was written, false when it was there.
  bool operator()(const NamedFile& file, bool video) const {
    const SourceStamp source = source_stamp(file.path);
    const State state = ledger_.state(file.name, source);
    if (state == State::finished) return false;
    const fs::path target = run_.output / file.name;
    if (state == State::foreign)
      throw Error(ErrorKind::data, target.string(),
                  "a file that was not made here: expected a free place, got one that stays as it is");
    make_folder(run_.output, target);
    const fs::path temporary = unfinished_path(target);
    std::error_code ignored;
    fs::remove(temporary, ignored);
    try {
      if (video)
        media::transcode(file.path.string(), temporary.string(), run_.options, run_.limits);
      else
        fs::copy_file(file.path, temporary);
      ledger_.publish(temporary, file.name, source);
    } catch (...) {
      fs::remove(temporary, ignored);
      throw;
    }
    return true;
  }

 private:
  const TranscodeRun& run_;
  TranscodeLedger& ledger_;
};

struct Outcome {
  bool written = false;
  std::string reason;
};

Outcome outcome_of(const Worker& work, const NamedFile& file, bool video) {
  Outcome outcome{false, refusal(file.name)};
  if (outcome.reason.empty()) outcome.reason = reason_against([&] { outcome.written = work(file, video); });
  return outcome;
}

}  // namespace

std::string transcode_settings(const media::TranscodeOptions& options, const std::string& more) {
  return fmt::format(
      R"({{"format": 1, "encoder": "{}", "fps": {}, "short_side": {}, "gop": {}, "quality": {}{}}})",
      media::transcode_encoder(), options.fps ? fmt::format("{}", *options.fps) : "null",
      options.short_side ? fmt::format("{}", *options.short_side) : "null", options.gop,
      media::transcode_quality(options), more);
}

TranscodeReport transcode_files(const TranscodeWork& work, const TranscodeRun& run) {
  TranscodeLedger ledger(run.output, transcode_settings(run.options));
  remove_unfinished(run.output);
  const std::vector<NamedFile> videos = each_once(work.videos), copies = each_once(work.copies);
  const std::size_t count = videos.size() + copies.size();
  const auto file_at = [&](std::size_t i) -> const NamedFile& {
    return i < videos.size() ? videos[i] : copies[i - videos.size()];
  };
  std::vector<Outcome> outcomes(count);
  const Worker worker(run, ledger);
  for_each_parallel(
      count, run.threads,
      [&](std::size_t i) { outcomes[i] = outcome_of(worker, file_at(i), i < videos.size()); },
      [&](std::size_t finished) {
        if (run.progress) run.progress(finished, count);
      });
  TranscodeReport report;
  for (std::size_t i = 0; i < count; ++i) {
    const NamedFile& file = file_at(i);
    if (!outcomes[i].reason.empty()) {
      report.refused.push_back({file.name, outcomes[i].reason});
    } else if (i >= videos.size()) {
      report.copied += outcomes[i].written ? 1 : 0;
    } else {
      ++(outcomes[i].written ? report.written : report.finished_before);
      report.bytes_before += source_stamp(file.path).bytes;
      report.bytes_after += source_stamp(run.output / file.name).bytes;
    }
  }
  return report;
}

}  // namespace kinema::data
