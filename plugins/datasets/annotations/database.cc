#include "annotations/database.h"

#include <algorithm>
#include <set>

#include "annotations/json.h"
#include "kinema/suggest.h"

namespace kinema::annotations {
namespace {

class Reader {
 public:
  Reader(const std::filesystem::path& file, const DatabaseOptions& options)
      : options_(options), complaints_(file), json_(read_json(file, {"a json file of annotations", {}})) {}

  Database read() {
    const Value* videos = json_.find("database");
    if (!videos) videos = &json_;
    if (!videos->is(Value::Type::table)) {
      complaints_.add(line_of(*videos), "no table of videos: expected {\"database\": {...}}, got " +
                                            std::string(Value::type_name(videos->type())));
      complaints_.report();
    }
    if (const Value* labels = json_.find("labels"); labels && videos != &json_) read_classes(*labels);
    for (const Value::Entry& video : videos->as_table()) read_video(video.key, video.value);
    check_subset();
    complaints_.report();
    return std::move(database_);
  }

 private:
  static std::size_t line_of(const Value& value) {
    return static_cast<std::size_t>(std::max(0, value.origin.line));
  }
  void read_classes(const Value& labels) {
    if (!labels.is(Value::Type::array))
      return complaints_.add(line_of(labels), "no class names: expected a list in \"labels\", got " +
                                                  std::string(Value::type_name(labels.type())));
    std::set<std::string> seen;
    for (const Value& label : labels.as_array()) {
      const auto name = text_of(&label);
      if (!name)
        complaints_.add(line_of(label), "not a class name: expected a string, got " + label.text());
      else if (!seen.insert(*name).second)
        complaints_.add(line_of(label),
                        "repeated class: expected each name once, got \"" + *name + "\" twice");
      database_.classes.push_back(name.value_or(""));
    }
  }
  void read_video(const std::string& id, const Value& video) {
    if (!video.is(Value::Type::table))
      return complaints_.add(line_of(video), "not a video: expected a table for \"" + id + "\", got " +
                                                 std::string(Value::type_name(video.type())));
    if (const auto subset = text_of(video.find("subset"))) {
      subsets_.insert(*subset);
      if (options_.subset && *subset != *options_.subset) return;
    }
    Segment segment;
    segment.video = id;
    segment.path = text_of(video.find("video_path")).value_or("");
    segment.line = video.origin.line;
    const Value* annotations = video.find("annotations");
    if (annotations && annotations->is(Value::Type::table)) {
      read_segment(*annotations, SegmentUnit::frames, segment);
    } else if (annotations && annotations->is(Value::Type::array) && !annotations->as_array().empty()) {
      for (const Value& each : annotations->as_array()) read_segment(each, SegmentUnit::seconds, segment);
    } else {
      ++database_.unlabelled;
    }
  }
  void read_segment(const Value& annotation, SegmentUnit usual, Segment segment) {
    segment.line = annotation.origin.line;
    segment.label = text_of(annotation.find("label")).value_or("");
    const Value* range = annotation.find("segment");
    if (segment.label.empty() && !range) {  // 3D-ResNets writes an empty table for a test video
      ++database_.unlabelled;
      return;
    }
    if (segment.label.empty())
      return complaints_.add(line_of(annotation), "no label: expected a class name of a segment of \"" +
                                                      segment.video + "\", got " + annotation.text());
    if (range && !options_.whole_videos && !read_span(*range, usual, segment)) return;
    database_.segments.push_back(std::move(segment));
  }
  // False when the segment cannot be used.
  bool read_span(const Value& range, SegmentUnit usual, Segment& segment) {
    const bool pair = range.is(Value::Type::array) && range.as_array().size() == 2;
    const auto begin = pair ? number_of(&range.as_array()[0]) : std::nullopt;
    const auto end = pair ? number_of(&range.as_array()[1]) : std::nullopt;
    if (!begin || !end || *begin < 0 || *end < *begin) {
      complaints_.add(line_of(range), "not a segment: expected [begin, end] of \"" + segment.video +
                                          "\" with 0 <= begin <= end, got " + range.text());
      return false;
    }
    if (*end == *begin) {
      ++database_.empty;
      return false;
    }
    const SegmentUnit unit = options_.unit == SegmentUnit::detect ? usual : options_.unit;
    segment.span = unit == SegmentUnit::seconds
                       ? Span{Span::Unit::seconds, *begin, *end}
                       : Span{Span::Unit::frames, std::max(0.0, *begin - 1), *end - 1};
    return true;
  }
  void check_subset() {
    if (!options_.subset || subsets_.empty() || subsets_.contains(*options_.subset)) return;
    const std::vector<std::string> names(subsets_.begin(), subsets_.end());
    complaints_.add(0,
                    "unknown subset: expected " + one_of_text(names) + ", got \"" + *options_.subset + "\"",
                    did_you_mean(*options_.subset, names));
  }

  const DatabaseOptions& options_;
  Complaints complaints_;
  Value json_;
  Database database_;
  std::set<std::string> subsets_;
};

}  // namespace

Database read_database(const std::filesystem::path& file, const DatabaseOptions& options) {
  return Reader(file, options).read();
}

}  // namespace kinema::annotations
