#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinema/registrar.h"

namespace kinema::test {

// A host small enough for tests: collects what a registration function offers and builds components from it,
// with the same parsing and checking of options as the real one.
class ComponentsUnderTest final : public Registrar, public Context, public Catalog {
 public:
  ComponentsUnderTest() = default;
  explicit ComponentsUnderTest(void (*register_components)(Registrar&)) { register_components(*this); }

  std::vector<std::string> class_names;  // what context.classes() says
  std::int64_t class_count = 0;          // what context.num_classes() says where there are no names
  std::vector<std::string> messages;     // info() and warn()
  std::vector<std::string> missing_files;
  std::function<void(Model&, const std::filesystem::path&)> on_load;

  // Builds a component; throws Error(usage) with all problems of its options.
  template <class Kind>
  std::shared_ptr<Kind> make(const std::string& type, const Value& options = Value::table()) {
    return std::static_pointer_cast<Kind>(make_any(Kind::kKind, type, options));
  }
  // The problems of a component's options, as text; empty when there are none.
  std::string problems(std::string_view kind, const std::string& type, const Value& options) {
    std::vector<Problem> found = check(kind, type, options);
    return found.empty() ? "" : Error(ErrorKind::usage, std::move(found)).what();
  }

  const ComponentInfo* find(std::string_view kind, std::string_view type) const override {
    const Registration* found = registration(kind, type);
    return found ? &found->info : nullptr;
  }
  std::vector<const ComponentInfo*> all(std::string_view kind) const override {
    std::vector<const ComponentInfo*> infos;
    for (const Registration& r : registrations_)
      if (r.info.kind == kind) infos.push_back(&r.info);
    return infos;
  }

  const std::vector<std::string>& classes() const override { return class_names; }
  std::int64_t num_classes() const override {
    return class_names.empty() ? class_count : static_cast<std::int64_t>(class_names.size());
  }
  std::uint64_t seed() const override { return 1; }
  void load_weights(Model& model, const std::filesystem::path& file) override {
    if (on_load) on_load(model, file);
  }
  void missing(const std::vector<std::string>& files) override { missing_files = files; }
  void info(std::string_view text) override { messages.emplace_back(text); }
  void warn(std::string_view text) override { messages.emplace_back(text); }

 protected:
  Registration& add_any(Registration registration) override {
    return registrations_.emplace_back(std::move(registration));
  }
  std::shared_ptr<void> make_any(std::string_view kind, const std::string& type,
                                 const Value& options) override {
    std::vector<Problem> found = check(kind, type, options);
    if (!found.empty()) throw Error(ErrorKind::usage, std::move(found));
    return registration(kind, type)->make(options, *this);
  }

 private:
  const Registration* registration(std::string_view kind, std::string_view type) const {
    for (const Registration& r : registrations_)
      if (r.info.kind == kind && r.info.type == type) return &r;
    return nullptr;
  }
  std::vector<Problem> check(std::string_view kind, const std::string& type, const Value& options) const {
    const Registration* found = registration(kind, type);
    if (!found) return {{std::string(kind), "unknown type " + type, {}, {}}};
    std::vector<Problem> problems;
    found->info.options.parse(options, nullptr, this, std::string(kind), problems);
    return problems;
  }

  std::deque<Registration> registrations_;
};

}  // namespace kinema::test
