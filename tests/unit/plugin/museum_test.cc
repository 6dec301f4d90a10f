// Each library of tests/bad_plugins/ is refused for its own reason, and none stops another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

#include "framework/plugin/build_stamp.h"
#include "framework/plugin/library.h"
#include "framework/plugin/registry.h"
#include "kinema/version.h"
#include "tests/unit/plugin/museum.h"

namespace kinema::plugin {
namespace {

// Why the registry refuses a file; "loaded" when it does not. Paths are written as FILE.
std::string refusal(Registry& registry, const fs::path& path) {
  registry.load({path});
  const Library& library = registry.libraries().back();
  EXPECT_EQ(library.path, path.string());
  if (library.loaded()) return "loaded";
  return reason([&] { throw Error(ErrorKind::plugin, library.reasons); }, path);
}

std::string refusal(const fs::path& path) {
  Registry registry;
  return refusal(registry, path);
}

const std::string kRebuild = "\nhint: rebuild it with this kinema's SDK";
const std::string kHowToBuild =
    "\nhint: build it with kinema_add_plugin() and KINEMA_PLUGIN of this kinema's SDK";

// Changes one fact of the stamp of a good library.
std::string refusal_with_stamp(const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  return refusal(write_bytes(folder / "x.so", patched(read_bytes(exhibit("well_behaved")), from, to)));
}

TEST(museum, well_behaved_is_loaded) { EXPECT_EQ(refusal(exhibit("well_behaved")), "loaded"); }

TEST(museum, the_stamp_survives_optimisation_linkers_and_strip) {
  EXPECT_EQ(refusal(exhibit("stripped")), "loaded");
  int linkers = 0;
  for (const char* linker : {"bfd", "gold", "mold"}) {
    const fs::path path = exhibit(std::string("linked_by_") + linker);
    if (!fs::exists(path)) continue;
    ++linkers;
    EXPECT_EQ(refusal(path), "loaded") << linker;
  }
  EXPECT_GT(linkers, 0);
}

TEST(museum, a_plugin_exports_its_door_alone) {
  for (const char* name : {"well_behaved", "throws_own_type"}) {
    FILE* pipe = popen(("nm -D --defined-only " + exhibit(name).string()).c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string symbols;
    for (char buffer[256]; std::fgets(buffer, sizeof buffer, pipe);) symbols += buffer;
    ASSERT_EQ(pclose(pipe), 0);
    EXPECT_THAT(symbols, testing::MatchesRegex("[0-9a-f]+ T kinema_plugin_v1\n"));
  }
}

TEST(museum, not_a_library) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(write_bytes(folder / "x.so", "INPUT(libm.so.6)\n")),
            "FILE: not a shared library: expected the magic bytes of ELF, got other bytes");
}

TEST(museum, empty_file) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(write_bytes(folder / "x.so", "")),
            "FILE: empty file: expected a shared library, got 0 bytes");
}

TEST(museum, truncated_file) {
  const TemporaryFolder folder;
  const std::string bytes = read_bytes(exhibit("well_behaved"));
  EXPECT_THAT(
      refusal(write_bytes(folder / "x.so", bytes.substr(0, 5000))),
      testing::MatchesRegex("FILE: truncated library: expected [0-9]+ bytes of the section table at byte "
                            "[0-9]+, got a file of 5000 bytes"));
}

TEST(museum, library_of_32_bits) {
  const TemporaryFolder folder;
  std::string bytes = read_bytes(exhibit("well_behaved"));
  bytes[4] = 1;
  EXPECT_EQ(refusal(write_bytes(folder / "x.so", bytes)),
            "FILE: wrong word size: expected a library of 64 bits, got 32 bits");
}

TEST(museum, missing_file) {
  EXPECT_EQ(refusal("/no/such/x.so"), "FILE: cannot open: No such file or directory");
}

TEST(museum, a_pipe_does_not_hang_the_loader) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "x.so").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder / "x.so"),
            "FILE: not a regular file: expected a shared library, got a folder, pipe or device");
}

TEST(museum, world_writable_file) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(folder / "x.so", read_bytes(exhibit("well_behaved")));
  fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(refusal(path),
            "FILE: everybody may write to the file: expected that only its owner can change it\n"
            "hint: chmod o-w FILE");
}

TEST(museum, no_stamp) {
  EXPECT_EQ(refusal(exhibit("no_stamp")),
            "FILE: no build stamp: expected a section kinema_stamp, got none" + kHowToBuild);
}

TEST(museum, damaged_stamp) {
  EXPECT_EQ(
      refusal_with_stamp("kinema-stamp;", "kinema_stamp;"),
      "FILE: damaged build stamp: expected \"kinema-stamp;key=value;...;end\", got other text" + kHowToBuild);
}

