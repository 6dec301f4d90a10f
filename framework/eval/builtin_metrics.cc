#include "framework/eval/builtin_metrics.h"

#include <memory>

#include "framework/eval/accuracy.h"
#include "framework/eval/average_precision.h"
#include "framework/eval/frame_precision.h"
#include "framework/eval/mean_class.h"

namespace kinema::eval {

void register_builtin_metrics(Registrar& registrar) {
  registrar.add<Metric>("accuracy", "share of samples whose class is among the k best-scored ones",
                        accuracy_options(),
                        [](const AccuracyOptions& o, Context&) { return std::make_shared<Accuracy>(o); });
  registrar.add<Metric>("mean_class", "share of right predictions within each class, averaged over classes",
                        Options<NoOptions>(), [](const NoOptions&, Context& context) {
                          return std::make_shared<MeanClass>(context.num_classes());
                        });
  registrar.add<Metric>("mean_average_precision",
                        "area under precision and recall of each class, averaged over classes: for several "
                        "classes a clip",
                        Options<NoOptions>(),
                        [](const NoOptions&, Context&) { return std::make_shared<AveragePrecision>(); });
  registrar.add<Metric>("frame_map", "AVA's mean average precision of boxes on key frames",
                        frame_precision_options(), make_frame_precision);
}

}  // namespace kinema::eval
