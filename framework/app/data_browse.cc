#include <fmt/format.h>

#include <memory>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/data_target.h"
#include "framework/data/browse.h"
#include "framework/data/recipe.h"
#include "framework/eval/assembly.h"
#include "kinema/error.h"

namespace kinema::app {

int data_browse(const DataBrowseArguments& arguments) {
  const Session session = open_session(arguments.experiment);
  const config::Experiment& experiment = session.experiment;
  const eval::Workshop workshop{experiment, *session.registry, {}, console_lines()};
  const data::Split split = open_split(session, arguments.split);
  const bool training = arguments.split == "train";
  const auto maker = eval::transform_maker(workshop);
  const auto recipe =
      std::make_shared<const data::ClipRecipe>(training ? data::train_recipe(experiment, split.items, maker)
                                                        : data::eval_recipe(experiment, split.items, maker));
  data::BrowseOptions options;
  options.items = static_cast<std::size_t>(arguments.items);
  options.epoch = static_cast<std::uint64_t>(arguments.epoch);
  options.stages = arguments.stages;
  options.output = arguments.output;
  if (const auto& listed = training ? experiment.train_transforms : experiment.eval_transforms)
    for (const auto& component : *listed) options.step_names.push_back(component.type);
  const data::BrowseReport report = data::browse(recipe, options);
  for (const auto& file : report.files) print(file.string());
  for (const std::string& line : report.unreadable) warn("left out: " + line);
  return report.unreadable.empty() ? 0 : static_cast<int>(ErrorKind::data);
}

}  // namespace kinema::app
