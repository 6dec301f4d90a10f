#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace kinema::train {

// Seeds torch's default generator of a device: initial weights, then dropout of each micro-batch.
void seed_generator(const c10::Device& device, std::uint64_t seed);

}  // namespace kinema::train
