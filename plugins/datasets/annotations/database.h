#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "annotations/text_file.h"
#include "kinema/dataset.h"

// The json files of ActivityNet, of MMAction2 and of 3D-ResNets: one table of videos with their annotations.
namespace kinema::annotations {

// A labelled part of a video.
struct Segment {
  std::string video;  // the key of its table
  std::string path;   // "video_path" where the file gives one
  std::string label;  // empty: a video without label
  Span span;          // whole, seconds, or frames from 0
  int line = 0;
};

struct Database {
  std::vector<std::string> classes;  // of "labels"; empty: not given
  std::vector<Segment> segments;     // in the order of the file
  std::size_t unlabelled = 0;        // videos of the subset without any annotation, left out
  std::size_t empty = 0;             // segments that end where they begin, left out
};

enum class SegmentUnit { detect, seconds, frames };

struct DatabaseOptions {
  std::optional<std::string> subset;  // only videos with this "subset"; a file without subsets has them all
  SegmentUnit unit = SegmentUnit::detect;
  bool whole_videos = false;  // segments are not looked at
};

// Three shapes are recognised:
//   ActivityNet   {"database": {id: {"subset", "annotations": [{"label", "segment": [s, e]}]}}}    seconds
//   3D-ResNets    {"labels": [...], "database": {id: {"subset", "annotations": {"label", "segment": [b,
//   e]}}}}
//                 frames from 1, e excluded
//   MMAction2     {id: {"duration_second", "annotations": [{"label", "segment": [s, e]}]}}         seconds
// Throws Error(data) with the line of every bad entry.
Database read_database(const std::filesystem::path& file, const DatabaseOptions& options);

}  // namespace kinema::annotations
