#include "framework/data/transcode.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include "framework/data/parallel.h"
#include "framework/data/transcode_ledger.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;
using State = TranscodeLedger::State;

constexpr std::string_view kPart = ".kinema-part-";  // and the process: a file that is not whole yet

bool is_annotation(const fs::path& path) {
  static constexpr std::array kEndings = {".txt", ".csv", ".json", ".tsv", ".toml", ".pbtxt"};
  return std::find(kEndings.begin(), kEndings.end(), path.extension().string()) != kEndings.end();
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

std::string settings_text(const media::TranscodeOptions& options) {
  return fmt::format(
      R"({{"format": 1, "encoder": "{}", "fps": {}, "short_side": {}, "gop": {}, "quality": {}}})",
      media::transcode_encoder(), options.fps ? fmt::format("{}", *options.fps) : "null",
      options.short_side ? fmt::format("{}", *options.short_side) : "null", options.gop,
      media::transcode_quality(options));
}

// Why a file may not be written under its name; empty: it may.
std::string refusal(const std::string& name) {
  const fs::path path(name);
  const auto up = [](const fs::path& part) { return part == ".."; };
  if (name.empty() || path.is_absolute() || std::any_of(path.begin(), path.end(), up))
    return fmt::format("outside of the folder: expected a relative name without \"..\", got \"{}\"", name);
  if (name.find_first_of("\t\r\n") != std::string::npos)
    return "a name that a table cannot hold: expected no tabs and line ends, got one";
  if (path == TranscodeLedger::kSettings || path == TranscodeLedger::kTable)
    return "a name that is kept for the settings: expected another one";
  return {};
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
    const fs::path temporary = fmt::format("{}{}{}", target.string(), kPart, ::getpid());
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
  if (std::string reason = refusal(file.name); !reason.empty()) return {false, std::move(reason)};
  try {
    return {work(file, video), {}};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    return {false, error.problems().front().what};
  } catch (const fs::filesystem_error& error) {
    return {false,
            fmt::format("cannot be copied: expected a readable file, got \"{}\"", error.code().message())};
  }
}

// Unfinished files of runs that were killed.
void remove_leftovers(const fs::path& output) {
  std::error_code failed;
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator at(output, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    const std::size_t mark = name.rfind(kPart);
    if (mark == std::string::npos) continue;
    const bool number = name.find_first_not_of("0123456789", mark + kPart.size()) == std::string::npos;
    if (number && at->is_regular_file(failed)) found.push_back(at->path());
  }
  for (const fs::path& path : found) fs::remove(path, failed);
}

// A name may come once.
std::vector<NamedFile> each_once(std::vector<NamedFile> files) {
  std::set<std::string> seen;
  std::erase_if(files, [&](const NamedFile& file) { return !seen.insert(file.name).second; });
  return files;
}

std::vector<NamedFile> annotations_of(const fs::path& folder, const fs::path& output) {
  std::vector<NamedFile> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    if (is_annotation(at->path()) && at->is_regular_file(unknown) && !is_below(at->path(), output))
      files.push_back({at->path().lexically_relative(folder).string(), at->path()});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

}  // namespace

TranscodeWork work_of_folder(const fs::path& folder, const fs::path& output) {
  TranscodeWork work{files_in(folder), annotations_of(folder, output)};
  std::erase_if(work.videos, [&](const NamedFile& file) {
    return is_annotation(file.path) || is_below(file.path, output);
  });
  return work;
}

TranscodeWork work_of_splits(const std::vector<Split>& splits, const fs::path& root,
                             const TranscodeRun& run) {
  TranscodeWork work;
  for (const Split& split : splits)
    for (std::size_t i = 0; i < split.items->size(); ++i) {
      const Item item = split.items->item(i);
      const bool by_frame = item.span.unit == Span::Unit::frames || item.span.unit == Span::Unit::centre;
      for (const Source& source : item.sources) {
        if (source.frames || source.video.empty()) continue;
        if (by_frame && run.options.fps)
          throw Error(ErrorKind::usage, "--fps",
                      fmt::format("items are parts by frame number: expected seconds or whole videos, got "
                                  "frames {} to {} of {}",
                                  item.span.begin, item.span.end, item.key),
                      "leave --fps out: another rate would move the parts");
        work.videos.push_back({source.video.lexically_relative(root).string(), source.video});
      }
    }
  if (work.videos.empty())
    throw Error(ErrorKind::data, root.string(), "no videos: expected items that are videos, got none");
  work.copies = annotations_of(root, run.output);
  return work;
}

TranscodeReport transcode_files(const TranscodeWork& work, const TranscodeRun& run) {
  TranscodeLedger ledger(run.output, settings_text(run.options));
  remove_leftovers(run.output);
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