TEST(museum, other_torch) {
  const std::string torch = *host_stamp().find("torch");
  EXPECT_EQ(refusal_with_stamp("torch=" + torch, "torch=" + std::string(torch.size(), '1')),
            "FILE: built with other versions: expected torch " + torch + ", got " +
                std::string(torch.size(), '1') + kRebuild);
}

TEST(museum, other_sdk_major) {
  const std::string sdk = KINEMA_SDK_VERSION, other = "9" + sdk.substr(1);
  EXPECT_EQ(refusal_with_stamp(";sdk=" + sdk + ";", ";sdk=" + other + ";"),
            "FILE: built with other versions: expected sdk " + sdk + ", got " + other + kRebuild);
  EXPECT_EQ(refusal(exhibit("other_sdk_major")),
            "FILE: bad descriptor: expected SDK major " + std::to_string(KINEMA_SDK_MAJOR) + ", got 97");
}

TEST(museum, other_library_abi_and_debug_mode) {
  EXPECT_EQ(
      refusal_with_stamp(";cxx11_abi=1;std_debug=0;", ";cxx11_abi=0;std_debug=1;"),
      "FILE: built with other versions: expected cxx11_abi 1, got 0; expected std_debug 0, got 1" + kRebuild);
}

TEST(museum, other_sanitizer) {
  const std::string host = *host_stamp().find("sanitize");
  EXPECT_EQ(refusal(exhibit("other_sanitizer")), "FILE: built with other versions: expected sanitize " +
                                                     host + ", got " + (host == "none" ? "address" : "none") +
                                                     kRebuild);
}

TEST(museum, no_door) {
  EXPECT_EQ(refusal(exhibit("no_door")),
            "FILE: no descriptor: expected a symbol kinema_plugin_v1, got none" + kHowToBuild);
}

TEST(museum, missing_dependency) {
  EXPECT_EQ(
      refusal(exhibit("missing_dependency")),
      "FILE: cannot be loaded: libabsent.so: cannot open shared object file: No such file or directory");
}

TEST(museum, bad_descriptors) {
  EXPECT_EQ(refusal(exhibit("null_descriptor")),
            "FILE: bad descriptor: expected a descriptor, got a null pointer");
  EXPECT_EQ(refusal(exhibit("short_descriptor")), "FILE: bad descriptor: expected at least 48 bytes, got 8");
  EXPECT_EQ(refusal(exhibit("null_fields")),
            "FILE: bad descriptor: expected a version, got a null pointer\n"
            "FILE: bad descriptor: expected a stamp, got a null pointer\n"
            "FILE: bad descriptor: expected a register_components, got a null pointer");
  EXPECT_EQ(refusal(exhibit("other_stamp_inside")),
            "FILE: bad descriptor: expected the stamp of the file's section kinema_stamp, got another one");
}

TEST(museum, what_registration_throws_is_the_reason) {
  const std::string fault = "\nhint: this is a fault of the library: tell its author";
  EXPECT_EQ(refusal(exhibit("throws_kinema_error")),
            "FILE: registration failed: tables: no table of class names\n"
            "hint: install the tables\n"
            "FILE: registration failed: no licence");
  EXPECT_EQ(refusal(exhibit("throws_exception")),
            "FILE: registration threw std::runtime_error: no room for tables" + fault);
  EXPECT_EQ(refusal(exhibit("throws_own_type")), "FILE: registration threw museum::OwnType" + fault);
  EXPECT_EQ(refusal(exhibit("throws_int")), "FILE: registration threw int" + fault);
}

TEST(museum, defaults_that_fail_their_own_checks) {
  EXPECT_EQ(refusal(exhibit("bad_default")),
            "FILE: dataset bad_default: option depth: its default fails its own check: "
            "expected one of 10, 18, 34, got 7\n"
            "FILE: dataset bad_default: option inner.rate: its default fails its own check: "
            "expected a number from 0 to 1, got 2.0");
  EXPECT_EQ(refusal(exhibit("bad_whole")),
            "FILE: dataset bad_whole: its defaults fail its own check: low is above high");
}

TEST(museum, presets_that_fail_the_checks) {
  EXPECT_EQ(refusal(exhibit("bad_preset")),
            "FILE: dataset bad_preset: preset bad: depth: unknown value: expected one of 10, 18, 34, got 19\n"
            "FILE: dataset bad_preset: preset unknown: width: unknown key: expected one of root, depth, got "
            "\"width\"\n"
            "FILE: dataset bad_preset: preset good: declared twice");
}

