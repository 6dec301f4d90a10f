#include "blocks/mlp.h"

namespace kinema::blocks {

std::shared_ptr<Sequential> make_mlp(const MlpOptions& o) {
  auto mlp = std::make_shared<Sequential>();
  mlp->add(std::make_shared<Linear>(o.in, o.hidden), o.names[0])
      .add(std::make_shared<Activation>(ActivationKind::gelu), o.names[1])
      .add(std::make_shared<Dropout>(o.dropout), o.names[2])
      .add(std::make_shared<Linear>(o.hidden, o.out), o.names[3])
      .add(std::make_shared<Dropout>(o.dropout), o.names[4]);
  return mlp;
}

}  // namespace kinema::blocks
