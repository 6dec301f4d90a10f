#include "framework/train/seeding.h"

#include <ATen/Context.h>

#include <mutex>

namespace kinema::train {

void seed_generator(const c10::Device& device, std::uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed);
}

}  // namespace kinema::train
