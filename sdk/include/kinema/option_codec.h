#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinema/option_table.h"

// How a member's type is written in a file: private to Options<T>.
namespace kinema {
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
  static KINEMA_API Value to(const std::filesystem::path& v);
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

// The commonest list, kept out of every plugin.
template <>
struct Codec<std::vector<std::string>> {
  static OptionType type() {
    return {.form = OptionType::Form::list,
            .element = std::make_shared<const OptionType>(Codec<std::string>::type())};
  }
  static KINEMA_API std::vector<std::string> from(const Value& v);
  static KINEMA_API Value to(const std::vector<std::string>& list);
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

}  // namespace kinema
