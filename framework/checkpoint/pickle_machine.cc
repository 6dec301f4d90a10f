#include "framework/checkpoint/pickle_machine.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

#include "framework/checkpoint/printable.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

using Kind = PickleKind;

constexpr int kNewestProtocol = 5;
constexpr std::size_t kLongestName = 1000;

// Dict types, with the place of the argument that holds what they start with.
struct DictType {
  std::string_view name;
  std::size_t content;
};
constexpr DictType kDictTypes[] = {
    {"collections.OrderedDict", 0}, {"collections.Counter", 0}, {"collections.defaultdict", 1}};

}  // namespace

PickleMachine::PickleMachine(std::string_view text, const std::string& where, const PickleLimits& limits)
    : size_(text.size()), in_(text, where), limits_(limits) {
  for (PickleValue** constant : {&none_, &true_, &false_}) *constant = make(Kind::none);
  true_->kind = false_->kind = Kind::boolean;
  true_->integer = 1;
}

void PickleMachine::fail(const std::string& what) const {
  throw Error(ErrorKind::data, in_.where(),
              fmt::format("pickle opcode {} at byte {}: {}", opcode_, opcode_at_, what));
}

void PickleMachine::spend(std::size_t bytes) {
  spent_ += bytes;
  if (spent_ > limits_.memory)
    fail(fmt::format("holds too much: expected at most {} bytes of values", limits_.memory));
}

PickleValue* PickleMachine::make(Kind kind) {
  spend(sizeof(PickleValue));
  tree_.values.emplace_back().kind = kind;
  return &tree_.values.back();
}

PickleValue* PickleMachine::push(PickleValue* value) {
  if (stack_.size() >= limits_.stack) fail(fmt::format("expected at most {} values at once", limits_.stack));
  stack_.push_back(value);
  return value;
}

PickleValue* PickleMachine::top() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("expected a value on the stack, got none");
  return stack_.back();
}

PickleValue* PickleMachine::take() {
  PickleValue* value = top();
  stack_.pop_back();
  return value;
}

