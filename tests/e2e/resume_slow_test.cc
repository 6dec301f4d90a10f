#include "tests/e2e/killed_run.h"

namespace kinema::e2e {
namespace {

TEST(resume_slow, a_run_killed_after_each_of_its_steps_ends_byte_equal) {
  expect_resumes_byte_equal(kWatched, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST(resume_slow, it_does_so_with_two_threads_and_two_workers) {
  expect_resumes_byte_equal(with(kWatched, {"trainer.threads=2", "loader.workers=2"}), {1, 3, 5, 8, 11});
}

}  // namespace
}  // namespace kinema::e2e
