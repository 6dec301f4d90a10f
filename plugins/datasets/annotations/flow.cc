#include "annotations/flow.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "annotations/clips.h"
#include "annotations/paths.h"
#include "annotations/pictures.h"

namespace kinema::annotations {
namespace {

bool has(const std::vector<std::string>& list, const char* name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// How many pictures lie before the clip's first.
std::int64_t skipped(const Clip& clip, const std::filesystem::path& folder) {
  if (!clip.first_given) return 0;
  const auto row = look_for_pictures(folder, clip.pictures);
  return row ? clip.first_number - row->first_number : 0;
}

// Under the path of the video, or under its path without extension. True where it is there but lacks more
// than the last of the clip's pictures.
bool find_flow(const FlowOptions& options, const std::filesystem::path& root, Clip& clip,
               const std::filesystem::path& pictures) {
  std::vector<std::string> folders = {clip.path};
  if (has_extension(clip.path, video_extensions()))
    folders.push_back(std::filesystem::path(clip.path).replace_extension().string());
  for (const std::string& folder : folders) {
    std::error_code ignored;  // what is no folder has no flow
    if (!std::filesystem::is_directory(root / folder, ignored)) continue;
    const auto row = look_for_flow(root / folder, options);
    if (!row) continue;
    clip.flow = folder;
    const bool own_numbers = clip.first_given && !options.rgb();
    clip.flow_first_number = own_numbers ? clip.first_number : row->first_number + skipped(clip, pictures);
    return !clip.first_given && clip.span.unit == Span::Unit::frames &&
           clip.span.end - static_cast<double>(row->count) > 1;
  }
  return false;
}

constexpr std::size_t kShown = 5;

std::string first_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
  return text + (names.size() > kShown ? ", ..." : "");
}

}  // namespace

bool FlowOptions::rgb() const { return has(modalities, "rgb"); }
bool FlowOptions::flow() const { return has(modalities, "flow"); }

void check_flow(const FlowOptions& options, const std::string& name, std::vector<Problem>& problems) {
  std::set<std::string> seen;
  for (const std::string& modality : options.modalities)
    if (!seen.insert(modality).second)
      problems.push_back(
          {name, "repeated modality: expected each once, got \"" + modality + "\" twice", {}, {}});
  for (const std::string& pattern : {options.flow_x, options.flow_y})
    if (!names_one_number(pattern))
      problems.push_back(
          {name,
           "not a name of numbered pictures: expected one %d or %05d in it, got \"" + pattern + "\"",
           "%% is a percent sign",
           {}});
  if (options.flow_x == options.flow_y)
    problems.push_back(
        {name,
         "one picture for both directions: expected two names, got \"" + options.flow_x + "\" twice",
         {},
         {}});
  if (options.flow_root && !options.flow())
    problems.push_back({name,
                        "a key without effect: expected \"flow\" in modalities beside flow_root, got none",
                        "modalities = [\"rgb\", \"flow\"]",
                        {}});
}

std::optional<FlowRow> look_for_flow(const std::filesystem::path& folder, const FlowOptions& options) {
  const auto right = look_for_pictures(folder, options.flow_x);
  const auto down = right ? look_for_pictures(folder, options.flow_y) : std::nullopt;
  if (!down || right->first_number != down->first_number) return std::nullopt;
  return FlowRow{right->first_number, std::min(right->count, down->count)};
}

void add_flow(const FlowOptions& options, const std::filesystem::path& root, const std::string& name,
              Context& context, Clips& clips) {
  if (!options.flow() || clips.empty()) return;
  const std::filesystem::path flow_root = options.flow_root.value_or(root);
  check_folder(flow_root, "the folder of the optical flow", "`kinema data flow` makes one");
  std::vector<std::string> cut, gone;
  const std::size_t all = clips.size();
  std::vector<bool> found(all);
  clips.change([&](std::size_t i, Clip& clip) {
    if (clip.flow.empty() && find_flow(options, flow_root, clip, root / clip.path)) cut.push_back(clip.path);
    found[i] = !clip.flow.empty();
    if (!found[i]) gone.push_back(clip.path);
  });
  const std::string of_all = " of " + std::to_string(all) + " items ";
  const std::string pair = options.flow_x + " and " + options.flow_y;
  if (gone.size() == all)
    throw Error(ErrorKind::data, flow_root.string(),
                "none of the " + std::to_string(all) + " items has optical flow: expected " + pair + " for " +
                    gone.front() + ", got none",
                "`kinema data flow` makes it; flow_root is where, flow_x and flow_y are how the pictures are "
                "called");
  clips.keep_if([&](std::size_t i) { return found[i]; });
  if (!gone.empty())
    context.warn(name + ": " + std::to_string(gone.size()) + of_all + "have no optical flow (" + pair +
                 ") and are left out: " + first_of(gone));
  if (!cut.empty())
    context.warn(name + ": " + std::to_string(cut.size()) + of_all +
                 "have optical flow for a part of their frames, the others are not used: " + first_of(cut));
}

}  // namespace kinema::annotations
