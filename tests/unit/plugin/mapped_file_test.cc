#include "framework/plugin/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/plugin/museum.h"

namespace kinema::plugin {
namespace {

TEST(mapped_file, tells_code_of_this_program_from_other_files) {
  const int program = open("/proc/self/exe", O_RDONLY);
  const int other = open(exhibit("well_behaved").c_str(), O_RDONLY);
  const std::string of_program = mapped_file(program), of_other = mapped_file(other);
  close(program);
  close(other);
  EXPECT_FALSE(of_program.empty());
  EXPECT_EQ(mapped_file(reinterpret_cast<const void*>(&exhibit)), of_program);
  EXPECT_NE(of_other, of_program);
}

TEST(mapped_file, is_nothing_for_memory_without_a_file) {
  const int local = 0;
  EXPECT_EQ(mapped_file(&local), "");
  EXPECT_EQ(mapped_file(-1), "");
}

}  // namespace
}  // namespace kinema::plugin
