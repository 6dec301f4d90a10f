#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/component.h"
#include "kinema/error.h"
#include "kinema/value.h"

// Declared options as the host reads them: for parsing, `describe`, the docs and `config show`. Plugins
// declare theirs with Options<T> (options.h).
namespace kinema {

class Catalog;
class OptionTable;

// A condition on a value, with the words that follow "expected" in the message. What is copied often is
// defined in the library: inlined into each declaration it would be most of a plugin's compile time.
struct KINEMA_API Check {
  Check();
  Check(std::string expected, std::function<bool(const Value&)> accepts,
        std::vector<std::string> choices = {});
  Check(const Check&);
  Check(Check&&) noexcept;
  Check& operator=(const Check&);
  Check& operator=(Check&&) noexcept;
  ~Check();

  std::string expected;  // "an integer of at least 1", "one of 10, 18, 34"
  std::function<bool(const Value&)> accepts;
  std::vector<std::string> choices;  // one_of: for describe and for suggestions
  bool non_finite = false;           // true: the option also takes inf and nan where `accepts` does
};

// What an option takes, for help texts and for walking into components.
struct OptionType {
  enum class Form { boolean, integer, real, string, path, choice, table, component, list };
  Form form = Form::string;
  bool optional = false;                           // std::optional: absent is a value of its own
  std::string component_kind = {};                 // form component
  std::shared_ptr<const OptionTable> nested = {};  // form table
  std::shared_ptr<const OptionType> element = {};  // form list
  // What the member can hold: of an integer, and the largest magnitude of a real.
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  double largest = std::numeric_limits<double>::max();

  // "integer", "list of strings", "dataset", "table".
  KINEMA_API std::string text() const;
};

// One declared option. Made by Options<T>::add; read by the parser, `describe`, the docs and `config show`.
struct KINEMA_API Option {
  using Assign = std::function<void(void* object, const Value& value)>;
  using Read = std::function<Value(const void* object)>;

  Option();
  Option(const Option&);
  Option(Option&&) noexcept;
  Option& operator=(const Option&);
  Option& operator=(Option&&) noexcept;
  ~Option();

  std::string name;
  std::string help;
  OptionType type;
  bool required = false;
  Value default_value;  // none: no default (required, optional or component)
  std::vector<Check> checks;
  std::vector<std::string> old_names;
  Assign assign;  // value has the right type and passed the checks
  Read read;
};

// The options of one struct, type erased. Immutable once declared; threads may share it.
class KINEMA_API OptionTable {
 public:
  OptionTable();
  OptionTable(const OptionTable&);
  OptionTable(OptionTable&&) noexcept;
  OptionTable& operator=(const OptionTable&);
  OptionTable& operator=(OptionTable&&) noexcept;
  ~OptionTable();

  const std::vector<Option>& options() const noexcept { return options_; }
  const Option* find(std::string_view name) const noexcept;
  // True when unknown keys belong to a component that sits in the same table (Options<T>::rest).
  bool open() const noexcept { return !rest_kind_.empty(); }
  const std::string& rest_kind() const noexcept { return rest_kind_; }

  // Checks `table` against the declarations and fills `object` (null: check only). Appends every problem:
  // unknown key (with the nearest name), wrong type, out of range, missing, renamed, and those of nested
  // tables and components. `catalog` may be null: then component types are not looked up. `path` ("model",
  // "data.train") is for the messages. Returns the table with everything in place: renamed keys under their
  // new names, presets of components merged, paths absolute where their origin has a base.
  Value parse(const Value& table, void* object, const Catalog* catalog, const std::string& path,
              std::vector<Problem>& problems) const;
  // The whole struct as a table, defaults included: what `config show` prints. Without component recursion.
  Value read(const void* object) const;

 private:
  template <class T>
  friend class Options;
  friend class Registrar;
  friend struct OptionWalk;
  // The default is read from `defaults`.
  void declare(std::string_view name, std::string_view help, OptionType type, Option::Assign assign,
               Option::Read read, const void* defaults);
  void add_check(Check check);  // of the option declared last

  std::vector<Option> options_;
  std::string rest_kind_;
  std::function<void(void*, Component<void>)> assign_rest_;
  std::function<Component<void>(const void*)> read_rest_;
  std::vector<std::function<std::vector<std::string>(const void*)>> whole_checks_;
  std::function<std::shared_ptr<void>()> create_;
};

// Conditions for Options<T>::add. Reals are finite unless a condition says otherwise.
KINEMA_API Check at_least(double low);
KINEMA_API Check at_most(double high);
KINEMA_API Check between(double low, double high);  // both ends included
KINEMA_API Check above(double low);                 // excluded
KINEMA_API Check any_number();                      // inf and nan too
KINEMA_API Check one_of_values(std::vector<Value> values);
KINEMA_API Check not_empty();                // strings and lists
KINEMA_API Check length(std::size_t count);  // lists
KINEMA_API Check each(Check check);          // every element of a list
template <class... V>
Check one_of(V... values) {
  return one_of_values({Value(values)...});
}

}  // namespace kinema
