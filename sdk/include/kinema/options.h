#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinema/component.h"
#include "kinema/error.h"
#include "kinema/value.h"

namespace kinema {

class Catalog;
class OptionTable;

// A condition on a value, with the words that follow "expected" in the message.
struct Check {
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
struct Option {
  std::string name;
  std::string help;
  OptionType type;
  bool required = false;
  Value default_value;  // none: no default (required, optional or component)
  std::vector<Check> checks;
  std::vector<std::string> old_names;
  std::function<void(void* object, const Value& value)>
      assign;  // value has the right type and passed the checks
  std::function<Value(const void* object)> read;
};

// The options of one struct, type erased. Immutable once declared; threads may share it.
class KINEMA_API OptionTable {
 public:
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
  friend struct OptionWalk;
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

namespace option_detail {

template <class T>
struct Codec;  // type() -> OptionType, from(Value) -> T, to(T) -> Value

template <>
struct Codec<bool> {
  static OptionType type() { return {.form = OptionType::Form::boolean}; }
  static bool from(const Value& v) { return v.as_bool(); }
  static Value to(bool v) { return Value(v); }
};
template <std::integral T>
requires(!std::same_as<T, bool>) struct Codec<T> {
  static OptionType type() {
    OptionType type;
    type.form = OptionType::Form::integer;
    if constexpr (std::is_unsigned_v<T>) type.low = 0;
    if constexpr (std::is_signed_v<T>) type.low = std::numeric_limits<T>::min();
    if constexpr (sizeof(T) < sizeof(std::int64_t)) type.high = std::numeric_limits<T>::max();
    return type;
  }
  static T from(const Value& v) { return static_cast<T>(v.as_integer()); }
  static Value to(T v) { return Value(static_cast<std::int64_t>(v)); }
};
template <std::floating_point T>
struct Codec<T> {
  static OptionType type() {
    OptionType type;
    type.form = OptionType::Form::real;
    type.largest = std::numeric_limits<T>::max();
    return type;
  }
  static T from(const Value& v) { return static_cast<T>(v.as_real()); }
  static Value to(T v) { return Value(static_cast<double>(v)); }
};
template <>
struct Codec<std::string> {
  static OptionType type() { return {.form = OptionType::Form::string}; }
  static std::string from(const Value& v) { return v.as_string(); }
  static Value to(const std::string& v) { return Value(v); }
};
template <>
struct Codec<std::filesystem::path> {
  static OptionType type() { return {.form = OptionType::Form::path}; }
  static KINEMA_API std::filesystem::path from(const Value& v);  // relative to v.origin.base
  static Value to(const std::filesystem::path& v) { return Value(v.string()); }
};
template <class K>
struct Codec<Component<K>> {
  static OptionType type() {
    return {.form = OptionType::Form::component, .component_kind = std::string(K::kKind)};
  }
  static Component<K> from(const Value& v) {
    Component<K> component{v.find("type")->as_string(), v};
    component.options.erase("type");
    return component;
  }
  static Value to(const Component<K>& c) {
    if (!c) return Value();
    Value table = Value::table({{"type", Value(c.type)}});
    for (const Value::Entry& entry : c.options.as_table()) table.set(entry.key, entry.value);
    return table;
  }
};
template <class T>
struct Codec<std::optional<T>> {
  static OptionType type() {
    OptionType inner = Codec<T>::type();
    inner.optional = true;
    return inner;
  }
  static std::optional<T> from(const Value& v) { return Codec<T>::from(v); }
  static Value to(const std::optional<T>& v) { return v ? Codec<T>::to(*v) : Value(); }
};
template <class T>
struct Codec<std::vector<T>> {
  static OptionType type() {
    return {.form = OptionType::Form::list, .element = std::make_shared<const OptionType>(Codec<T>::type())};
  }
  static std::vector<T> from(const Value& v) {
    std::vector<T> list;
    for (const Value& element : v.as_array()) list.push_back(Codec<T>::from(element));
    return list;
  }
  static Value to(const std::vector<T>& list) {
    Value::Array array;
    for (const auto& element : list) array.push_back(Codec<T>::to(element));
    return Value(std::move(array));
  }
};

template <class M>
struct Plain {
  using type = M;
  static constexpr bool kOptional = false;
};
template <class E>
struct Plain<std::optional<E>> {
  using type = E;
  static constexpr bool kOptional = true;
};

}  // namespace option_detail

// Declares the options of struct T once; parsing, checking, help, `describe`, overrides and docs follow from
// it:
//
//   Options<ResNetOptions>()
//       .add("depth", &ResNetOptions::depth, "number of layers", one_of(10, 18, 34))
//       .add("dropout", &ResNetOptions::dropout, "before the classifier", between(0, 1))
//
// Defaults are the member initialisers of T. Member types: bool, integers, floating point, std::string,
// std::filesystem::path, enum (add_enum), Component<Kind>, nested struct (add_table), std::optional and
// std::vector of these. required() and renamed_from() apply to the option added last.
template <class T>
class Options {
 public:
  Options() {
    table_.create_ = [] { return std::static_pointer_cast<void>(std::make_shared<T>()); };
  }

