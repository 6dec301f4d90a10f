#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kinema/context.h"
#include "kinema/options.h"

// Optical flow beside the videos or pictures of a data set: pairs of numbered grey pictures.
namespace kinema::annotations {

class Clips;

// Options that data sets share which may bring optical flow; theirs are derived from it.
struct FlowOptions {
  std::vector<std::string> modalities = {"rgb"};
  std::optional<std::filesystem::path> flow_root;
  std::string flow_x = "flow_x_%05d.jpg", flow_y = "flow_y_%05d.jpg";

  bool rgb() const;
  bool flow() const;
};

template <class O>
Options<O>& add_flow_options(Options<O>& options) {
  using F = FlowOptions;
  const auto own = []<class M>(M F::*member) -> M O::* { return member; };
  return options
      .add("modalities", own(&F::modalities), "what a clip is made of: rgb, flow or both", not_empty(),
           each(one_of("rgb", "flow")))
      .add("flow_root", own(&F::flow_root),
           "folder with the optical flow, a folder for each video under its path or its path without "
           "extension; "
           "default: root")
      .add("flow_x", own(&F::flow_x), "names of the pictures of motion to the right")
      .add("flow_y", own(&F::flow_y), "names of the pictures of motion down");
}

// Adds what is wrong with the options as a whole, for the data set `name`.
void check_flow(const FlowOptions& options, const std::string& name, std::vector<Problem>& problems);

// The pairs in one folder: the smallest number and how many there are without a gap in both. Nothing where
// one of them is missing.
struct FlowRow {
  std::int64_t first_number = 0;
  std::int64_t count = 0;
};
std::optional<FlowRow> look_for_flow(const std::filesystem::path& folder, const FlowOptions& options);

// Finds the flow of each clip where the options want it. Clips without are left out, which is said with their
// number and the first names. Throws Error(data) when none is left. `root` is the data set's.
void add_flow(const FlowOptions& options, const std::filesystem::path& root, const std::string& name,
              Context& context, Clips& clips);

}  // namespace kinema::annotations
