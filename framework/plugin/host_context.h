#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/context.h"

namespace kinema::plugin {

class Registry;

// What the host tells the factories of one experiment. A plain value.
struct MakeContext {
  std::vector<std::string> classes;  // in label order; empty while data sets are made
  std::int64_t num_classes = 0;      // 0: classes.size()
  std::uint64_t seed = 1;
  std::string where;  // "data.train": where the component is named; for messages
  std::function<void(std::string_view)> info, warn;                   // lines for the log; may be empty
  std::function<void(const std::vector<std::string>&)> missing = {};  // files; may be empty
  // Context::load_weights(); empty: refused.
  std::function<void(Model&, const std::filesystem::path&)> load_weights = {};
};

// The Context of one factory call and of the calls inside it. Lives on the stack of Registry::make(); borrows
// registry and facts.
class HostContext final : public Context {
 public:
  HostContext(const Registry& registry, const MakeContext& facts) : registry_(registry), facts_(facts) {}

  const std::vector<std::string>& classes() const override { return facts_.classes; }
  std::int64_t num_classes() const override;
  std::uint64_t seed() const override { return facts_.seed; }
  void missing(const std::vector<std::string>& files) override;
  void load_weights(Model& model, const std::filesystem::path& file) override;
  void info(std::string_view text) override;
  void warn(std::string_view text) override;

  // Registry::make_any() with this context; counts how deep components are nested.
  std::shared_ptr<void> make_any(std::string_view kind, const std::string& type,
                                 const Value& options) override;

 private:
  const Registry& registry_;
  const MakeContext& facts_;
  int depth_ = 0;
};

}  // namespace kinema::plugin
