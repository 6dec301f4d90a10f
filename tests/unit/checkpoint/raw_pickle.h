#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

// Pickles by hand, opcode by opcode, so that they can say what no pickler would.
namespace kinema::checkpoint::raw {

template <class T>
std::string packed(const T& number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

inline std::string joined(std::initializer_list<std::string> parts) {
  std::string out;
  for (const std::string& part : parts) out += part;
  return out;
}

inline std::string text(const std::string& value) {
  return joined({"X", packed(static_cast<std::uint32_t>(value.size())), value});
}
inline std::string integer(std::int64_t value) { return std::string("\x8a\x08") + packed(value); }
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(std::initializer_list<std::string> parts) {
  return joined({"(", joined(parts), "t"});
}
inline std::string list(std::initializer_list<std::string> parts) {
  return joined({"](", joined(parts), "e"});
}
// key, value, key, value, ...
inline std::string dict(std::initializer_list<std::string> parts) {
  return joined({"}(", joined(parts), "u"});
}
inline std::string call(const std::string& function, std::initializer_list<std::string> args) {
  return function + tuple(args) + "R";
}
inline std::string pickle(const std::string& body) { return joined({"\x80\x02", body, "."}); }

inline std::string counts(std::initializer_list<std::int64_t> values) {
  std::string out = "(";
  for (const std::int64_t value : values) out += integer(value);
  return out + "t";
}

inline std::string storage(const std::string& key, std::int64_t elements,
                           const std::string& type = "FloatStorage") {
  return tuple({text("storage"), global("torch", type), text(key), text("cpu"), integer(elements)}) + "Q";
}

inline const std::string kV2 = global("torch._utils", "_rebuild_tensor_v2");
inline const std::string kHooks = global("collections", "OrderedDict") + ")R";

inline std::string tensor(const std::string& storage, std::int64_t offset,
                          std::initializer_list<std::int64_t> sizes,
                          std::initializer_list<std::int64_t> strides) {
  return call(kV2, {storage, integer(offset), counts(sizes), counts(strides), "\x89", kHooks});
}

}  // namespace kinema::checkpoint::raw
