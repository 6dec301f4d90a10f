#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinema/catalog.h"
#include "kinema/options.h"

namespace kinema {
namespace option_detail {

// The value for a message: long ones are cut, at the start of a character.
std::string shown(const Value& value);
std::string dotted(const std::string& path, const std::string& key);
// Two hints as one; either may be empty.
std::string joined(std::string first, const std::string& second);
std::vector<std::string> names_of(const OptionTable& table);
// The option of this name, today's or an older one; else null.
const Option* find_with_old_names(const OptionTable& table, const std::string& key);

}  // namespace option_detail

// Checks values against declarations, one walk over a file. Results have presets merged and old names
// replaced, so that the second parse, in the factory, needs no catalog.
struct OptionWalk {
  const Catalog* catalog;  // null: component types are not looked up
  std::vector<Problem>& problems;

  // `keys_hint` says where the keys are listed ("`kinema describe model resnet3d` lists its keys").
  Value table(const OptionTable& table, const Value& value, void* object, const std::string& path,
              const std::string& keys_hint);
  // `more_keys`: keys that the surrounding table takes, for suggestions.
  Value component(std::string_view kind, const Value& value, const std::string& path,
                  const std::vector<std::string>& more_keys);

 private:
  Value option(const Option& option, const Value& value, const std::string& path);
  Value typed(const OptionType& type, const Value& value, const std::string& path, bool non_finite);
  void conditions(const Option& option, const Value& value, const std::string& path);
  Value rest(const OptionTable& table, Value keys, void* object, const std::string& path);
  Value with_preset(const ComponentInfo& info, Value keys, const std::string& path);
  void unknown_key(const Value::Entry& entry, const std::vector<std::string>& known, const std::string& path,
                   const std::string& keys_hint);
  void missing(const Option& option, const Value& table, const std::string& path);
  void problem(const Origin& origin, const std::string& path, std::string what, std::string hint = {});
};

}  // namespace kinema
