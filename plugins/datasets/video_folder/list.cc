#include "annotations/paths.h"
#include "scan.h"

namespace kinema::video_folder {

using namespace annotations;

Found read_list(const std::filesystem::path& list, const ScanOptions& options) {
  Complaints complaints(list);
  WrittenLabels written;
  Clips clips;
  std::vector<std::string_view> fields;
  Clip clip;
  for_each_line(list, {}, [&](const Line& line) {
    const std::string_view text = trim(line.text);
    words(text, fields);
    const std::string_view label = fields.back();
    const std::string_view path = trim(text.substr(0, text.size() - label.size()));
    if (path.empty()) {
      complaints.add(line.number, "no label: expected `path label`, got \"" + std::string(text) + "\"");
    } else if (const std::string why = refused(path, options.allow_absolute); !why.empty()) {
      complaints.add(line.number, why, "allow_absolute = true permits it");
    } else {
      written.add(line.number, {&label, 1});
      clip.path = path;
      clips.push_back(clip);
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
