#include "framework/checkpoint/zip_archive.h"

#include <gmock/gmock.h>

#include "framework/checkpoint/zip_writer.h"
#include "tests/unit/checkpoint/contents.h"
#include "tests/unit/checkpoint/raw_zip.h"

namespace kinema::checkpoint {
namespace {

using raw::ZipLies;
using raw::ZipPart;
using testing::ElementsAre;
using testing::HasSubstr;

// Everything in the archive, read.
std::vector<std::string> contents(const std::string& path) {
  const FileReader file(real_file_system(), path);
  const ZipArchive archive(file);
  archive.refuse_compressed();
  std::vector<std::string> out;
  for (const ZipRecord& record : archive.records())
    out.push_back(record.name + "=" + archive.read_text(record, 1000));
  return out;
}

std::string zip_error(const std::string& bytes) {
  const Scratch scratch;
  spit(scratch / "x.zip", bytes);
  return error_of([&] { contents(scratch / "x.zip"); });
}

std::vector<std::string> zip_contents(const std::string& bytes) {
  const Scratch scratch;
  spit(scratch / "x.zip", bytes);
  return contents(scratch / "x.zip");
}

TEST(zip, records_are_read_by_name) {
  EXPECT_THAT(zip_contents(raw::zip({{"b/2", "two"}, {"a", ""}, {"folder/", ""}})),
              ElementsAre("a=", "b/2=two"));
  EXPECT_THAT(zip_contents(raw::zip({})), ElementsAre());
}

TEST(zip, a_comment_at_the_end_may_hold_anything) {
  ZipLies lies;
  lies.comment = "PK\5\6 is the mark of the end, PK\5\6";
  EXPECT_THAT(zip_contents(raw::zip({{"a", "x"}}, lies)), ElementsAre("a=x"));
}

TEST(zip, sizes_and_checksum_may_follow_the_data_as_pytorch_writes_them) {
  ZipPart part{"a", "xyz", 0, 8};
  part.local_crc = part.local_size = 0;
  EXPECT_THAT(zip_contents(raw::zip({part})), ElementsAre("a=xyz"));
}

TEST(zip, without_a_checksum_is_read_unchecked) {
  ZipPart part{"a", "xyz"};
  part.crc = 0;
  EXPECT_THAT(zip_contents(raw::zip({part})), ElementsAre("a=xyz"));
}

TEST(zip, that_the_writer_wrote_is_read_back_with_and_without_zip64) {
  for (const bool zip64 : {false, true}) {
    const Scratch scratch;
    FileWriter file(real_file_system(), scratch / "x.zip");
    ZipWriter writer(file, zip64);
    for (const std::string name : {"a", "data/1", "data/longer-name"}) writer.add(name, "content of " + name);
    writer.finish();
    file.finish();
    EXPECT_THAT(contents(scratch / "x.zip"), ElementsAre("a=content of a", "data/1=content of data/1",
                                                         "data/longer-name=content of data/longer-name"));
    const FileReader reader(real_file_system(), scratch / "x.zip");
    const ZipArchive archive(reader);
    for (const ZipRecord& record : archive.records()) EXPECT_EQ(record.data % 64, 0) << record.name;
  }
}

TEST(zip, more_records_than_16_bits_count_are_written_and_read) {
  const Scratch scratch;
  FileWriter file(real_file_system(), scratch / "x.zip");
  ZipWriter writer(file);
  for (int i = 0; i < 66'000; ++i) writer.add(std::to_string(i), "");
  writer.finish();
  file.finish();
  const FileReader reader(real_file_system(), scratch / "x.zip");
  EXPECT_THAT(ZipArchive(reader).records(), testing::SizeIs(66'000));
}

struct Hostile {
  const char* name;
  std::string bytes;
  const char* error;
};

ZipPart changed(const std::function<void(ZipPart&)>& change) {
  ZipPart part{"x/data/0", "content"};
  change(part);
  return part;
}

std::string with(const std::function<void(ZipPart&)>& change) {
  return raw::zip({{"first", "1"}, changed(change)});
}

std::string lying(const std::function<void(ZipLies&)>& change) {
  ZipLies lies;
  change(lies);
  return raw::zip({{"first", "1"}, {"second", "2"}}, lies);
}

std::string zip64_locator(std::uint64_t at) {
  return "PK\6\7" + raw::packed(std::uint32_t{0}) + raw::packed(at) + raw::packed(std::uint32_t{1});
}

std::vector<Hostile> hostile_names() {
  const auto named = [](const std::string& name) { return raw::zip({{name, "content"}}); };
  return {
      {"parent", named("x/../../etc/passwd"), "'x/../../etc/passwd' leaves the archive's folder"},
      {"only parent", named(".."), "leaves the archive's folder"},
      {"absolute", named("/etc/passwd"), "'/etc/passwd' has an absolute or foreign path"},
      {"backslash", named("..\\x"), "has an absolute or foreign path"},
      {"drive", named("c:x"), "has an absolute or foreign path"},
      {"zero byte", named(std::string("a\0b", 3)), "'a\\x00b' has a zero byte in its name"},
      {"double slash", named("a//b"), "has a path that is not plain"},
      {"dot", named("a/./b"), "has a path that is not plain"},
      {"empty", named(""), "'' has an empty name"},
      {"too long", named(std::string(5000, 'n')), "has a name that is too long"},
      {"twice", raw::zip({{"a", "1"}, {"b", "2"}, {"a", "3"}}), "record 'a' comes twice"},
      {"escape codes", named("\x1b[2J/.."), "'\\x1b[2J/..' leaves"},
  };
}

std::vector<Hostile> hostile_records() {
  return {
      {"deflated", with([](auto& p) { p.method = 8; }),
       "record 'x/data/0' is compressed: expected it stored"},
      {"encrypted", with([](auto& p) { p.flags = 1; }), "record 'x/data/0' is encrypted"},
      {"bomb", with([](auto& p) { p.size = 4'000'000'000u; }),
       "is stored, but has 4000000000 bytes and 7 in the file"},
      {"beyond the file", with([](auto& p) { p.size = p.stored = 4'000'000'000u; }), "is outside the file"},
      {"into the directory", with([](auto& p) { p.size = p.stored = p.local_size = 20; }),
       "runs into the directory"},
      {"header beyond", with([](auto& p) { p.header = 4'000'000'000u; }), "is outside the file"},
      {"header elsewhere", with([](auto& p) { p.header = 3; }), "has no header at byte 3"},
      {"other name", with([](auto& p) { p.local_name = "y/data/0"; }), "has another name in its header"},
      {"other size", with([](auto& p) { p.local_size = 6; }),
       "has 6 bytes in its header and 7 in the directory"},
      {"other checksum", with([](auto& p) { p.local_crc = 5; }), "has another checksum in its header"},
      {"wrong checksum", with([](auto& p) { p.crc = 5; }),
       "record 'x/data/0' is damaged: expected checksum 00000005"},
      {"cut zip64 field", with([](auto& p) {
         p.size = p.stored = 0xffffffffu;
         p.extra = raw::packed(std::uint16_t{1}) + raw::packed(std::uint16_t{4}) + "abcd";
       }),
       "extra field of 'x/data/0': cut off"},
      {"no zip64 field", with([](auto& p) { p.size = p.stored = 0xffffffffu; }), "is outside the file"},
      {"huge zip64 size", with([](auto& p) {
         p.size = p.stored = 0xffffffffu;
         p.extra = raw::packed(std::uint16_t{1}) + raw::packed(std::uint16_t{16}) + std::string(16, '\xff');
       }),
       "is outside the file"},
      {"one header twice", raw::zip({{"a", "1"}, changed([](auto& p) {
                                       p.name = "b";
                                       p.data = "1";
                                       p.header = 0;
                                     })}),
       "record 'b' has another name in its header"},
  };
}

// Two records whose contents share bytes, each with a correct header of its own.
std::string overlapping() {
  const std::string inner = raw::zip({{"b", "12"}}).substr(0, 33);  // its local header, name and content
  ZipPart a{"a", inner};
  ZipPart b{"b", "12"};
  b.header = 31;  // inside the content of a
  return raw::zip({a, b});
}

std::vector<Hostile> hostile_ends() {
  const std::string whole = raw::zip({{"a", "content"}});
  return {
      {"cut", whole.substr(0, whole.size() - 5), "zip archive is cut off"},
      {"only a header", "PK\3\4rest of it", "zip archive is cut off"},
      {"nothing", "", "zip archive is cut off"},
      {"overlap", overlapping(), "records 'a' and 'b' overlap"},
      {"several disks", lying([](auto& l) { l.disk = 1; }), "spans several files"},
      {"too few entries", lying([](auto& l) { l.entries = 1; }), "bytes after the zip directory"},
      {"too many entries", lying([](auto& l) { l.entries = 3; }), "cut off at byte"},
      {"long directory", lying([](auto& l) { l.directory_bytes = 0xfffffffeu; }),
       "zip directory is too long"},
      {"directory outside", lying([](auto& l) { l.directory_begin = 0xfffffff0u; }),
       "does not end where it must"},
      {"short directory", lying([](auto& l) { l.directory_bytes = 10; }), "does not end where it must"},
      {"prefixed", "PK" + whole, "does not end where it must"},
      {"bytes before the end", lying([](auto& l) { l.before_end = "junk"; }), "does not end where it must"},
      {"zip64 outside", lying([](auto& l) { l.before_end = zip64_locator(~0ull); }), "is outside the file"},
      {"zip64 nowhere", lying([](auto& l) { l.before_end = zip64_locator(0); }),
       "no zip64 end record at byte 0"},
      {"zip64 count", lying([](auto& l) {
         l.before_end = "PK\6\6" + raw::packed(std::uint64_t{44}) + std::string(12, '\0') +
                        std::string(16, '\x7f') + std::string(16, '\0') + zip64_locator(0);
         const std::uint64_t at = raw::zip({{"first", "1"}, {"second", "2"}}).size() - 22;
         l.before_end.replace(l.before_end.size() - 12, 8, raw::packed(at));
       }),
       "too many records: expected at most 100000"},
  };
}

TEST(zip, hostile_archives_are_refused_with_the_reason) {
  for (const auto& table : {hostile_names(), hostile_records(), hostile_ends()})
    for (const Hostile& hostile : table)
      EXPECT_THAT(zip_error(hostile.bytes), HasSubstr(hostile.error)) << hostile.name;
}

TEST(zip, with_several_faults_names_all_of_them) {
  ZipPart sealed{"sealed", "1", 0, 1};
  EXPECT_THAT(zip_error(raw::zip({sealed, {"../a", "2"}, {"b", "3"}, {"b", "4"}})),
              testing::AllOf(HasSubstr("'sealed' is encrypted"), HasSubstr("'../a' leaves"),
                             HasSubstr("'b' comes twice")));
}

TEST(crc32, matches_its_check_value_at_any_length_and_split) {
  EXPECT_EQ(crc32("123456789", 9), 0xcbf43926u);
  const std::string text(1000, 'q');
  for (std::size_t split = 0; split < 64; ++split)
    EXPECT_EQ(crc32(text.data() + split, text.size() - split, crc32(text.data(), split)),
              crc32(text.data(), text.size()));
}

}  // namespace
}  // namespace kinema::checkpoint
