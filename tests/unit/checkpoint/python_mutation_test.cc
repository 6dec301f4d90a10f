// Thousands of small changes to real files: each gives tensors or an error of ours, never a crash. Run it
// under the sanitizers after changing the reader.
#include <gmock/gmock.h>

#include <random>

#include "framework/checkpoint/pickle.h"
#include "framework/checkpoint/python_weights.h"
#include "tests/unit/checkpoint/contents.h"
#include "tests/unit/checkpoint/raw_zip.h"

namespace kinema::checkpoint {
namespace {

std::string golden(const std::string& name) {
  return slurp(std::string(KINEMA_GOLDEN_DIR) + "/checkpoint/" + name);
}

struct Outcome {
  int read = 0, refused = 0;
};

// Reads every element, so that a tensor outside its storage would be seen.
void try_file(const std::string& path, Outcome& outcome) {
  try {
    for (const NamedTensor& named : read_python_weights(real_file_system(), path).tensors)
      named.tensor.clone();
    ++outcome.read;
  } catch (const Error& e) {
    ASSERT_THAT(e.what(), testing::StartsWith(path));
    ++outcome.refused;
  }
}

std::string mutated(const std::string& whole, std::mt19937& random) {
  std::string out = whole;
  const auto at = [&] { return random() % out.size(); };
  switch (random() % 5) {
    case 0:
      out[at()] ^= static_cast<char>(1 << random() % 8);
      break;
    case 1:
      out[at()] = static_cast<char>(random());
      break;
    case 2:
      out.erase(at(), 1 + random() % 8);
      break;
    case 3:
      out.insert(at(), std::string(1 + random() % 8, static_cast<char>(random())));
      break;
    default: {  // an extreme number somewhere
      const std::size_t begin = at();
      for (std::size_t i = begin; i < out.size() && i < begin + 4; ++i)
        out[i] = random() % 2 != 0 ? '\xff' : '\x7f';
    }
  }
  return out;
}

TEST(mutation, of_whole_files_never_crashes_the_reader) {
  const Scratch scratch;
  std::mt19937 random(1);
  for (const char* name : {"model_state.pyth", "model_state_legacy.pth", "untyped.pth", "protocol4.pth"}) {
    const std::string whole = golden(name);
    Outcome outcome;
    for (int i = 0; i < 1000; ++i) {
      spit(scratch / "x", mutated(whole, random));
      try_file(scratch / "x", outcome);
    }
    EXPECT_GT(outcome.refused, 100) << name;
  }
}

// Behind the checksum: the pickle alone changes, in an archive that fits it.
TEST(mutation, of_the_pickle_in_a_sound_archive_never_crashes_the_reader) {
  const Scratch scratch;
  std::mt19937 random(2);
  const std::string tensors = "}(" + raw::text("module.a") +
                              raw::tensor(raw::storage("0", 4), 1, {3, 1}, {1, 1}) + raw::text("module.b") +
                              raw::tensor(raw::storage("0", 4), 0, {2, 2}, {1, 2}) + "u";
  Outcome outcome;
  for (int i = 0; i < 4000; ++i) {
    spit(scratch / "x", raw::pth(mutated(tensors, random)));
    try_file(scratch / "x", outcome);
  }
  EXPECT_GT(outcome.refused, 1000);
  EXPECT_GT(outcome.read, 100);
}

TEST(mutation, a_file_cut_anywhere_is_refused) {
  const Scratch scratch;
  for (const char* name : {"bare.pth", "model_state_legacy.pth"}) {
    const std::string whole = golden(name);
    Outcome outcome;
    for (std::size_t length = 0; length < whole.size(); length += 3) {
      spit(scratch / "x", whole.substr(0, length));
      try_file(scratch / "x", outcome);
    }
    EXPECT_EQ(outcome.read, 0) << name;
  }
}

TEST(mutation, of_random_opcodes_never_crashes_the_unpickler) {
  std::mt19937 random(3);
  const std::string opcodes = "((((]})N2KMJXUtae\x85\x86\x87su0qhQRbclN\x88\x89\x8f\x90\x93\x94\x81.";
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string body;
    for (int n = 0; n < 30; ++n) body += opcodes[random() % opcodes.size()];
    try {
      read_pickle(raw::pickle(body), "x");
      ++read;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace kinema::checkpoint
