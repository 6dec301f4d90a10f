#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "annotations/classes.h"
#include "annotations/clips.h"
#include "annotations/flow.h"
#include "kinema/context.h"
#include "kinema/dataset.h"

namespace kinema::annotations {

// A data set that is a list of clips.
class ClipList final : public Dataset {
 public:
  struct Layout {
    std::filesystem::path root;
    double fps = 25;  // of pictures
    bool multi_label = false;
    FlowOptions flow;  // flow_root: the root where it is not said
  };
  ClipList(Layout layout, std::vector<std::string> classes, Clips clips);

  std::size_t size() const override { return clips_.size(); }
  std::vector<std::string> classes() const override { return classes_; }
  Item item(std::size_t index) const override;

 private:
  Layout layout_;
  std::vector<std::string> classes_;
  Clips clips_;
};

// Puts what the file says into the clips, which belong to the entries one by one: their single label, or with
// `multi_label` all of them. An entry with several labels without `multi_label` is a complaint.
void assign_labels(const WrittenLabels& written, const ResolvedLabels& resolved, bool multi_label,
                   Clips& clips, Complaints& complaints);

// What becomes of clips whose file or folder does not exist.
enum class Missing { skip, keep };

// skip: takes them out, says once how many there are and the first names, and gives the host all of them.
// Throws Error(data) when none is left. `name` is the data set's, for the message.
void treat_missing(Missing missing, const std::filesystem::path& root, const std::string& name,
                   Context& context, Clips& clips);

// The names of the option `missing`.
std::vector<std::pair<std::string, Missing>> missing_names();

// What a file says, entry by entry.
struct Listing {
  Clips clips;
  WrittenLabels written;  // of each clip
  void add(std::size_t line, std::span<const std::string_view> labels, const Clip& clip);
  void add(std::size_t line, const std::vector<std::string>& labels, const Clip& clip);
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
