#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinema/option_codec.h"
#include "kinema/option_table.h"

namespace kinema {

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
  Options& add(std::string_view name, M T::*member, std::string_view help, C... checks) {
    using Codec = option_detail::Codec<M>;
    table_.declare(
        name, help, Codec::type(),
        [member](void* object, const Value& v) { static_cast<T*>(object)->*member = Codec::from(v); },
        [member](const void* object) { return Codec::to(static_cast<const T*>(object)->*member); },
        &defaults_);
    (table_.add_check(std::move(checks)), ...);
    return *this;
  }
  // An enum, or an optional one: the names that the file may use, in the order shown.
  template <class M>
  Options& add_enum(std::string_view name, M T::*member, std::string_view help,
                    std::vector<std::pair<std::string, typename option_detail::Plain<M>::type>> names) {
    OptionType type;
    type.form = OptionType::Form::choice;
    type.optional = option_detail::Plain<M>::kOptional;
    std::vector<Value> choices;
    for (const auto& [text, value] : names) choices.emplace_back(text);
    table_.declare(
        name, help, std::move(type),
        [member, names](void* object, const Value& v) {
          for (const auto& [text, value] : names)
            if (text == v.as_string()) static_cast<T*>(object)->*member = value;
        },
        [member, names](const void* object) {
          for (const auto& [text, value] : names)
            if (static_cast<const T*>(object)->*member == value) return Value(text);
          return Value();
        },
        &defaults_);
    table_.add_check(one_of_values(std::move(choices)));
    return *this;
  }
  // A nested table with its own options.
  template <class N>
  Options& add_table(std::string_view name, N T::*member, std::string_view help, const Options<N>& nested) {
    OptionType type;
    type.form = OptionType::Form::table;
    type.nested = std::make_shared<const OptionTable>(nested.table());
    auto inner = type.nested;
    table_.declare(
        name, help, std::move(type),
        [member, inner](void* object, const Value& v) {
          std::vector<Problem> ignored;  // parse() has reported them already
          inner->parse(v, &(static_cast<T*>(object)->*member), nullptr, {}, ignored);
        },
        [member, inner](const void* object) {
          return inner->read(&(static_cast<const T*>(object)->*member));
        },
        &defaults_);
    return *this;
  }
  // A list of such tables, [[name]] in a file.
  template <class N>
  Options& add_tables(std::string_view name, std::vector<N> T::*member, std::string_view help,
                      const Options<N>& nested) {
    OptionType element;
    element.form = OptionType::Form::table;
    element.nested = std::make_shared<const OptionTable>(nested.table());
    auto inner = element.nested;
    OptionType type;
    type.form = OptionType::Form::list;
    type.element = std::make_shared<const OptionType>(std::move(element));
    table_.declare(
        name, help, std::move(type),
        [member, inner](void* object, const Value& v) {
          std::vector<N>& list = static_cast<T*>(object)->*member;
          std::vector<Problem> ignored;  // parse() has reported them already
          for (const Value& each : v.as_array())
            inner->parse(each, &list.emplace_back(), nullptr, {}, ignored);
        },
        [member, inner](const void* object) {
          Value::Array array;
          for (const N& each : static_cast<const T*>(object)->*member) array.push_back(inner->read(&each));
          return Value(std::move(array));
        },
        &defaults_);
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
  OptionTable table_;
  T defaults_{};
};

}  // namespace kinema
