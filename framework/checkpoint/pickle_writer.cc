#include "framework/checkpoint/pickle_writer.h"

#include <cstring>
#include <limits>
#include <utility>

namespace kinema::checkpoint {
namespace {

template <class T>
void append(std::string& text, char opcode, T number) {
  text += opcode;
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

PickleWriter::PickleWriter() : text_("\x80\x02") {}

void PickleWriter::integer(std::int64_t value) {
  if (value >= std::numeric_limits<std::int32_t>::min() &&
      value <= std::numeric_limits<std::int32_t>::max()) {
    append(text_, 'J', static_cast<std::int32_t>(value));
    return;
  }
  text_ += "\x8a\x08";  // LONG1 of 8 bytes
  text_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void PickleWriter::string(std::string_view value) {
  append(text_, 'X', static_cast<std::uint32_t>(value.size()));
  text_ += value;
}

void PickleWriter::global(std::string_view module, std::string_view name) {
  text_ += 'c';
  text_ += module;
  text_ += '\n';
  text_ += name;
  text_ += '\n';
}

void PickleWriter::integers(std::span<const std::int64_t> values) {
  mark();
  for (const std::int64_t value : values) integer(value);
  tuple();
}

std::string PickleWriter::finish() {
  text_ += '.';
  return std::move(text_);
}

}  // namespace kinema::checkpoint
