#include "framework/data/transforms.h"

#include <memory>

#include "framework/data/photometric.h"
#include "framework/data/rand_augment.h"

namespace kinema::data {
namespace {

constexpr double kLargestSide = 16384;

// A transform is its own options: the parsed struct becomes the component.
template <class T>
void offer(Registrar& registrar, const char* type, const char* help, const Options<T>& options) {
  registrar.add<Transform>(type, help, options,
                           [](const T& parsed, Context&) { return std::make_shared<T>(parsed); });
}

template <class T>
Options<T> square() {
  return Options<T>().add("size", &T::size, "side of the window in pixels", between(1, kLargestSide));
}

template <class T>
Options<T> amount() {
  return Options<T>().add("amount", &T::amount,
                          "the factor is drawn from 1 - amount to 1 + amount, once a clip", between(0, 1));
}

Check one_or_three() {
  return {"1 or 3 numbers",
          [](const Value& v) { return v.as_array().size() == 1 || v.as_array().size() == 3; },
          {}};
}

Check rising(std::size_t fewest) {
  return {fewest == 1 ? "one number, or [low, high]" : "[low, high]",
          [fewest](const Value& v) {
            const auto& list = v.as_array();
            return list.size() >= fewest && list.size() <= 2 &&
                   list.front().as_real() <= list.back().as_real();
          },
          {}};
}

}  // namespace

void register_builtin_transforms(Registrar& registrar) {
  offer(registrar, "resize", "resizes to exactly this size",
        Options<Resize>().add("size", &Resize::size, "[height, width] in pixels", length(2),
                              each(between(1, kLargestSide))));
  offer(registrar, "short_side",
        "resizes so that the short side has this length; [low, high] draws one a clip",
        Options<ShortSide>().add("size", &ShortSide::size, "[size], or [low, high], in pixels", rising(1),
                                 each(between(1, kLargestSide))));
  offer(registrar, "random_crop", "cuts a square anywhere", square<RandomCrop>());
  offer(registrar, "center_crop", "cuts the square in the middle", square<CenterCrop>());
  offer(registrar, "uniform_crop",
        "cuts the square of the spatial view: first, middle or last along the long side",
        square<UniformCrop>());
  offer(registrar, "random_resized_crop", "cuts a window of random area and shape and resizes it to a square",
        square<RandomResizedCrop>()
            .add("area", &RandomResizedCrop::area, "[low, high] as fractions of the picture", rising(2),
                 each(above(0)), each(at_most(1)))
            .add("aspect", &RandomResizedCrop::aspect, "[low, high] of width / height", rising(2),
                 each(above(0))));
  offer(registrar, "flip", "mirrors left and right",
        Options<Flip>().add("probability", &Flip::probability, "share of the clips", between(0, 1)));
  offer(registrar, "brightness", "multiplies all bytes of a clip by one random factor", amount<Brightness>());
  offer(registrar, "contrast", "moves a clip away from or towards the mean grey of each frame",
        amount<Contrast>());
  offer(registrar, "saturation", "moves a clip away from or towards its grey picture", amount<Saturation>());
  const Check share = between(0, 1);
  offer(registrar, "colour_jitter", "brightness, contrast, saturation and hue, in a random order",
        Options<ColourJitter>()
            .add("brightness", &ColourJitter::brightness, "the factor is drawn from 1 - x to 1 + x", share)
            .add("contrast", &ColourJitter::contrast, "the same", share)
            .add("saturation", &ColourJitter::saturation, "the same", share)
            .add("hue", &ColourJitter::hue, "turned by up to so much of the circle", between(0, 0.5)));
  offer(registrar, "greyscale", "makes some clips grey",
        Options<Greyscale>().add("probability", &Greyscale::probability, "share of the clips", share));
  offer(registrar, "lighting", "shifts colours along the principal components of ImageNet's",
        Options<Lighting>()
            .add("amount", &Lighting::amount, "deviation of the draw for each component", at_least(0))
            .add("eigenvalues", &Lighting::eigenvalues, "of the three components", length(3),
                 each(at_least(0))));
  offer(registrar, "random_erasing", "covers a random window, the same in each frame",
        Options<RandomErasing>()
            .add("probability", &RandomErasing::probability, "share of the clips", share)
            .add("area", &RandomErasing::area, "[low, high] as fractions of the picture", rising(2),
                 each(above(0)), each(at_most(1)))
            .add("aspect", &RandomErasing::aspect, "[low, high] of width / height", rising(2), each(above(0)))
            .add_enum("fill", &RandomErasing::fill, "what covers it",
                      {{"noise", RandomErasing::Fill::noise},
                       {"grey", RandomErasing::Fill::grey},
                       {"black", RandomErasing::Fill::black}}));
  offer(registrar, "rand_augment", "a few random operations, the same in each frame",
        Options<RandAugment>()
            .add("operations", &RandAugment::operations, "draws a clip", between(1, 15))
            .add("magnitude", &RandAugment::magnitude, "of an operation, 0 to 10", between(0, 10))
            .add("magnitude_std", &RandAugment::magnitude_std, "deviation of the drawn magnitude",
                 at_least(0)));
  offer(
      registrar, "normalise", "value = (byte / 255 - mean) / std",
      Options<Normalise>()
          .add("mean", &Normalise::mean, "of red, green and blue, or of all, in 0..1", one_or_three())
          .add("std", &Normalise::std, "of red, green and blue, or of all", one_or_three(), each(above(0))));
}

}  // namespace kinema::data
