#include "framework/data/bad_videos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "kinema/error.h"
#include "kinema/random.h"

namespace kinema::data {
namespace {

// One field of a line: a name with a tab or a line end may not break the table.
std::string field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

Replacements::Replacements(std::shared_ptr<const Dataset> dataset, std::uint64_t seed)
    : dataset_(std::move(dataset)), seed_(seed) {}

void Replacements::index_classes() const {
  label_.clear();
  of_class_.clear();
  for (std::size_t i = 0; i < dataset_->size(); ++i) {
    // An item that cannot even be described has no class.
    try {
      label_.push_back(dataset_->item(i).target.label);
    } catch (const Error&) {
      label_.push_back(-1);
    }
    of_class_[label_.back()].push_back(i);
  }
}

std::size_t Replacements::candidate(std::uint64_t epoch, std::size_t index, int attempt) const {
  std::call_once(indexed_, [this] { index_classes(); });
  Random random(seed_, epoch, index, "replacement");
  for (int i = 0; i < attempt; ++i) random.bits();
  const std::vector<std::size_t>& same = of_class_.at(label_.at(index));
  const bool within = attempt < kSameClass && same.size() > 1;
  const std::size_t count = within ? same.size() : label_.size();
  if (count < 2) return index;
  // One of the others, each as likely: skip over the bad one.
  const std::size_t drawn = random.below(count - 1);
  if (!within) return drawn + (drawn >= index ? 1 : 0);
  const auto self =
      static_cast<std::size_t>(std::lower_bound(same.begin(), same.end(), index) - same.begin());
  return same[drawn + (drawn >= self ? 1 : 0)];
}

void Replacements::quarantine(std::size_t index) {
  const std::lock_guard lock(mutex_);
  quarantined_.insert(index);
}

bool Replacements::quarantined(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  return quarantined_.contains(index);
}

BadVideoLedger::BadVideoLedger(std::optional<std::filesystem::path> file) : file_(std::move(file)) {}

bool BadVideoLedger::add(const BadVideo& video) {
  if (!known_.try_emplace({video.index, video.path}, true).second) return false;
  entries_.push_back(video);
  if (!file_) return true;
  std::error_code unreadable;  // writing says why
  const bool fresh = !std::filesystem::exists(*file_, unreadable);
  std::string text = fresh ? "epoch\tindex\tkey\tpath\treason\n" : "";
  text += fmt::format("{}\t{}\t{}\t{}\t{}\n", video.epoch, video.index, field(video.key), field(video.path),
                      field(video.reason));
  std::ofstream out(*file_, std::ios::app | std::ios::binary);
  // One write a line: several ranks may share the file.
  out.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  if (!out)
    throw Error(
        ErrorKind::run, file_->string(),
        fmt::format("cannot write the list of bad videos: expected a file that takes lines, got \"{}\"",
                    std::strerror(errno)),
        "is the disk full?");
  return true;
}

void check_bad_fraction(const std::vector<BadVideo>& bad, std::int64_t seen, double max_fraction) {
  constexpr std::size_t kShown = 20;
  if (bad.empty() || static_cast<double>(bad.size()) <= max_fraction * static_cast<double>(seen)) return;
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < std::min(bad.size(), kShown); ++i)
    problems.push_back({bad[i].path.empty() ? bad[i].key : bad[i].path, bad[i].reason, {}, {}});
  problems.push_back(
      {"training data",
       fmt::format("too many videos cannot be read: expected at most {:g} of the items, got {} of {}{}",
                   max_fraction, bad.size(), seen,
                   bad.size() > kShown ? fmt::format(" (the first {} are above)", kShown) : ""),
       "repair or remove them, or raise loader.max_bad_fraction",
       {}});
  throw Error(ErrorKind::data, std::move(problems));
}

}  // namespace kinema::data
