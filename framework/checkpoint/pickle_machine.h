#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/checkpoint/byte_cursor.h"
#include "framework/checkpoint/pickle.h"

namespace kinema::checkpoint {

// The stack machine that a pickle is a program for.
class PickleMachine {
 public:
  PickleMachine(std::string_view text, const std::string& where, const PickleLimits& limits);

  // Says which opcode comes next, for messages.
  void begin(const char* opcode, std::size_t at) {
    opcode_ = opcode;
    opcode_at_ = at;
  }
  bool stopped() const { return tree_.root != nullptr; }
  PickleTree finish();
  [[noreturn]] void fail(const std::string& what) const;

  // One opcode each, or a family of them.
  void protocol();
  void mark();
  void pop();
  void pop_mark() { cut(); }
  void duplicate() { push(top()); }
  void none() { push(none_); }
  void boolean(bool value) { push(value ? true_ : false_); }
  void integer(std::int64_t value) { push(make(PickleKind::integer))->integer = value; }
  void long_integer(std::uint64_t bytes);
  void real();
  void string(PickleKind kind, std::uint64_t bytes) { push(make(kind))->text = in_.take(bytes); }
  void empty(PickleKind kind) { push(make(kind)); }
  void gather(PickleKind kind);
  void tuple(std::size_t count);
  void append();
  void append_all(PickleKind kind);
  void set_item();
  void set_items();
  void put(std::uint64_t index);
  void memoize() { put(memoized_); }
  void get(std::uint64_t index);
  void global();
  void stack_global();
  void reduce();
  void build();
  void persistent();
  void frame() { in_.take(8); }
  void stop();

  ByteCursor& in() { return in_; }

 private:
  void spend(std::size_t bytes);
  PickleValue* make(PickleKind kind);
  PickleValue* push(PickleValue* value);
  PickleValue* top();
  PickleValue* take();
  std::vector<const PickleValue*> cut();  // what lies above the last mark, which goes too
  void add(PickleValue& target, PickleKind kind, const std::vector<const PickleValue*>& items);
  void name(std::string_view module, std::string_view member);
  PickleValue* make_dict(const PickleValue& args, std::size_t content);

  std::size_t size_;
  ByteCursor in_;
  PickleLimits limits_;
  PickleTree tree_;
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;
  std::vector<PickleValue*> memo_;
  PickleValue *none_ = nullptr, *true_ = nullptr, *false_ = nullptr;
  std::size_t memoized_ = 0, spent_ = 0, opcode_at_ = 0;
  const char* opcode_ = "";
};

}  // namespace kinema::checkpoint
