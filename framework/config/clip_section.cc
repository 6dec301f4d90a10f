#include "framework/config/clip_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/config/merge.h"
#include "framework/config/sections.h"
#include "framework/config/toml_limits.h"

namespace kinema::config {
namespace {

const std::vector<std::string> kClipUses = {"train", "eval"};

// short_side = 256 is short for [256].
void wrap_short_side(Value& table) {
  Value* side = table.find("short_side");
  if (!side || !side->is(Value::Type::integer)) return;
  const Origin origin = side->origin;
  Value list(Value::Array{*side});
  list.origin = origin;
  *side = std::move(list);
}

// { "left" = "right" } is short for [["left", "right"]].
void list_flip_labels(Value& table) {
  Value* labels = table.find("flip_labels");
  if (!labels || !labels->is(Value::Type::table)) return;
  Value::Array pairs;
  for (const Value::Entry& entry : labels->as_table()) {
    Value name(entry.key);
    name.origin = entry.key_origin;
    pairs.emplace_back(Value::Array{std::move(name), entry.value});
    pairs.back().origin = entry.key_origin;
  }
  const Origin origin = labels->origin;
  *labels = Value(std::move(pairs));
  labels->origin = origin;
}

void check_table(Value& table, const OptionTable& options, const std::string& path,
                 std::vector<Problem>& problems) {
  wrap_short_side(table);
  list_flip_labels(table);
  options.parse(table, nullptr, nullptr, path, problems);
  check_exclusive(table, path, "resize", "short_side", problems);
}

// The transforms of a use where the file lists them.
const Value* listed(const Value& file, const std::string& use) {
  const Value* transform = file.find("transform");
  const Value* list = transform && transform->is(Value::Type::table) ? transform->find(use) : nullptr;
  return list && list->is(Value::Type::array) ? list : nullptr;
}

// What a key of a use says: its own table, else [clip]; empty: nothing.
std::string said_choice(const Value& file, const std::string& use, const std::string& key) {
  const Value* clip = file.find("clip");
  const Value* own = clip ? clip->find(use) : nullptr;
  const Value* value = own ? own->find(key) : nullptr;
  if (!value && clip) value = clip->find(key);
  return value && value->is(Value::Type::string) ? value->as_string() : std::string();
}

Problem without_effect(const Value::Entry& entry, const std::string& table,
                       const std::vector<std::string>& lists) {
  std::string names;
  for (const std::string& list : lists)
    names += (names.empty() ? "[[transform." : " and [[transform.") + list + "]]";
  const std::string path = table + "." + entry.key;
  return problem_at(
      entry.key_origin, path,
      fmt::format("no effect: expected {} or its replacement {}, got both", entry.key, names),
      fmt::format("a transform of the list says it; `~{}` on the command line removes the key", path));
}

Problem idle(const Value::Entry& entry, const std::string& table, const std::string& reason) {
  const std::string path = table + "." + entry.key;
  return problem_at(entry.key_origin, path,
                    fmt::format("no effect: expected {} or {}, got both", entry.key, reason),
                    fmt::format("`~{}` on the command line removes the key", path));
}

// Each key of [clip], [clip.train] and [clip.eval] must act somewhere.
void check_effect(const Value& file, const Value& common, std::vector<Problem>& problems) {
  const Value& clip = *file.find("clip");
  for (const std::string& use : kClipUses) {
    const Value* table = clip.find(use);
    if (!table) continue;
    const auto idle_keys = idle_beside_sampling(file, use);
    for (const Value::Entry& entry : table->as_table()) {
      if (replaced_by_transforms(file, use).contains(entry.key))
        problems.push_back(without_effect(entry, "clip." + use, {use}));
      if (const auto found = idle_keys.find(entry.key); found != idle_keys.end())
        problems.push_back(idle(entry, "clip." + use, found->second));
    }
  }
  for (const Value::Entry& entry : common.as_table()) {
    std::vector<std::string> lists;
    std::string reason;
    bool acts = false;
    for (const std::string& use : kClipUses) {
      if (!clip_table(use).find(entry.key)) continue;
      const bool replaced = replaced_by_transforms(file, use).contains(entry.key);
      const auto idle_keys = idle_beside_sampling(file, use);
      const auto found = idle_keys.find(entry.key);
      if (replaced) lists.push_back(use);
      if (found != idle_keys.end()) reason = found->second;
      acts = acts || (!replaced && found == idle_keys.end());
    }
    if (acts) continue;
    problems.push_back(reason.empty() ? without_effect(entry, "clip", lists) : idle(entry, "clip", reason));
  }
}

// What [clip] says to one use.
Value share_of(const Value& file, const Value& common, const std::string& use) {
  const std::set<std::string> replaced = replaced_by_transforms(file, use);
  Value result = common;
  for (const Value::Entry& entry : common.as_table())
    if (!clip_table(use).find(entry.key) || replaced.contains(entry.key)) result.erase(entry.key);
  if (Value* side = result.find("short_side"); side && use == "eval") side->as_array().resize(1);
  return result;
}

Value overridden(Value result, const Value* use) {
  if (!use) return result;
  if (use->find("resize")) result.erase("short_side");
  if (use->find("short_side")) result.erase("resize");
  merge_into(result, *use);
  return result;
}

void check_crop(const ClipOptions& clip, const Value& table, std::vector<Problem>& problems) {
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

// The samplings that other projects' rules know, in words; kinema's knows all.
struct KnownSamplings {
  FrameRule rule;
  const char* name;
  std::set<Sampling> samplings;
  const char* text;
};
const std::vector<KnownSamplings>& known_samplings() {
  using enum Sampling;
  static const std::vector<KnownSamplings> all = {
      {FrameRule::pyslowfast, "pyslowfast", {random, uniform, segments}, "random, uniform or segments"},
      {FrameRule::pyslowfast_offset,
       "pyslowfast_offset",
       {random, uniform, segments},
       "random, uniform or segments"},
      {FrameRule::resnets3d, "3d_resnets", {random, center, uniform}, "random, center or uniform"}};
  return all;
}

void check_frames(const ClipOptions& clip, const std::string& use, const Value& table,
                  std::vector<Problem>& problems) {
  const auto place = [&](const char* key) {
    const Value* value = table.find(key);
    return value ? value->origin : table.origin;
  };
  for (const KnownSamplings& known : known_samplings())
    if (known.rule == clip.rule && clip.sampling && !known.samplings.contains(*clip.sampling))
      problems.push_back(
          problem_at(place("sampling"), "clip." + use + ".sampling",
                     fmt::format("not of this rule: expected {} beside rule = \"{}\", got \"{}\"", known.text,
                                 known.name, table.find("sampling")->as_string())));
  if (clip.sampling == Sampling::dense && clip.window < clip.frames)
    problems.push_back(
        problem_at(place("window"), "clip." + use + ".window",
                   fmt::format("window is too short: expected at least as many as frames, {}, got {}",
                               clip.frames, clip.window)));
}

}  // namespace

std::set<std::string> replaced_by_transforms(const Value& file, const std::string& use) {
  const Value* list = listed(file, use);
  if (!list) return {};
  std::set<std::string> keys = {"resize", "short_side", "crop", "flip"};
  for (const Value& transform : list->as_array())
    if (transform.is(Value::Type::table) && transform.find("type") &&
        *transform.find("type") == Value("normalise"))
      keys.insert({"mean", "std"});
  return keys;
}

std::map<std::string, std::string> idle_beside_sampling(const Value& file, const std::string& use) {
  const std::string sampling = said_choice(file, use, "sampling"), rule = said_choice(file, use, "rule");
  std::map<std::string, std::string> idle;
  if (rule == "3d_resnets") idle["fps"] = "rule = \"" + rule + "\"";
  if (!rule.empty() && rule != "kinema") idle["beyond"] = "rule = \"" + rule + "\"";
  if (sampling == "segments")
    for (const char* key : {"stride", "fps", "beyond"}) idle[key] = "sampling = \"segments\"";
  if (sampling == "dense")
    idle["stride"] = "sampling = \"dense\"";
  else
    idle["window"] = "another sampling than \"dense\"";
  return idle;
}

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
  check_table(common, clip_table(), "clip", problems);
  for (const std::string& use : kClipUses)
    if (Value* table = clip->find(use)) check_table(*table, clip_table(use), "clip." + use, problems);
  if (problems.size() == known) check_effect(file, common, problems);
  if (problems.size() != known) {
    file.erase("clip");
    return;
  }
  Value merged = Value::table();
  merged.origin = clip->origin;
  for (const std::string& use : kClipUses)
    merged.set(use, overridden(share_of(file, common, use), clip->find(use)));
  *clip = std::move(merged);
}

void check_clip(const ClipOptions& clip, const std::string& use, const Value& table,
                std::vector<Problem>& problems) {
  check_crop(clip, table, problems);
  check_frames(clip, use, table, problems);
}

}  // namespace kinema::config