TEST(museum, bad_names) {
  EXPECT_EQ(refusal(exhibit("bad_names")),
            "FILE: dataset Bad-Name: bad type name: expected snake_case, got \"Bad-Name\"\n"
            "FILE: dataset Bad-Name: bad option name: expected snake_case, got \"UpperCase\"\n"
            "FILE: dataset Bad-Name: option twice: declared twice\n"
            "FILE: dataset Bad-Name: option preset: the name belongs to the host");
}

TEST(museum, unknown_kind_and_no_factory) {
  EXPECT_EQ(refusal(exhibit("unknown_kind")),
            "FILE: gadget spinner: unknown kind: expected one of model, dataset, loss, callback, scheduler, "
            "transform, metric, optimizer, got \"gadget\"");
  EXPECT_EQ(refusal(exhibit("no_factory")),
            "FILE: dataset no_factory: no factory: expected a function, got none");
}

TEST(museum, registers_nothing) {
  EXPECT_EQ(refusal(exhibit("registers_nothing")),
            "FILE: registers nothing: expected at least one component, got none");
}

TEST(museum, a_name_that_is_taken_names_both_files) {
  Registry registry;
  registry.load({exhibit("well_behaved")});
  EXPECT_EQ(refusal(registry, exhibit("duplicate")),
            "FILE: dataset well_behaved: the name is taken by " + exhibit("well_behaved").string());
  EXPECT_EQ(registry.find("dataset", "fresh_name"), nullptr) << "a refused library leaves nothing behind";
  EXPECT_EQ(refusal(exhibit("twice")), "FILE: dataset twice: registered twice by this library");
}

TEST(museum, a_copy_of_a_library_is_refused_for_its_names) {
  const TemporaryFolder folder;
  const fs::path copy = write_bytes(folder / "copy.so", read_bytes(exhibit("well_behaved")));
  Registry registry;
  registry.load({exhibit("well_behaved")});
  const std::string taken = exhibit("well_behaved").string();
  EXPECT_EQ(refusal(registry, copy), "FILE: dataset well_behaved: the name is taken by " + taken +
                                         "\nFILE: transform nothing: the name is taken by " + taken);
}

TEST(museum, the_same_file_under_two_names_is_loaded_once) {
  const TemporaryFolder folder;
  const fs::path first = write_bytes(folder / "first.so", read_bytes(exhibit("well_behaved")));
  fs::create_hard_link(first, folder / "second.so");
  Registry registry;
  registry.load({first, folder / "second.so", first});
  ASSERT_EQ(registry.libraries().size(), 1u);
  EXPECT_TRUE(registry.libraries()[0].loaded());
}

TEST(museum, a_file_that_was_swapped_after_its_check_is_refused) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(folder / "x.so", read_bytes(exhibit("well_behaved")));
  const fs::path other = write_bytes(folder / "other.so", read_bytes(exhibit("well_behaved")));
  const CheckedLibrary checked = check_library(path);
  fs::rename(other, path);
  EXPECT_THAT(
      reason([&] { load_library(checked); }, path),
      testing::MatchesRegex("FILE: another file was loaded than was checked: expected device and inode .*, "
                            "got .*"));
}

TEST(museum, a_file_that_was_written_to_after_its_check_is_refused) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(folder / "x.so", read_bytes(exhibit("well_behaved")));
  const CheckedLibrary checked = check_library(path);
  std::ofstream(path, std::ios::app) << "more";
  EXPECT_EQ(reason([&] { load_library(checked); }, path),
            "FILE: the file was written to while it was loaded: expected the content that was checked, got "
            "another");
}

TEST(museum, refusals_never_stop_the_others) {
  Registry registry;
  registry.load({exhibit("throws_int"), exhibit("missing_dependency"), exhibit("well_behaved"),
                 exhibit("null_descriptor")});
  ASSERT_EQ(registry.libraries().size(), 4u);
  EXPECT_FALSE(registry.libraries()[0].loaded());
  EXPECT_FALSE(registry.libraries()[1].loaded());
  EXPECT_FALSE(registry.libraries()[3].loaded());
  const Library& good = registry.libraries()[2];
  EXPECT_TRUE(good.loaded());
  EXPECT_EQ(good.name, "well_behaved");
  EXPECT_EQ(good.version, "1.2");
  EXPECT_EQ(good.about, "shows every type of option");
  EXPECT_THAT(good.components, testing::ElementsAre(testing::Pair("dataset", "well_behaved"),
                                                    testing::Pair("transform", "nothing")));
}

}  // namespace
}  // namespace kinema::plugin
