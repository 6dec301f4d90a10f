#include "annotations/paths.h"
#include "scan.h"

namespace kinema::video_folder {

using namespace annotations;

Found read_list(const std::filesystem::path& list, const ScanOptions& options) {
  Complaints complaints(list);
  std::vector<WrittenLabels> written;
  std::vector<Clip> clips;
  for_each_line(list, {}, [&](const Line& line) {
    const std::string text = trimmed(line.text);
    const std::string label = words(text).back();
    const std::string path = trimmed(text.substr(0, text.size() - label.size()));
    if (path.empty()) {
      complaints.add(line.number, "no label: expected `path label`, got \"" + text + "\"");
    } else if (const std::string why = refused(path, options.allow_absolute); !why.empty()) {
      complaints.add(line.number, why, "allow_absolute = true permits it");
    } else {
      written.push_back({line.number, {label}});
      clips.push_back({.path = path});
    }
  });
  if (clips.empty() && !complaints.any())
    complaints.add(0, "an empty list: expected lines of `path label`, got none");
  ResolvedLabels resolved = resolve_labels(written, {.classes = options.classes}, complaints);
  assign_labels(written, resolved, false, clips, complaints);
  complaints.report();
  return {std::move(resolved.classes), std::move(clips), std::move(resolved.remark)};
}

}  // namespace kinema::video_folder
