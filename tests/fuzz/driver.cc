#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

// Runs a fuzz target where no fuzzing engine is at hand: changes files of a corpus at random, for a time,
// always the same way for one seed. A crash leaves the input in crash-input. usage: TARGET SECONDS SEED
// CORPUS_FILE...
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Random = std::mt19937_64;

// A number that lengths, counts and offsets are wrong with.
std::uint64_t extreme(Random& random) {
  constexpr std::uint64_t kValues[] = {
      0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff};
  return kValues[random() % std::size(kValues)];
}

void change_once(std::string& bytes, const std::string& other, Random& random) {
  if (bytes.empty()) bytes = "x";
  const std::size_t at = random() % bytes.size();
  const std::size_t most = bytes.size() - at;
  switch (random() % 7) {
    case 0:
      bytes[at] ^= static_cast<char>(1 << random() % 8);
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      bytes.erase(at, 1 + random() % 16);
      break;
    case 3:
      bytes.insert(at, std::string(1 + random() % 16, static_cast<char>(random())));
      break;
    case 4: {
      const std::uint64_t number = extreme(random);
      for (std::size_t i = 0; i < most && i < (std::size_t{1} << random() % 4); ++i)
        bytes[at + i] = static_cast<char>(number >> 8 * i);
      break;
    }
    case 5:  // a part of itself elsewhere
      bytes.insert(random() % bytes.size(), bytes.substr(at, 1 + random() % 64));
      break;
    default:  // the end of another file
      bytes = bytes.substr(0, at) + other.substr(random() % (other.size() + 1));
  }
}

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: TARGET SECONDS SEED CORPUS_FILE...\n", stderr);
    return 2;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoll(argv[1]));
  Random random(std::strtoull(argv[2], nullptr, 10));
  std::vector<std::string> corpus;
  for (int i = 3; i < argc; ++i) corpus.push_back(read(argv[i]));
  for (const std::string& whole : corpus) run(whole);
  std::uint64_t runs = 0;
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    std::string input = corpus[random() % corpus.size()];
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n)
      change_once(input, corpus[random() % corpus.size()], random);
    std::ofstream("crash-input", std::ios::binary | std::ios::trunc) << input;
    run(input);
  }
  std::filesystem::remove("crash-input");
  std::printf("%llu inputs, no crash\n", static_cast<unsigned long long>(runs));
  return runs > 0 ? 0 : 1;
}
