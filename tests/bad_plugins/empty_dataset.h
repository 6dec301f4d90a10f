#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinema/dataset.h"
#include "kinema/plugin.h"

// A data set without items, for libraries that are about something else.
namespace {

class EmptyDataset final : public kinema::Dataset {
 public:
  std::size_t size() const override { return 0; }
  std::vector<std::string> classes() const override { return {}; }
  kinema::Item item(std::size_t) const override { throw std::out_of_range("item"); }
};

[[maybe_unused]] std::shared_ptr<EmptyDataset> make_empty(const kinema::NoOptions&, kinema::Context&) {
  return std::make_shared<EmptyDataset>();
}

}  // namespace
