#pragma once

// Private to this folder.
#include <cstdint>

namespace kinema::data {

// How many threads decode where nobody said a number: as many as the measured work of a batch needs beside
// the time that its user takes, and no more, as each keeps files and decoders open.
class WorkerCount {
 public:
  // Begins with `start` of 1 .. `most`.
  WorkerCount(std::int64_t start, std::int64_t most) : count_(start), most_(most) {}
  std::int64_t count() const { return count_; }

  // What one batch took: CPU seconds of all workers, seconds that its user waited, seconds it did something
  // else. Decides anew after every kWindow batches.
  void took(double work_s, double waited_s, double away_s);
  static constexpr int kWindow = 16;

 private:
  std::int64_t count_, most_;
  int batches_ = 0;
  double work_s_ = 0, waited_s_ = 0, away_s_ = 0;
};

}  // namespace kinema::data
