#include "options.h"

#include <algorithm>
#include <map>

namespace kinema::resnet3d {
namespace {

using O = Resnet3dOptions;
using Strings = std::vector<std::string>;

std::string quoted(Block block) {
  switch (block) {
    case Block::basic3d:
      return "\"basic3d\"";
    case Block::mixed:
      return "\"mixed\"";
    case Block::factored:
      return "\"2plus1d\"";
    case Block::preact:
      return "\"preact\"";
    case Block::wide:
      return "\"wide\"";
    case Block::resnext:
      return "\"resnext\"";
  }
  return "";
}

std::string listed(const std::vector<Block>& blocks) {
  std::string text;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    text += (i == 0 ? "" : i + 1 < blocks.size() ? ", " : " or ") + quoted(blocks[i]);
  return text;
}

void expect_block(const O& o, const std::vector<Block>& known, const char* layout, Strings& wrong) {
  if (std::count(known.begin(), known.end(), o.block) == 0)
    wrong.push_back("wrong block: expected " + listed(known) + " with layout = \"" + layout + "\", got " +
                    quoted(o.block));
}

void torchvision_problems(const O& o, Strings& wrong) {
  expect_block(o, {Block::basic3d, Block::mixed, Block::factored}, "torchvision", wrong);
  if (o.depth > 34)
    wrong.push_back("wrong depth: expected 10, 18 or 34 with layout = \"torchvision\", got " +
                    std::to_string(o.depth));
  const O defaults;
  const std::pair<const char*, bool> given[] = {{"widen_factor", o.widen_factor != defaults.widen_factor},
                                                {"stem_frames", o.stem_frames != defaults.stem_frames},
                                                {"stem_stride", o.stem_stride != defaults.stem_stride},
                                                {"no_max_pool", o.no_max_pool != defaults.no_max_pool},
                                                {"shortcut", o.shortcut != defaults.shortcut},
                                                {"cardinality", o.cardinality != defaults.cardinality}};
  for (const auto& [name, is_given] : given)
    if (is_given)
      wrong.push_back(std::string(name) +
                      " has no effect: expected layout = \"hara\" with it, got \"torchvision\"");
}

void resnext_problems(const O& o, Strings& wrong) {
  for (const std::int64_t planes : planes_per_stage(o)) {
    const std::int64_t channels = grouped_channels(o, planes);
    if (channels > 0 && channels % o.cardinality == 0) continue;
    wrong.push_back("wrong cardinality: expected a divisor of the channels between 1x1x1 convolutions, " +
                    std::to_string(channels) + " in a stage of " + std::to_string(planes) + ", got " +
                    std::to_string(o.cardinality));
    return;
  }
}

void hara_problems(const O& o, Strings& wrong) {
  expect_block(o, {Block::basic3d, Block::factored, Block::preact, Block::wide, Block::resnext}, "hara",
               wrong);
  if (o.stem != Stem::basic)
    wrong.push_back(
        "stem has no effect: expected layout = \"torchvision\" with it, got \"hara\", whose stem goes with "
        "block");
  const bool wide = o.block == Block::wide || o.block == Block::resnext;
  if (wide && o.depth < 50)
    wrong.push_back("wrong depth: expected 50, 101, 152 or 200 with block = " + quoted(o.block) + ", got " +
                    std::to_string(o.depth));
  if (o.cardinality != O{}.cardinality && o.block != Block::resnext)
    wrong.push_back("cardinality has no effect: expected block = \"resnext\" with it, got " +
                    quoted(o.block));
  const std::vector<std::int64_t> planes = planes_per_stage(o);
  if (std::count(planes.begin(), planes.end(), 0) > 0)
    wrong.push_back("wrong widen_factor: expected one that leaves channels of width = " +
                    std::to_string(o.width) + ", got " + std::to_string(o.widen_factor));
  else if (o.block == Block::resnext)
    resnext_problems(o, wrong);
}

}  // namespace

std::vector<std::int64_t> blocks_per_stage(const O& o) {
  if (!o.blocks.empty()) return o.blocks;
  const std::map<std::int64_t, std::vector<std::int64_t>> by_depth = {
      {10, {1, 1, 1, 1}},   {18, {2, 2, 2, 2}},   {34, {3, 4, 6, 3}},   {50, {3, 4, 6, 3}},
      {101, {3, 4, 23, 3}}, {152, {3, 8, 36, 3}}, {200, {3, 24, 36, 3}}};
  return by_depth.at(o.depth);
}

std::vector<std::int64_t> planes_per_stage(const O& o) {
  std::vector<std::int64_t> planes;
  for (std::size_t s = 0; s < blocks_per_stage(o).size(); ++s)
    planes.push_back(static_cast<std::int64_t>(static_cast<double>(o.width << s) * o.widen_factor));
  return planes;
}

std::int64_t grouped_channels(const O& o, std::int64_t planes) { return o.cardinality * planes / 32; }

bool has_bottlenecks(const O& o) { return o.depth >= 50; }

std::vector<std::string> problems_of(const O& o) {
  Strings wrong;
  if (o.blocks.size() > 4)
    return {"too many stages: expected 1 to 4 numbers in blocks, got " + std::to_string(o.blocks.size())};
  if (o.layout == Layout::torchvision)
    torchvision_problems(o, wrong);
  else
    hara_problems(o, wrong);
  return wrong;
}

}  // namespace kinema::resnet3d
