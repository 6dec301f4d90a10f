#include <fmt/format.h>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/session.h"
#include "framework/infer/summary.h"
#include "framework/train/assembly.h"

namespace kinema::app {

int check(const ExperimentArguments& arguments) {
  const Session session = open_session(arguments);
  const config::Experiment& experiment = session.experiment;
  eval::Workshop workshop{experiment, *session.registry, {}, console_lines()};
  const train::DataSets sets = train::make_data_sets(workshop);
  workshop.classes = sets.classes;
  const train::Parts parts = train::assemble(workshop, sets, eval::choose_device(experiment.trainer.device));
  print(fmt::format("{}: ok", arguments.file));
  print(fmt::format("  model     {}, {} parameters, {} classes", experiment.model.type,
                    infer::parameter_count(*parts.model), sets.classes.size()));
  print(fmt::format("  training  {} items, {} batches of {} an epoch, {} epochs", sets.train->size(),
                    parts.train.batches, experiment.loader.batch, experiment.trainer.epochs));
  if (sets.eval)
    print(fmt::format("  evaluation  {} items, {} views each", sets.eval->size(), parts.eval.views));
  return 0;
}

}  // namespace kinema::app
