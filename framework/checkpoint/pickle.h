#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "framework/checkpoint/pickle_value.h"

namespace kinema::checkpoint {

// What a pickle says, without doing any of it: no class is looked up, nothing is called. Only Python's own
// dict types (OrderedDict, defaultdict, Counter) become dicts; every other call is kept as an object.
struct PickleTree {
  std::deque<PickleValue> values;
  std::deque<std::string> names;  // of globals
  const PickleValue* root = nullptr;
  std::vector<const PickleValue*> persistent;  // in the order of the text
  std::size_t bytes = 0;                       // where the pickle ended
};

struct PickleLimits {
  std::size_t memory = std::size_t{128} << 20;  // of the values, without the text
  std::size_t stack = std::size_t{1} << 20;     // values
  std::size_t depth = 10'000;                   // open marks
};

// Reads one pickle at the start of `text`, which is borrowed by the values. Throws Error(data) with the
// opcode and its offset; time is linear in the text.
PickleTree read_pickle(std::string_view text, const std::string& where, const PickleLimits& limits = {});

}  // namespace kinema::checkpoint
