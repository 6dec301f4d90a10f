#include "options.h"

#include <string_view>

namespace kinema::i3d {
namespace {

using O = I3dOptions;

struct OwnOption {
  const char* name;
  std::string_view layouts;  // where it counts
  bool (*changed)(const O& o, const O& defaults);
};

template <auto kMember>
constexpr auto kDiffers = [](const O& o, const O& defaults) { return o.*kMember != defaults.*kMember; };

constexpr std::string_view kResnets = "\"resnet\" or \"mmaction2\"";

const OwnOption kOwnOptions[] = {
    {"depth", kResnets, kDiffers<&O::depth>},
    {"blocks", kResnets, kDiffers<&O::blocks>},
    {"nonlocal", kResnets, kDiffers<&O::nonlocal>},
    {"nonlocal_blocks", kResnets, kDiffers<&O::nonlocal_blocks>},
    {"nonlocal_pool", kResnets, kDiffers<&O::nonlocal_pool>},
    {"zero_init_last_norm", kResnets, kDiffers<&O::zero_init_last_norm>},
    {"pool_frames", kResnets, kDiffers<&O::pool_frames>},
    {"detection", "\"resnet\"", kDiffers<&O::detection>},
    {"crop", "\"resnet\"", kDiffers<&O::crop>},
    {"adaptive_pool", "\"inception\"", kDiffers<&O::adaptive_pool>},
};

std::string_view name_of(Layout layout) {
  if (layout == Layout::inception) return "\"inception\"";
  return layout == Layout::mmaction2 ? "\"mmaction2\"" : "\"resnet\"";
}

}  // namespace

std::vector<std::string> idle_options(const I3dOptions& o) {
  static const O defaults;
  std::vector<std::string> wrong;
  for (const OwnOption& own : kOwnOptions)
    if (own.layouts.find(name_of(o.layout)) == std::string_view::npos && own.changed(o, defaults))
      wrong.push_back(std::string(own.name)
                          .append(" has no effect: expected it only with layout = ")
                          .append(own.layouts));
  return wrong;
}

}  // namespace kinema::i3d
