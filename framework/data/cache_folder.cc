#include "framework/data/cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include "kinema/error.h"

namespace kinema::data {
namespace {

constexpr const char* kUsers = "users";  // locked by every process that uses the folder
constexpr const char* kLock = "lock";    // held while files are removed
constexpr const char* kUsage = "usage";
constexpr char kUnfinished = '.';           // names that begin so belong to nobody yet
constexpr std::int64_t kAbandoned = 600;    // seconds after which an unfinished file's writer is dead
constexpr double kShareAfterRemoval = 0.9;  // of the budget, so that not every file removes another

[[noreturn]] void fail(const std::filesystem::path& folder, const std::string& what, int code) {
  throw Error(ErrorKind::run, folder.string(),
              fmt::format("{}: expected a folder of our own, got \"{}\"", what, std::strerror(code)),
              "choose another loader.cache.folder");
}

// Made where it is missing; ours alone, as its name may be one that others can guess. -1: removed meanwhile.
int open_folder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) fail(folder, "cannot make the cache", errno);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 && errno == ENOENT) return -1;
  if (fd < 0) fail(folder, "cannot open the cache", errno);
  struct stat status {};
  if (::fstat(fd, &status) == 0 && status.st_uid == ::geteuid() && (status.st_mode & 0022) == 0) return fd;
  ::close(fd);
  fail(folder, "others may write to the cache", EPERM);
}

