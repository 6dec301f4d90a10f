#include "framework/config/clip_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/config/merge.h"
#include "framework/config/sections.h"
#include "framework/config/toml_limits.h"

namespace kinema::config {
namespace {

// short_side = 256 is short for [256].
void wrap_short_side(Value& table) {
  Value* side = table.find("short_side");
  if (!side || !side->is(Value::Type::integer)) return;
  const Origin origin = side->origin;
  Value list(Value::Array{*side});
  list.origin = origin;
  *side = std::move(list);
}

void check_table(Value& table, const std::string& path, std::vector<Problem>& problems) {
  wrap_short_side(table);
  clip_table().parse(table, nullptr, nullptr, path, problems);
  check_exclusive(table, path, "resize", "short_side", problems);
}

Value overridden(const Value& common, const Value* use) {
  Value result = common;
  if (!use) return result;
  if (use->find("resize")) result.erase("short_side");
  if (use->find("short_side")) result.erase("resize");
  merge_into(result, *use);
  return result;
}

}  // namespace

void check_exclusive(const Value& table, const std::string& path, const std::string& first,
                     const std::string& second, std::vector<Problem>& problems) {
  if (!table.find(first) || !table.find(second)) return;
  // At the later one, which is the one that was probably added.
  const auto place = [&](const std::string& key) {
    const auto& entries = table.as_table();
    return std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.key == key; });
  };
  const auto& later = place(first) < place(second) ? place(second) : place(first);
  problems.push_back(problem_at(
      later->key_origin, path + "." + later->key,
      fmt::format("exclusive keys: expected {} or {}, got both", first, second),
      fmt::format("`~{0}.{1}` or `~{0}.{2}` on the command line removes one", path, first, second)));
}

void merge_clip_section(Value& file, std::vector<Problem>& problems) {
  Value* clip = file.find("clip");
  if (!clip || !clip->is(Value::Type::table)) return;
  const std::size_t known = problems.size();
  Value common = *clip;
  common.erase("train");
  common.erase("eval");
  check_table(common, "clip", problems);
  for (const char* use : {"train", "eval"})
    if (Value* table = clip->find(use)) check_table(*table, std::string("clip.") + use, problems);
  if (problems.size() != known) {
    file.erase("clip");
    return;
  }
  Value merged = Value::table();
  merged.origin = clip->origin;
  for (const char* use : {"train", "eval"}) merged.set(use, overridden(common, clip->find(use)));
  *clip = std::move(merged);
}

void check_clip(const ClipOptions& clip, const Value& table, std::vector<Problem>& problems) {
  const auto& sides = clip.resize.empty() ? clip.short_side : clip.resize;
  if (sides.empty()) return;
  const std::int64_t smallest = *std::min_element(sides.begin(), sides.end());
  if (clip.crop <= smallest) return;
  const Value* crop = table.find("crop");
  const char* from = clip.resize.empty() ? "short_side" : "resize";
  if (!crop) crop = table.find(from);
  problems.push_back(problem_at(
      crop ? crop->origin : table.origin, "clip.crop",
      fmt::format("crop does not fit: expected at most {}, the smallest side that {} leaves, got {}",
                  smallest, from, clip.crop)));
}

}  // namespace kinema::config
