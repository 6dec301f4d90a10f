#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/component.h"
#include "kinema/export.h"

namespace kinema {

class Model;

// What a factory may ask of the host. Valid during the factory call only; not for worker threads.
class KINEMA_API Context {
 public:
  virtual ~Context();

  // Builds the component that an option named. Throws Error when its options are wrong or its factory threw.
  template <class Kind>
  std::shared_ptr<Kind> make(const Component<Kind>& component) {
    return std::static_pointer_cast<Kind>(make_any(Kind::kKind, component.type, component.options));
  }

  // Class names of the experiment's data, in label order; empty while the data sets themselves are being
  // built.
  virtual const std::vector<std::string>& classes() const = 0;
  // Number of classes: classes().size(), or what `--classes N` said where there are no names.
  virtual std::int64_t num_classes() const = 0;
  virtual std::uint64_t seed() const = 0;
  // Gives a model that the factory built the weights of a file, as `weights` in [model] does: any program's
  // names, any of its formats. Throws Error(data) with what does not fit.
  virtual void load_weights(Model& model, const std::filesystem::path& file) = 0;
  // Files that are not there and whose items the data set leaves out. The host lists all of them in the run
  // folder; how many there are is for the data set to say.
  virtual void missing(const std::vector<std::string>& files) = 0;
  // A line for the run's log at level info or warning. No newline.
  virtual void info(std::string_view text) = 0;
  virtual void warn(std::string_view text) = 0;

 protected:
  // The pointer was made from shared_ptr<Kind>.
  virtual std::shared_ptr<void> make_any(std::string_view kind, const std::string& type,
                                         const Value& options) = 0;
};

}  // namespace kinema
