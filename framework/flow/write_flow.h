#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "framework/flow/plane.h"
#include "framework/media/grey_picture.h"
#include "kinema/dataset.h"

namespace kinema::flow {

enum class Method { tv_l1, farneback };

struct FlowOptions {
  Method method = Method::tv_l1;
  double bound = 20;   // pixels that the bytes 0 and 255 stand for
  int short_side = 0;  // of the frames that are looked at; 0: as they are
  media::PictureFormat format = media::PictureFormat::jpeg;
};

// round(127.5 + pixels / bound * 127.5), cut off at 0 and 255; standing still is 128.
std::vector<std::uint8_t> to_bytes(const Plane& plane, double bound);

// The picture of a pair, from 1 on: "flow_x_00001.jpg" for axis 'x'.
std::string picture_name(char axis, std::int64_t number, media::PictureFormat format);

// Writes the flow of a video into a folder: flow_x_00001.jpg and flow_y_00001.jpg are the motion from the
// first frame to the second, and so on; one pair fewer than there are frames. The folder is there when all of
// it is: until then it is called .NAME.partial, which a later call begins anew. Frames are looked at in grey
// (BT.601). The bytes do not depend on `threads`. `pair_done` is called from any of them, one at a time.
// Returns the number of pairs. Throws Error(data) for a video that cannot be read or has a single frame,
// Error(run) where nothing can be written.
std::int64_t write_flow(const Source& source, const std::filesystem::path& folder, const FlowOptions& options,
                        int threads, const std::function<void()>& pair_done);

}  // namespace kinema::flow
