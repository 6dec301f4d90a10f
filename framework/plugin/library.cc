#include "framework/plugin/library.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "framework/plugin/build_stamp.h"
#include "framework/plugin/elf_section.h"
#include "framework/plugin/mapped_file.h"
#include "kinema/error.h"
#include "kinema/plugin.h"

namespace kinema::plugin {
namespace {

constexpr std::uint64_t kMaxStamp = 4096;
constexpr const char* kDoor = "kinema_plugin_v1";
constexpr const char* kHowToBuild =
    "build it with kinema_add_plugin() and KINEMA_PLUGIN of this kinema's SDK";

[[noreturn]] void refuse(const std::filesystem::path& path, std::string what, std::string hint = {}) {
  throw Error(ErrorKind::plugin, path.string(), std::move(what), std::move(hint));
}

// Compares with the host; gives the text of the stamp.
std::string check_stamp(const CheckedLibrary& library) {
  const std::string where = library.path().string();
  const auto bytes = read_elf_section(library.file(), static_cast<std::uint64_t>(library.facts().st_size),
                                      "kinema_stamp", kMaxStamp, where);
  if (!bytes)
    refuse(library.path(), "no build stamp: expected a section kinema_stamp, got none", kHowToBuild);
  std::string text = bytes->substr(0, bytes->find('\0'));
  const auto stamp = parse_stamp(text);
  if (!stamp)
    refuse(library.path(), "damaged build stamp: expected \"kinema-stamp;key=value;...;end\", got other text",
           kHowToBuild);
  const std::string differences = stamp_differences(host_stamp(), *stamp);
  if (!differences.empty())
    refuse(library.path(), "built with other versions: " + differences, "rebuild it with this kinema's SDK");
  return text;
}

// The reason as the dynamic linker gives it, without Boost.DLL's frame around it.
std::string linker_reason(const std::string& what) {
  constexpr std::string_view begin = "dlerror system message: ", end = "): ";
  const std::size_t from = what.find(begin);
  const std::size_t to = what.rfind(end);
  if (from == std::string::npos || to == std::string::npos || to < from + begin.size()) return what;
  return what.substr(from + begin.size(), to - from - begin.size());
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// The path may name another file by now, or the file other content.
void check_unchanged(const CheckedLibrary& library, const void* code) {
  struct stat now {};
  if (fstat(library.file(), &now) != 0 || !same_file(now, library.facts()))
    refuse(library.path(),
           "the file was written to while it was loaded: expected the content that was checked, got another");
  const std::string expected = mapped_file(library.file());
  const std::string got = mapped_file(code);
  if (!expected.empty() || !got.empty()) {
    if (expected != got)
      refuse(library.path(),
             fmt::format("another file was loaded than was checked: expected device and inode {}, got {}",
                         expected, got));
    return;
  }
  // Without /proc the path is all there is to ask.
  if (stat(library.path().c_str(), &now) != 0 || !same_file(now, library.facts()))
    refuse(library.path(), "another file was loaded than was checked: expected the same one, got another");
}

void check_descriptor(const CheckedLibrary& library, const KinemaPluginDescriptor* descriptor) {
  if (!descriptor) refuse(library.path(), "bad descriptor: expected a descriptor, got a null pointer");
  if (descriptor->size < sizeof(KinemaPluginDescriptor))
    refuse(library.path(), fmt::format("bad descriptor: expected at least {} bytes, got {}",
                                       sizeof(KinemaPluginDescriptor), descriptor->size));
  std::vector<Problem> problems;
  const auto add = [&](std::string what) {
    problems.push_back({library.path().string(), "bad descriptor: " + std::move(what), {}, {}});
  };
  if (descriptor->sdk_major != KINEMA_SDK_MAJOR)
    add(fmt::format("expected SDK major {}, got {}", KINEMA_SDK_MAJOR, descriptor->sdk_major));
  const std::pair<const char*, bool> fields[] = {
      {"name", descriptor->name},
      {"version", descriptor->version},
      {"about", descriptor->about},
      {"stamp", descriptor->stamp},
      {"register_components", descriptor->register_components},
  };
  for (const auto& [name, given] : fields)
    if (!given) add(fmt::format("expected a {}, got a null pointer", name));
  // A section table that was made up may show another stamp than the one that was compiled in.
  if (descriptor->stamp && descriptor->stamp != library.stamp())
    add("expected the stamp of the file's section kinema_stamp, got another one");
  if (!problems.empty()) throw Error(ErrorKind::plugin, std::move(problems));
}

}  // namespace

CheckedLibrary::CheckedLibrary(std::filesystem::path path) : path_(std::move(path)) {
  // O_NONBLOCK: a named pipe must not hang us.
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0 || fstat(file_, &facts_) != 0)
    refuse(path_, fmt::format("cannot open: {}", std::strerror(errno)));
}

CheckedLibrary::CheckedLibrary(CheckedLibrary&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      facts_(other.facts_),
      stamp_(std::move(other.stamp_)) {}

CheckedLibrary::~CheckedLibrary() {
  if (file_ >= 0) close(file_);
}

CheckedLibrary check_library(const std::filesystem::path& path) {
  CheckedLibrary library(path);
  if (!S_ISREG(library.facts_.st_mode))
    refuse(path, "not a regular file: expected a shared library, got a folder, pipe or device");
  if (library.facts_.st_mode & S_IWOTH)
    refuse(path, "everybody may write to the file: expected that only its owner can change it",
           "chmod o-w " + path.string());
  library.stamp_ = check_stamp(library);
  return library;
}

const KinemaPluginDescriptor& load_library(const CheckedLibrary& library) {
  // Never destroyed, so never unloaded: objects, exceptions and deleters of the library may live to the end.
  static auto& loaded = *new std::vector<boost::dll::shared_library>();
  boost::dll::shared_library handle;
  try {
    handle.load(std::filesystem::absolute(library.path()),
                boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  } catch (const std::system_error& error) {
    refuse(library.path(), "cannot be loaded: " + linker_reason(error.what()));
  }
  loaded.push_back(handle);
  if (!handle.has(kDoor))
    refuse(library.path(), fmt::format("no descriptor: expected a symbol {}, got none", kDoor), kHowToBuild);
  auto* door = &handle.get<const KinemaPluginDescriptor*()>(kDoor);
  check_unchanged(library, reinterpret_cast<const void*>(door));
  const KinemaPluginDescriptor* descriptor = door();
  check_descriptor(library, descriptor);
  return *descriptor;
}

}  // namespace kinema::plugin
