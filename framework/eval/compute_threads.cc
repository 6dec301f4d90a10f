#include "framework/eval/compute_threads.h"

#include <ATen/Parallel.h>

namespace kinema::eval {

void set_compute_threads(const config::TrainerOptions& trainer) {
  if (trainer.threads) at::set_num_threads(static_cast<int>(*trainer.threads));
}

}  // namespace kinema::eval
