#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/plugin/host_context.h"
#include "kinema/catalog.h"
#include "kinema/error.h"
#include "kinema/registrar.h"

namespace kinema::plugin {

struct SearchResult;

// A library of the search path and what became of it.
struct Library {
  std::string path;
  std::string name, version, about;  // of the descriptor; empty when it was refused before that
  std::vector<std::pair<std::string, std::string>> components;  // kind, type
  std::vector<Problem> reasons;                                 // not empty: refused

  bool loaded() const noexcept { return reasons.empty(); }
};

// A preset and the component that has it.
struct FoundPreset {
  const ComponentInfo* component;
  const Preset* preset;
};

// Every component that is known: the host's own and those of libraries, through one door. Filled on one
// thread at the start; const access afterwards is safe from several threads.
class Registry final : public Catalog {
 public:
  // Components of the host itself. Throws Error(plugin) when the staging door refuses them.
  void register_builtins(const std::function<void(Registrar&)>& register_components,
                         const std::string& library = "built in");

  // Takes each library through the three steps of the door. One that is refused is recorded with its reasons
  // and never stops the others. A file that has been seen already (same device and inode) is skipped.
  void load(const std::vector<std::filesystem::path>& files);
  // The files of a search, and the places that the search refused.
  void load(const SearchResult& search);

  // In the order of the search path, loaded and refused ones.
  const std::vector<Library>& libraries() const noexcept { return libraries_; }

  const ComponentInfo* find(std::string_view kind, std::string_view type) const override;
  // In alphabetical order.
  std::vector<const ComponentInfo*> all(std::string_view kind) const override;

  // The preset of that name among all components of a kind (`--preset P`). Throws Error(usage) when there is
  // none, or when several components have it.
  FoundPreset find_preset(std::string_view name, std::string_view kind = "model") const;

  // Builds a component: checks `options` (which may hold `preset`), merges the preset below them, calls the
  // factory. Throws Error(usage) with every problem of type and options; what a factory throws comes out as
  // Error that names the plugin. Never null.
  template <class Kind>
  std::shared_ptr<Kind> make(const std::string& type, const Value& options, const MakeContext& facts) const {
    HostContext context(*this, facts);
    return std::static_pointer_cast<Kind>(context.make_any(Kind::kKind, type, options));
  }

  // The same, type erased; `where` is for messages about the options.
  std::shared_ptr<void> make_any(std::string_view kind, const std::string& type, const Value& options,
                                 Context& context, const std::string& where) const;

 private:
  struct Entry {
    Registration registration;
    std::string plugin;  // the library's name; empty for the host's own
  };
  void merge(std::deque<Registration> staged, const std::string& library, const std::string& plugin);
  void load_one(const std::filesystem::path& path, Library& library);
  std::shared_ptr<void> call_factory(const Entry& entry, const Value& options, Context& context) const;

  std::map<std::pair<std::string, std::string>, Entry> entries_;  // by kind and type
  std::vector<Library> libraries_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen_;  // device and inode
};

}  // namespace kinema::plugin