std::vector<const PickleValue*> PickleMachine::cut() {
  if (marks_.empty()) fail("expected a mark on the stack, got none");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<const PickleValue*> items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

void PickleMachine::protocol() {
  const int version = in_.u8();
  if (version > kNewestProtocol)
    fail(fmt::format("pickle protocol is too new: expected at most {}, got {}", kNewestProtocol, version));
}

void PickleMachine::mark() {
  if (marks_.size() >= limits_.depth)
    fail(fmt::format("nested too deep: expected at most {}", limits_.depth));
  marks_.push_back(stack_.size());
}

void PickleMachine::pop() {
  // Python pops a mark when there is nothing above it.
  if (!marks_.empty() && marks_.back() == stack_.size())
    marks_.pop_back();
  else
    take();
}

void PickleMachine::long_integer(std::uint64_t bytes) {
  const std::string_view digits = in_.take(bytes);
  PickleValue* value = push(make(digits.size() > 8 ? Kind::big_integer : Kind::integer));
  value->text = digits;
  if (value->kind == Kind::big_integer || digits.empty()) return;
  const bool negative = (static_cast<unsigned char>(digits.back()) & 0x80) != 0;
  std::uint64_t bits = negative ? ~std::uint64_t{0} : 0;
  std::memcpy(&bits, digits.data(), digits.size());
  value->integer = static_cast<std::int64_t>(bits);
}

void PickleMachine::real() {
  std::uint64_t bits = 0;  // the one number that is big endian
  for (const char byte : in_.take(8)) bits = (bits << 8) | static_cast<unsigned char>(byte);
  push(make(Kind::real))->real = std::bit_cast<double>(bits);
}

void PickleMachine::gather(Kind kind) {
  std::vector<const PickleValue*> items = cut();
  spend(items.size() * sizeof items[0]);
  push(make(kind))->items = std::move(items);
}

void PickleMachine::tuple(std::size_t count) {
  std::vector<const PickleValue*> items(count);
  for (std::size_t i = count; i > 0; --i) items[i - 1] = take();
  spend(items.size() * sizeof items[0]);
  push(make(Kind::tuple))->items = std::move(items);
}

// What is put into an object is dropped with it: nobody asks objects for their content.
void PickleMachine::add(PickleValue& target, Kind kind, const std::vector<const PickleValue*>& items) {
  if (target.kind == Kind::object) return;
  if (target.kind != kind) fail("cannot add to " + describe(target));
  spend(items.size() * sizeof items[0]);
  target.items.insert(target.items.end(), items.begin(), items.end());
}

void PickleMachine::append() {
  const PickleValue* item = take();
  add(*top(), Kind::list, {item});
}

void PickleMachine::append_all(Kind kind) {
  const auto items = cut();
  add(*top(), kind, items);
}

void PickleMachine::set_item() {
  const PickleValue* value = take();
  const PickleValue* key = take();
  add(*top(), Kind::dict, {key, value});
}

void PickleMachine::set_items() {
  const auto items = cut();
  if (items.size() % 2 != 0) fail("expected keys with values, got a key without one");
  add(*top(), Kind::dict, items);
}

void PickleMachine::put(std::uint64_t index) {
  // Picklers count their entries, and each takes more than a byte.
  if (index > size_) fail(fmt::format("memo index {} is out of range", index));
  if (index >= memo_.size()) {
    spend((index + 1 - memo_.size()) * sizeof memo_[0]);
    memo_.resize(index + 1);
  }
  if (memo_[index] == nullptr) ++memoized_;
  memo_[index] = top();
}

void PickleMachine::get(std::uint64_t index) {
  if (index >= memo_.size() || memo_[index] == nullptr) fail(fmt::format("memo has no entry {}", index));
  push(memo_[index]);
}

void PickleMachine::name(std::string_view module, std::string_view member) {
  if (module.empty() || member.empty() || module.size() + member.size() > kLongestName)
    fail(fmt::format("bad name of a class or function: {} in {}", printable(member), printable(module)));
  spend(module.size() + member.size() + sizeof(std::string));
  tree_.names.push_back(fmt::format("{}.{}", module, member));
  push(make(Kind::global))->text = tree_.names.back();
}

void PickleMachine::global() {
  const std::string_view module = in_.line();
  name(module, in_.line());
}

void PickleMachine::stack_global() {
  const PickleValue* member = take();
  const PickleValue* module = take();
  if (member->kind != Kind::text || module->kind != Kind::text) fail("expected two strings on the stack");
  name(module->text, member->text);
}

PickleValue* PickleMachine::make_dict(const PickleValue& args, std::size_t content) {
  PickleValue* dict = make(Kind::dict);
  if (content >= args.items.size()) return dict;
  const PickleValue& from = *args.items[content];
  if (from.kind == Kind::dict) {
    add(*dict, Kind::dict, from.items);
  } else if (from.kind == Kind::list) {  // as Python 2 does: pairs
    for (const PickleValue* pair : from.items) {
      if (pair->items.size() != 2) fail("expected pairs in a dict, got " + describe(*pair));
      add(*dict, Kind::dict, pair->items);
    }
  } else {
    fail("expected the content of a dict, got " + describe(from));
  }
  return dict;
}

void PickleMachine::reduce() {
  const PickleValue* args = take();
  const PickleValue* function = take();
  if (args->kind != Kind::tuple) fail("expected a tuple of arguments, got " + describe(*args));
  for (const DictType& type : kDictTypes)
    if (function->kind == Kind::global && function->text == type.name) {
      push(make_dict(*args, type.content));
      return;
    }
  spend(2 * sizeof args);
  push(make(Kind::object))->items = {function, args};
}

void PickleMachine::build() {
  const PickleValue* state = take();
  PickleValue* target = top();
  if (target->kind == Kind::dict) return;  // _metadata of a state dict
  if (target->kind != Kind::object) fail("cannot give a state to " + describe(*target));
  spend(sizeof state);
  target->items.resize(2);
  target->items.push_back(state);
}

void PickleMachine::persistent() {
  const PickleValue* id = take();
  spend(2 * sizeof id);
  PickleValue* value = push(make(Kind::persistent));
  value->items = {id};
  tree_.persistent.push_back(value);
}

void PickleMachine::stop() {
  tree_.root = take();
  if (!stack_.empty() || !marks_.empty())
    fail(fmt::format("expected one value at the end, got {} more", stack_.size() + marks_.size()));
}

PickleTree PickleMachine::finish() {
  tree_.bytes = in_.at();
  return std::move(tree_);
}

}  // namespace kinema::checkpoint
