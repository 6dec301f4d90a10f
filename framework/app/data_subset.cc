#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/data_target.h"
#include "framework/app/text_table.h"
#include "framework/config/show.h"
#include "framework/data/item_list.h"
#include "framework/eval/assembly.h"
#include "framework/tracking/run_file.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

// The data set `subset` of the experiment's own: it knows the ways to choose.
Component<Dataset> chosen(const DataSubsetArguments& arguments, const Component<Dataset>& section) {
  const int ways = int{arguments.fraction.has_value()} + int{arguments.per_class.has_value()} +
                   int{arguments.representative.has_value()};
  if (ways != 1)
    throw Error(ErrorKind::usage, "command line",
                fmt::format("one way to choose: expected --fraction, --per-class or --representative, got {}",
                            ways == 0 ? "none" : "several"));
  Value of = section.options;
  of.set("type", Value(section.type));
  Component<Dataset> subset{"subset", Value::table({{"of", std::move(of)}, {"seed", Value(arguments.seed)}})};
  if (arguments.per_class) subset.options.set("per_class", Value(*arguments.per_class));
  if (arguments.fraction) subset.options.set("fraction", Value(*arguments.fraction));
  if (arguments.representative) {
    subset.options.set("fraction", Value(*arguments.representative));
    subset.options.set("method", Value("representative"));
  }
  return subset;
}

fs::path root_of(const Value& section) {
  const Value* root = section.find("root");
  return root != nullptr && root->is(Value::Type::string) ? fs::path(root->as_string()) : fs::path();
}

}  // namespace

int data_subset(const DataSubsetArguments& arguments) {
  const Session session = open_session(arguments.experiment);
  const data::Split whole = open_split(session, arguments.split);
  const auto& section =
      arguments.split == "train" ? session.experiment.train_data : session.experiment.eval_data;
  const eval::Workshop workshop{session.experiment, *session.registry, {}, console_lines()};
  const auto subset = workshop.make<Dataset>(chosen(arguments, section), "data." + arguments.split);
  const data::ItemList list =
      data::list_of_items(*subset, root_of(resolved_section(session, arguments.split)));

  const fs::path output = fs::absolute(arguments.output);
  const fs::path classes = output.string() + ".classes.json", table = output.string() + ".toml";
  Value options = list.options;
  options.set("list", Value(output.string()));
  options.set("classes_file", Value(classes.string()));
  tracking::write_atomically(classes.string(), list.classes);
  tracking::write_atomically(output.string(), list.csv);
  tracking::write_atomically(table.string(), config::show(options));
  note(fmt::format("{} of {} in {}", subset->size(), counted(whole.items->size(), "item"), arguments.output));
  note(fmt::format("use it with: kinema train {} data.{}=@{}", arguments.experiment.file, arguments.split,
                   table.string()));
  print(config::show(Value::table({{"data", Value::table({{arguments.split, options}})}})));
  return 0;
}

}  // namespace kinema::app
