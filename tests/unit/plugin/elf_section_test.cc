#include "framework/plugin/elf_section.h"

#include <elf.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "tests/unit/plugin/museum.h"

namespace kinema::plugin {
namespace {

constexpr std::uint64_t kLimit = 4096;

std::optional<std::string> section_of(const std::string& bytes, const std::string& name = "kinema_stamp") {
  const TemporaryFolder folder;
  const int file = open(write_bytes(folder / "x.so", bytes).c_str(), O_RDONLY);
  struct Close {
    int file;
    ~Close() { close(file); }
  } close_at_end{file};
  return read_elf_section(file, bytes.size(), name, kLimit, "x.so");
}

std::string reason_of(const std::string& bytes) {
  return reason([&] { section_of(bytes); });
}

std::string good() { return read_bytes(exhibit("well_behaved")); }

// Changes the ELF header of a good library.
template <class T>
std::string with_header(T Elf64_Ehdr::*field, T value) {
  std::string bytes = good();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.*field = value;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

// Changes the header of the section of names (the argument says how).
std::string with_names(const std::function<void(Elf64_Shdr&)>& change) {
  std::string bytes = good();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t at = header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr);
  Elf64_Shdr names;
  std::memcpy(&names, bytes.data() + at, sizeof names);
  change(names);
  std::memcpy(bytes.data() + at, &names, sizeof names);
  return bytes;
}

TEST(elf_section, gives_the_bytes_of_a_section) {
  const auto bytes = section_of(good());
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(bytes->starts_with("kinema-stamp;sdk="));
}

TEST(elf_section, gives_nothing_where_there_is_none) {
  EXPECT_FALSE(section_of(good(), "kinema_stam"));
  EXPECT_FALSE(section_of(with_header(&Elf64_Ehdr::e_shoff, Elf64_Off{0})));
}

TEST(elf_section, refuses_what_is_no_library_for_this_machine) {
  EXPECT_EQ(reason_of(""), "x.so: empty file: expected a shared library, got 0 bytes");
  EXPECT_EQ(reason_of("#!/bin/sh\necho not a library at all\n"),
            "x.so: not a shared library: expected the magic bytes of ELF, got other bytes");
  EXPECT_EQ(reason_of("ab"), "x.so: not a shared library: expected the magic bytes of ELF, got other bytes");
  std::string bytes = good();
  bytes[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(reason_of(bytes), "x.so: wrong word size: expected a library of 64 bits, got 32 bits");
  bytes = good();
  bytes[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(reason_of(bytes), "x.so: wrong byte order: expected little endian, got big endian");
  EXPECT_EQ(reason_of(with_header(&Elf64_Ehdr::e_machine, Elf64_Half{EM_AARCH64})),
            "x.so: wrong machine: expected x86-64, got AArch64");
  EXPECT_EQ(reason_of(with_header(&Elf64_Ehdr::e_type, Elf64_Half{ET_REL})),
            "x.so: wrong type: expected a shared library, got an object file");
}

TEST(elf_section, refuses_a_truncated_file) {
  const std::string bytes = good();
  EXPECT_EQ(reason_of(bytes.substr(0, 40)),
            "x.so: truncated library: expected 64 bytes of the ELF header at byte 0, got a file of 40 bytes");
  EXPECT_THAT(
      reason_of(bytes.substr(0, bytes.size() / 2)),
      testing::MatchesRegex("x.so: truncated library: expected [0-9]+ bytes of the section table at byte "
                            "[0-9]+, got a file of [0-9]+ bytes"));
}

TEST(elf_section, refuses_absurd_numbers) {
  EXPECT_THAT(reason_of(with_header(&Elf64_Ehdr::e_shoff, Elf64_Off{0xfffffffffffffff0})),
              testing::HasSubstr("of the section table at byte 18446744073709551600, got a file of"));
  EXPECT_EQ(reason_of(with_header(&Elf64_Ehdr::e_shentsize, Elf64_Half{1})),
            "x.so: damaged library: expected section headers of 64 bytes, got 1");
  EXPECT_THAT(reason_of(with_header(&Elf64_Ehdr::e_shstrndx, Elf64_Half{0xfff0})),
              testing::HasSubstr("damaged library: expected section names in one of "));
  EXPECT_EQ(
      reason_of(with_names([](Elf64_Shdr& s) { s.sh_size = 1ull << 60; })),
      "x.so: damaged library: expected at most 16777216 bytes of section names, got 1152921504606846976");
  EXPECT_THAT(reason_of(with_names([](Elf64_Shdr& s) { s.sh_offset = ~0ull; })),
              testing::HasSubstr("bytes of section names at byte 18446744073709551615"));
  EXPECT_EQ(
      reason_of(with_names([](Elf64_Shdr& s) { s.sh_type = SHT_NOBITS; })),
      "x.so: damaged library: expected at most 16777216 bytes of section names, got another kind of section");
}

TEST(elf_section, survives_every_flipped_byte_of_the_headers) {
  const std::string bytes = good();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const TemporaryFolder folder;
  const int file = open(write_bytes(folder / "x.so", bytes).c_str(), O_RDWR);
  int read = 0, refused = 0;
  const auto try_with = [&](std::size_t at, char value) {
    ASSERT_EQ(pwrite(file, &value, 1, static_cast<off_t>(at)), 1);
    try {
      read_elf_section(file, bytes.size(), "kinema_stamp", kLimit, "x.so");
      ++read;
    } catch (const Error&) {
      ++refused;
    }
    ASSERT_EQ(pwrite(file, &bytes[at], 1, static_cast<off_t>(at)), 1);
  };
  for (std::size_t at = 0; at < sizeof header; ++at)
    for (const char value : {'\0', '\x7f', '\xff'}) try_with(at, value);
  for (std::size_t at = header.e_shoff; at < bytes.size(); ++at) try_with(at, '\xff');
  close(file);
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace kinema::plugin
