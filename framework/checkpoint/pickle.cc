#include "framework/checkpoint/pickle.h"

#include <fmt/format.h>

#include <array>

#include "framework/checkpoint/pickle_machine.h"

namespace kinema::checkpoint {
namespace {

using Kind = PickleKind;

struct Opcode {
  unsigned char code;
  const char* name;
  void (*act)(PickleMachine&);
};

constexpr Opcode kOpcodes[] = {
    {0x80, "PROTO", [](PickleMachine& m) { m.protocol(); }},
    {'.', "STOP", [](PickleMachine& m) { m.stop(); }},
    {'(', "MARK", [](PickleMachine& m) { m.mark(); }},
    {'0', "POP", [](PickleMachine& m) { m.pop(); }},
    {'1', "POP_MARK", [](PickleMachine& m) { m.pop_mark(); }},
    {'2', "DUP", [](PickleMachine& m) { m.duplicate(); }},
    {'N', "NONE", [](PickleMachine& m) { m.none(); }},
    {0x88, "NEWTRUE", [](PickleMachine& m) { m.boolean(true); }},
    {0x89, "NEWFALSE", [](PickleMachine& m) { m.boolean(false); }},
    {'J', "BININT", [](PickleMachine& m) { m.integer(static_cast<std::int32_t>(m.in().u32())); }},
    {'K', "BININT1", [](PickleMachine& m) { m.integer(m.in().u8()); }},
    {'M', "BININT2", [](PickleMachine& m) { m.integer(m.in().u16()); }},
    {0x8a, "LONG1", [](PickleMachine& m) { m.long_integer(m.in().u8()); }},
    {0x8b, "LONG4", [](PickleMachine& m) { m.long_integer(m.in().u32()); }},
    {'G', "BINFLOAT", [](PickleMachine& m) { m.real(); }},
    {'X', "BINUNICODE", [](PickleMachine& m) { m.string(Kind::text, m.in().u32()); }},
    {0x8c, "SHORT_BINUNICODE", [](PickleMachine& m) { m.string(Kind::text, m.in().u8()); }},
    {0x8d, "BINUNICODE8", [](PickleMachine& m) { m.string(Kind::text, m.in().u64()); }},
    {'U', "SHORT_BINSTRING", [](PickleMachine& m) { m.string(Kind::text, m.in().u8()); }},
    {'T', "BINSTRING", [](PickleMachine& m) { m.string(Kind::text, m.in().u32()); }},
    {'C', "SHORT_BINBYTES", [](PickleMachine& m) { m.string(Kind::bytes, m.in().u8()); }},
    {'B', "BINBYTES", [](PickleMachine& m) { m.string(Kind::bytes, m.in().u32()); }},
    {']', "EMPTY_LIST", [](PickleMachine& m) { m.empty(Kind::list); }},
    {'}', "EMPTY_DICT", [](PickleMachine& m) { m.empty(Kind::dict); }},
    {')', "EMPTY_TUPLE", [](PickleMachine& m) { m.empty(Kind::tuple); }},
    {0x8f, "EMPTY_SET", [](PickleMachine& m) { m.empty(Kind::set); }},
    {'t', "TUPLE", [](PickleMachine& m) { m.gather(Kind::tuple); }},
    {0x85, "TUPLE1", [](PickleMachine& m) { m.tuple(1); }},
    {0x86, "TUPLE2", [](PickleMachine& m) { m.tuple(2); }},
    {0x87, "TUPLE3", [](PickleMachine& m) { m.tuple(3); }},
    {'l', "LIST", [](PickleMachine& m) { m.gather(Kind::list); }},
    {'a', "APPEND", [](PickleMachine& m) { m.append(); }},
    {'e', "APPENDS", [](PickleMachine& m) { m.append_all(Kind::list); }},
    {0x90, "ADDITEMS", [](PickleMachine& m) { m.append_all(Kind::set); }},
    {'s', "SETITEM", [](PickleMachine& m) { m.set_item(); }},
    {'u', "SETITEMS", [](PickleMachine& m) { m.set_items(); }},
    {'q', "BINPUT", [](PickleMachine& m) { m.put(m.in().u8()); }},
    {'r', "LONG_BINPUT", [](PickleMachine& m) { m.put(m.in().u32()); }},
    {0x94, "MEMOIZE", [](PickleMachine& m) { m.memoize(); }},
    {'h', "BINGET", [](PickleMachine& m) { m.get(m.in().u8()); }},
    {'j', "LONG_BINGET", [](PickleMachine& m) { m.get(m.in().u32()); }},
    {'c', "GLOBAL", [](PickleMachine& m) { m.global(); }},
    {0x93, "STACK_GLOBAL", [](PickleMachine& m) { m.stack_global(); }},
    {'R', "REDUCE", [](PickleMachine& m) { m.reduce(); }},
    {0x81, "NEWOBJ", [](PickleMachine& m) { m.reduce(); }},
    {'b', "BUILD", [](PickleMachine& m) { m.build(); }},
    {'Q', "BINPERSID", [](PickleMachine& m) { m.persistent(); }},
    {0x95, "FRAME", [](PickleMachine& m) { m.frame(); }},
};

constexpr std::array<const Opcode*, 256> kByCode = [] {
  std::array<const Opcode*, 256> table{};
  for (const Opcode& opcode : kOpcodes) table[opcode.code] = &opcode;
  return table;
}();

}  // namespace

PickleTree read_pickle(std::string_view text, const std::string& where, const PickleLimits& limits) {
  PickleMachine machine(text, where, limits);
  while (!machine.stopped()) {
    const std::size_t at = machine.in().at();
    const unsigned char code = machine.in().u8();
    const Opcode* opcode = kByCode[code];
    machine.begin(opcode != nullptr ? opcode->name : "?", at);
    if (opcode == nullptr) machine.fail(fmt::format("expected an opcode of checkpoints, got 0x{:02x}", code));
    opcode->act(machine);
  }
  return machine.finish();
}

}  // namespace kinema::checkpoint
