#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "annotations/classes.h"
#include "annotations/flow.h"
#include "kinema/context.h"
#include "kinema/dataset.h"

namespace kinema::annotations {

// One item of a list, small: a large data set has half a million of them.
struct Clip {
  std::string path;                  // relative to the root: a video, or a folder of pictures
  std::string pictures;              // their names in that folder, "img_%05d.jpg"; empty: `path` is a video
  std::int64_t first_number = 1;     // of the pictures
  bool first_given = false;          // by the annotations: a part of the pictures may be meant
  double fps = 0;                    // of the pictures; 0: the list's
  std::int64_t label = -1;           // one class; -1: none
  std::vector<std::int64_t> labels;  // of a list with several labels an item
  std::vector<TimedLabel> timed;
  std::vector<LabelledBox> boxes;
  Span span;
  float weight = 1;
  std::string key;   // empty: the path
  std::string flow;  // folder of its optical flow, relative to the flow's root; empty: none
  std::int64_t flow_first_number = 1;
};

// A data set that is a list of clips.
class ClipList final : public Dataset {
 public:
  struct Layout {
    std::filesystem::path root;
    double fps = 25;  // of pictures
    bool multi_label = false;
    FlowOptions flow;  // flow_root: the root where it is not said
  };
  ClipList(Layout layout, std::vector<std::string> classes, std::vector<Clip> clips);

  std::size_t size() const override { return clips_.size(); }
  std::vector<std::string> classes() const override { return classes_; }
  Item item(std::size_t index) const override;

 private:
  Layout layout_;
  std::vector<std::string> classes_;
  std::vector<Clip> clips_;
};

// Puts what the file says into the clips, which belong to the entries one by one: their single label, or with
// `multi_label` all of them. An entry with several labels without `multi_label` is a complaint.
void assign_labels(const std::vector<WrittenLabels>& entries, const ResolvedLabels& resolved,
                   bool multi_label, std::vector<Clip>& clips, Complaints& complaints);

// What becomes of clips whose file or folder does not exist.
enum class Missing { skip, keep };

// skip: takes them out, says once how many there are and the first names, and gives the host all of them.
// Throws Error(data) when none is left. `name` is the data set's, for the message.
void treat_missing(Missing missing, const std::filesystem::path& root, const std::string& name,
                   Context& context, std::vector<Clip>& clips);

// The names of the option `missing`.
std::vector<std::pair<std::string, Missing>> missing_names();

// What a file says, entry by entry.
struct Listing {
  std::vector<Clip> clips;
  std::vector<WrittenLabels> written;  // of each clip
  void add(std::size_t line, std::vector<std::string> labels, Clip clip);
};

// How a listing becomes a data set.
struct ListRules {
  std::string name;  // of the data set, for warnings
  ClipList::Layout layout;
  LabelRules labels;
  Missing missing = Missing::skip;     // of rgb
  std::string entry = "`path label`";  // what a line should be, for an empty file
};

// Labels are resolved, complaints are thrown, remarks are said, missing files are treated. Throws Error(data)
// also for an empty list and for one without any label where the classes are not given.
std::shared_ptr<Dataset> make_clip_list(Listing listing, const ListRules& rules, Complaints& complaints,
                                        Context& context);

}  // namespace kinema::annotations
