#include "framework/plugin/file_hash.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kinema/error.h"

namespace kinema::plugin {
namespace {

TEST(file_hash, is_sha_256) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / "file_hash_test").string();
  std::ofstream(path) << "abc";  // the example of FIPS 180-2
  EXPECT_EQ(sha256_of_file(path), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(file_hash, refuses_a_file_that_is_not_there) { EXPECT_THROW(sha256_of_file("no/such/file"), Error); }

}  // namespace
}  // namespace kinema::plugin
