#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kinema::checkpoint {

// Writes a pickle of protocol 2 with the opcodes that Python's restricted unpickler (torch.load with
// weights_only) takes. The caller keeps the stack's order: a call is global(), its arguments, call().
class PickleWriter {
 public:
  PickleWriter();

  void mark() { text_ += '('; }
  void tuple() { text_ += 't'; }  // of all above the mark
  void empty_tuple() { text_ += ')'; }
  void empty_dict() { text_ += '}'; }
  void set_items() { text_ += 'u'; }  // keys and values above the mark, into the dict below it
  void call() { text_ += 'R'; }
  void persistent() { text_ += 'Q'; }
  void boolean(bool value) { text_ += value ? '\x88' : '\x89'; }
  void integer(std::int64_t value);
  void string(std::string_view value);  // UTF-8
  void global(std::string_view module, std::string_view name);
  void integers(std::span<const std::int64_t> values);  // as a tuple
  std::string finish();

 private:
  std::string text_;
};

}  // namespace kinema::checkpoint
