#include "framework/tracking/run_lock.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "tests/support/scratch.h"

namespace kinema::tracking {
namespace {

using test::error_of;
using test::Scratch;
using testing::HasSubstr;

// Another process that has the folder until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& folder) {
    int ready[2];
    if (::pipe(ready) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      const RunLock lock(folder);
      [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    if (::read(ready[0], &byte, 1) != 1) throw std::runtime_error("the holder died");
    ::close(ready[0]);
  }
  ~Holder() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  int pid() const { return pid_; }

 private:
  int pid_ = 0;
};

TEST(run_lock, keeps_a_second_process_out_and_names_the_first) {
  const Scratch run;
  const Holder holder(run.path());
  try {
    const RunLock second(run.path());
    FAIL() << "got in";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("the run is in use: expected no other process in it, got process " +
                                        std::to_string(holder.pid())));
    EXPECT_THAT(error.what(), HasSubstr("hint: "));
  }
}

TEST(run_lock, is_free_again_when_its_process_was_killed) {
  const Scratch run;
  Holder holder(run.path());
  EXPECT_NE(error_of([&] { RunLock{run.path()}; }), "");
  holder.kill();
  EXPECT_EQ(error_of([&] { RunLock{run.path()}; }), "");
}

TEST(run_lock, lasts_as_long_as_it_lives_also_when_it_is_moved) {
  const Scratch run;
  std::optional<RunLock> first(run.path());
  std::optional<RunLock> moved(std::move(*first));
  first.reset();
  EXPECT_NE(error_of([&] { RunLock{run.path()}; }), "");
  moved.reset();
  EXPECT_EQ(error_of([&] { RunLock{run.path()}; }), "");
}

TEST(run_lock, says_when_there_is_no_folder) {
  const Scratch run;
  EXPECT_THAT(error_of([&] { RunLock{run / "gone"}; }),
              HasSubstr("gone/run.lock: cannot be opened: No such"));
}

}  // namespace
}  // namespace kinema::tracking
