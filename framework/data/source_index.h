#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kinema/dataset.h"

namespace kinema::data {

// The files, rows of pictures and own pixels that items are made of, each once, in the order of first use.
class SourceIndex {
 public:
  // The place of a source in sources(); a new one is added.
  std::size_t number(const Source& source);
  const std::vector<Source>& sources() const { return sources_; }

 private:
  std::vector<Source> sources_;
  std::map<std::string, std::size_t> named_;
  std::map<const FrameSource*, std::size_t> own_;
};

}  // namespace kinema::data