  template <class M, class... C>
  Options& add(std::string name, M T::*member, std::string help, C... checks) {
    using Codec = option_detail::Codec<M>;
    Option option = make(std::move(name), std::move(help), Codec::type());
    (option.checks.push_back(std::move(checks)), ...);
    option.default_value = Codec::to(defaults_.*member);
    option.assign = [member](void* object, const Value& v) {
      static_cast<T*>(object)->*member = Codec::from(v);
    };
    option.read = [member](const void* object) { return Codec::to(static_cast<const T*>(object)->*member); };
    table_.options_.push_back(std::move(option));
    return *this;
  }
  // An enum, or an optional one: the names that the file may use, in the order shown.
  template <class M>
  Options& add_enum(std::string name, M T::*member, std::string help,
                    std::vector<std::pair<std::string, typename option_detail::Plain<M>::type>> names) {
    OptionType type;
    type.form = OptionType::Form::choice;
    type.optional = option_detail::Plain<M>::kOptional;
    Option option = make(std::move(name), std::move(help), type);
    std::vector<Value> choices;
    for (const auto& [text, value] : names) choices.emplace_back(text);
    option.checks.push_back(one_of_values(choices));
    const auto text_of = [names](const M& wanted) {
      for (const auto& [text, value] : names)
        if (wanted == value) return Value(text);
      return Value();
    };
    option.default_value = text_of(defaults_.*member);
    option.assign = [member, names](void* object, const Value& v) {
      for (const auto& [text, value] : names)
        if (text == v.as_string()) static_cast<T*>(object)->*member = value;
    };
    option.read = [member, text_of](const void* object) {
      return text_of(static_cast<const T*>(object)->*member);
    };
    table_.options_.push_back(std::move(option));
    return *this;
  }
  // A nested table with its own options.
  template <class N>
  Options& add_table(std::string name, N T::*member, std::string help, const Options<N>& nested) {
    OptionType type;
    type.form = OptionType::Form::table;
    type.nested = std::make_shared<const OptionTable>(nested.table());
    Option option = make(std::move(name), std::move(help), type);
    auto inner = type.nested;
    option.default_value = inner->read(&(defaults_.*member));
    option.assign = [member, inner](void* object, const Value& v) {
      std::vector<Problem> ignored;  // parse() has reported them already
      inner->parse(v, &(static_cast<T*>(object)->*member), nullptr, {}, ignored);
    };
    option.read = [member, inner](const void* object) {
      return inner->read(&(static_cast<const T*>(object)->*member));
    };
    table_.options_.push_back(std::move(option));
    return *this;
  }
  // The same table also holds a component: its `type` and every key that is not declared here ([optimizer]:
  // `lr` is the host's, `momentum` the optimizer's).
  template <class K>
  Options& rest(Component<K> T::*member) {
    table_.rest_kind_ = std::string(K::kKind);
    table_.assign_rest_ = [member](void* object, Component<void> c) {
      static_cast<T*>(object)->*member = Component<K>{std::move(c.type), std::move(c.options)};
    };
    table_.read_rest_ = [member](const void* object) {
      const auto& c = static_cast<const T*>(object)->*member;
      return Component<void>{c.type, c.options};
    };
    return *this;
  }
  Options& required() {
    table_.options_.back().required = true;
    table_.options_.back().default_value = Value();
    return *this;
  }
  Options& renamed_from(std::string old_name) {
    table_.options_.back().old_names.push_back(std::move(old_name));
    return *this;
  }
  // A condition on the whole struct; each returned text is a problem ("batch and global_batch exclude each
  // other").
  Options& check(std::function<std::vector<std::string>(const T&)> condition) {
    table_.whole_checks_.push_back(
        [condition](const void* object) { return condition(*static_cast<const T*>(object)); });
    return *this;
  }

  const OptionTable& table() const noexcept { return table_; }

 private:
  static Option make(std::string name, std::string help, OptionType type) {
    Option option;
    option.name = std::move(name);
    option.help = std::move(help);
    option.type = std::move(type);
    return option;
  }
  OptionTable table_;
  T defaults_{};
};

}  // namespace kinema
