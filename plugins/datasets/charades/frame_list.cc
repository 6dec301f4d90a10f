#include "frame_list.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>

#include "annotations/paths.h"
#include "annotations/text_file.h"

namespace kinema::charades {
namespace {

using namespace annotations;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// "46GP8/46GP8-000001.jpg" -> folder "46GP8", pictures "46GP8-%06d.jpg", number 1. Nothing without a number.
// A number without leading zeros is taken as not padded.
struct Picture {
  std::string folder, before, after;
  std::size_t digits = 1;
  std::int64_t number = 0;

  std::string pictures() const {
    return before + (digits > 1 ? "%0" + std::to_string(digits) + "d" : "%d") + after;
  }
  std::string path(std::int64_t at) const {
    std::string text = std::to_string(at);
    text.insert(0, digits - std::min(digits, text.size()), '0');
    return (folder.empty() ? "" : folder + "/") + before + text + after;
  }
};
std::optional<Picture> picture_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  std::size_t begin = dot;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  const auto number = as_integer(name.substr(begin, dot - begin));
  if (!number || name.find('%') != std::string::npos) return std::nullopt;
  return Picture{slash == std::string::npos ? "" : path.substr(0, slash), name.substr(0, begin),
                 name.substr(dot), name[begin] == '0' ? dot - begin : 1, *number};
}

// "12,40" in quotes of any number; nothing for what is no class.
std::optional<std::vector<std::int64_t>> labels_of(std::string text, std::int64_t classes) {
  std::erase(text, '"');
  std::vector<std::int64_t> labels;
  if (text.empty()) return labels;
  for (const std::string& each : split(text, ',')) {
    const auto label = as_integer(each);
    if (!label || *label < 0 || *label >= classes) return std::nullopt;
    labels.push_back(*label);
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

class Reader {
 public:
  Reader(const std::filesystem::path& file, std::int64_t classes) : complaints_(file), classes_(classes) {}

  void read(const Line& line) {
    const std::vector<std::string> fields = words(line.text);
    if (fields[0].starts_with("original_vi")) return;
    if (fields.size() != 5) {
      complaints_.add(line.number,
                      "not a frame: expected `video id frame path \"labels\"`, got \"" + line.text + "\"");
      return;
    }
    const auto labels = labels_of(fields[4], classes_);
    if (!labels) {
      complaints_.add(line.number, "bad labels: expected class numbers 0 to " + std::to_string(classes_ - 1) +
                                       " with commas, got " + fields[4]);
    } else if (const std::string why = refused(fields[3]); !why.empty()) {
      complaints_.add(line.number, why);
    } else {
      add(line.number, fields[0], fields[3], *labels);
    }
  }
  std::vector<Video> finish() {
    complaints_.report();
    return std::move(videos_);
  }

 private:
  void add(std::size_t line, const std::string& id, const std::string& path,
           std::vector<std::int64_t> labels) {
    const auto [at, is_new] = of_id_.try_emplace(id, videos_.size());
    if (is_new) {
      const auto first = picture_of(path);
      if (!first) {
        complaints_.add(line, "not a numbered picture: expected a number before the extension, got " + path);
        of_id_.erase(at);
        return;
      }
      first_.push_back(*first);
      videos_.push_back({id, first->folder, first->pictures(), first->number, 0, {}, line});
    }
    Video& video = videos_[at->second];
    const std::string expected = first_[at->second].path(video.first_number + video.count);
    if (path != expected)
      complaints_.add(line,
                      "pictures of " + id + " are not in order: expected " + expected + ", got " + path);
    // Neighbours with the same classes are one run: a list has millions of rows.
    if (video.runs.empty() || video.runs.back().labels != labels)
      video.runs.push_back({video.count, video.count, std::move(labels)});
    video.runs.back().end = ++video.count;
  }

  Complaints complaints_;
  std::int64_t classes_;
  std::vector<Video> videos_;
  std::vector<Picture> first_;  // of each video
  std::unordered_map<std::string, std::size_t> of_id_;
};

}  // namespace

std::vector<Video> read_frame_list(const std::filesystem::path& file, std::int64_t classes) {
  Reader reader(file, classes);
  for_each_line(file, {"a list of frames", {}}, [&](const Line& line) { reader.read(line); });
  return reader.finish();
}

}  // namespace kinema::charades
