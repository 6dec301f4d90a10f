#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "kinema/dataset.h"
#include "kinema/plugin.h"

// A data set some of whose items are videos that a decoder never comes back from.
namespace {

using namespace kinema;

struct EndlessOptions {
  std::int64_t items = 8;
  std::vector<std::int64_t> endless;
};

class Frames final : public FrameSource {
 public:
  explicit Frames(bool endless) : endless_(endless) {}
  Facts facts() const override { return {{32, 32}, 10, 25}; }
  void read(std::int64_t index, std::span<std::uint8_t> out) const override {
    while (endless_) std::this_thread::sleep_for(std::chrono::hours(1));
    std::fill(out.begin(), out.end(), static_cast<std::uint8_t>(20 * index));
  }

 private:
  bool endless_;
};

class Endless final : public Dataset {
 public:
  explicit Endless(EndlessOptions options) : options_(std::move(options)) {}
  std::size_t size() const override { return static_cast<std::size_t>(options_.items); }
  std::vector<std::string> classes() const override { return {"one", "two"}; }
  Item item(std::size_t index) const override {
    const auto number = static_cast<std::int64_t>(index);
    const bool endless = std::ranges::find(options_.endless, number) != options_.endless.end();
    Item item;
    item.key = (endless ? "endless" : "item") + std::to_string(index);
    item.target.label = number % 2;
    item.sources.resize(1);
    item.sources[0].frames = std::make_shared<Frames>(endless);
    return item;
  }

 private:
  EndlessOptions options_;
};

}  // namespace

KINEMA_PLUGIN("endless_frames", "1.0", "decoders that are stuck") {
  registrar.add<Dataset>(
      "endless_frames", "items that are never read to their end",
      Options<EndlessOptions>()
          .add("items", &EndlessOptions::items, "number of items", at_least(1))
          .add("endless", &EndlessOptions::endless, "the items that are stuck"),
      [](const EndlessOptions& options, Context&) { return std::make_shared<Endless>(options); });
}