int open_at(int folder, const char* name, int flags) {
  return ::openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

bool same_file(int fd, int folder, const char* name) {
  struct stat opened {
  }, named{};
  return ::fstat(fd, &opened) == 0 && ::fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

bool write_all(int fd, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

class Locked {
 public:
  explicit Locked(int fd) : fd_(fd) {
    while (::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Locked() { ::flock(fd_, LOCK_UN); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int fd_;
};

}  // namespace

struct CacheFolder::File {
  std::string name;
  std::int64_t bytes = 0, used_ns = 0;
};

// In a file that all processes map; made anew from the files that are there by each that comes.
struct CacheFolder::Shared {
  std::atomic<std::int64_t> used;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

CacheFolder::CacheFolder(Options options) : options_(std::move(options)) {
  std::error_code failed;
  std::filesystem::create_directories(options_.folder.parent_path(), failed);
  enter();
  lock_ = open_at(folder_, kLock, O_RDWR | O_CREAT);
  const int usage = open_at(folder_, kUsage, O_RDWR | O_CREAT);
  void* mapped = MAP_FAILED;
  if (lock_ >= 0 && usage >= 0 && ::ftruncate(usage, sizeof(Shared)) == 0)
    mapped = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, usage, 0);
  const int code = errno;
  if (usage >= 0) ::close(usage);
  if (mapped == MAP_FAILED) fail(options_.folder, "cannot use the cache", code);
  shared_ = static_cast<Shared*>(mapped);
  make_room(0, [](const std::string&) {});
}

// The folder of a process that just left may be removed while this one comes.
void CacheFolder::enter() {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    folder_ = open_folder(options_.folder);
    if (folder_ < 0) continue;
    users_ = open_at(folder_, kUsers, O_RDWR | O_CREAT);
    if (users_ >= 0) {
      ::flock(users_, LOCK_SH);
      if (same_file(users_, folder_, kUsers)) return;
      ::close(users_);
    }
    const int code = users_ >= 0 ? ENOENT : errno;
    ::close(folder_);
    if (code != ENOENT) fail(options_.folder, "cannot use the cache", code);
  }
  fail(options_.folder, "cannot use the cache", EBUSY);
}

CacheFolder::~CacheFolder() {
  if (shared_ != nullptr) ::munmap(shared_, sizeof(Shared));
  if (options_.remove_when_unused && ::flock(users_, LOCK_EX | LOCK_NB) == 0) {
    for (const File& file : files()) ::unlinkat(folder_, file.name.c_str(), 0);
    for (const char* name : {kUsage, kLock, kUsers}) ::unlinkat(folder_, name, 0);
    ::rmdir(options_.folder.c_str());
  }
  for (const int fd : {lock_, users_, folder_})
    if (fd >= 0) ::close(fd);
}

std::vector<CacheFolder::File> CacheFolder::files() const {
  std::vector<File> found;
  const int copy = ::openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* listing = copy < 0 ? nullptr : ::fdopendir(copy);
  if (listing == nullptr) return found;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || name == kUsers || name == kLock || name == kUsage) continue;
    struct stat status {};
    if (::fstatat(folder_, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
      continue;
    found.push_back(
        {name, status.st_size, std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec});
  }
  ::closedir(listing);
  return found;
}

// Counts what is there and removes what is too much, so that `bytes` more have room.
void CacheFolder::make_room(std::int64_t bytes, const std::function<void(const std::string&)>& removed) {
  const Locked locked(lock_);
  std::vector<File> there = files();
  std::ranges::sort(there, {}, &File::used_ns);
  std::int64_t used = 0;
  for (const File& file : there) used += file.bytes;
  const std::int64_t abandoned = (std::int64_t{std::time(nullptr)} - kAbandoned) * 1'000'000'000;
  const auto goal =
      static_cast<std::int64_t>(kShareAfterRemoval * static_cast<double>(options_.budget_bytes));
  const bool full = used + bytes > options_.budget_bytes;
  for (const File& file : there) {
    const bool unfinished = file.name.front() == kUnfinished;
    const bool surplus = full && !unfinished && used + bytes > std::max(goal, bytes);
    if (!surplus && !(unfinished && file.used_ns < abandoned)) continue;
    if (::unlinkat(folder_, file.name.c_str(), 0) != 0) continue;
    used -= file.bytes;
    if (!unfinished) removed(file.name);
  }
  shared_->used = used;
}

bool CacheFolder::write(const std::string& name, std::span<const std::span<const std::uint8_t>> parts) const {
  const int fd = open_at(folder_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL);
  if (fd < 0) return false;
  const bool written = std::ranges::all_of(parts, [fd](auto part) { return write_all(fd, part); });
  return (::close(fd) == 0) && written;
}

CacheFolder::Outcome CacheFolder::put(const std::string& name,
                                      std::span<const std::span<const std::uint8_t>> parts,
                                      const std::function<void(const std::string&)>& removed) {
  static std::atomic<std::uint64_t> serial = 0;
  std::int64_t bytes = 0;
  for (const auto part : parts) bytes += static_cast<std::int64_t>(part.size());
  if (bytes > options_.budget_bytes) return Outcome::refused;
  // Said before it is written: several writers together must not pass the budget either.
  if (shared_->used.fetch_add(bytes) + bytes > options_.budget_bytes) {
    make_room(bytes, removed);
    shared_->used += bytes;
  }
  const std::string unfinished = fmt::format("{}{}.{}.{}", kUnfinished, name, ::getpid(), serial++);
  Outcome outcome = Outcome::refused;
  if (write(unfinished, parts)) {
    if (::linkat(folder_, unfinished.c_str(), folder_, name.c_str(), 0) == 0) {
      outcome = Outcome::stored;
    } else if (errno == EEXIST) {
      outcome = Outcome::there_already;
    }
  }
  ::unlinkat(folder_, unfinished.c_str(), 0);
  if (outcome != Outcome::stored) shared_->used -= bytes;
  return outcome;
}

int CacheFolder::open(const std::string& name) const { return open_at(folder_, name.c_str(), O_RDONLY); }

bool CacheFolder::touch(const std::string& name) const {
  return ::utimensat(folder_, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0;
}

void CacheFolder::remove(const std::string& name) {
  struct stat status {};
  const bool known = ::fstatat(folder_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (::unlinkat(folder_, name.c_str(), 0) == 0 && known) shared_->used -= status.st_size;
}

std::int64_t CacheFolder::used_bytes() const { return shared_->used; }

}  // namespace kinema::data
