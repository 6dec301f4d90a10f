#include "framework/plugin/host_context.h"

#include <fmt/format.h>

#include "framework/plugin/registry.h"
#include "kinema/error.h"

namespace kinema::plugin {
namespace {

constexpr int kMaxDepth = 32;

struct Nesting {
  explicit Nesting(int& depth) : depth_(++depth) {}
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  int& depth_;
};

}  // namespace

std::int64_t HostContext::num_classes() const {
  return facts_.num_classes > 0 ? facts_.num_classes : static_cast<std::int64_t>(facts_.classes.size());
}

void HostContext::load_weights(Model& model, const std::filesystem::path& file) {
  if (!facts_.load_weights)
    throw Error(ErrorKind::usage, facts_.where,
                "weights have no place here: expected a component of a run, got " + file.string());
  facts_.load_weights(model, file);
}

void HostContext::missing(const std::vector<std::string>& files) {
  if (facts_.missing) facts_.missing(files);
}

void HostContext::info(std::string_view text) {
  if (facts_.info) facts_.info(text);
}

void HostContext::warn(std::string_view text) {
  if (facts_.warn) facts_.warn(text);
}

std::shared_ptr<void> HostContext::make_any(std::string_view kind, const std::string& type,
                                            const Value& options) {
  const Nesting nesting(depth_);
  if (depth_ > kMaxDepth)
    throw Error(
        ErrorKind::plugin, fmt::format("{} {}", kind, type),
        fmt::format("components are nested too deeply: expected at most {} levels, got more", kMaxDepth),
        "a component that makes itself never ends");
  // Only the outermost component sits at the place that the experiment file names.
  const std::string where = depth_ == 1 && !facts_.where.empty() ? facts_.where : std::string(kind);
  return registry_.make_any(kind, type, options, *this, where);
}

}  // namespace kinema::plugin
