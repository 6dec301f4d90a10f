#include "kinema/model.h"

#include "kinema/error.h"

namespace kinema {

const at::Tensor& ClipBatch::clip(const std::string& modality) const {
  const auto found = clips.find(modality);
  if (found != clips.end()) return found->second;
  std::string there;
  for (const auto& [name, tensor] : clips) there += (there.empty() ? "" : ", ") + name;
  throw Error(ErrorKind::plugin, "model",
              "no clip of that modality in the batch: expected " + modality + ", got " +
                  (there.empty() ? "none" : there),
              "the data set's items name the modalities");
}

Model::~Model() = default;
HasKeyMaps::~HasKeyMaps() = default;
HasFeatures::~HasFeatures() = default;
HasParamRules::~HasParamRules() = default;

}  // namespace kinema
