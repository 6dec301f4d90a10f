#include <algorithm>
#include <memory>
#include <utility>

#include "annotations/paths.h"
#include "annotations/pictures.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"
#include "row.h"

namespace kinema::list {
namespace {

using namespace annotations;

struct ListOptions : FlowOptions {
  std::filesystem::path root, list;
  std::vector<std::string> columns = {"path", "label"};
  Separator separator = Separator::detect;
  bool header = false;
  bool multi_label = false;
  std::string label_separator = ",";
  std::vector<std::string> classes;
  std::optional<std::filesystem::path> classes_file;
  ClassOrder order = ClassOrder::alphabetical;
  std::optional<std::int64_t> first_label;
  std::string pictures;
  std::optional<std::int64_t> first_number;
  double fps = 25;
  Missing missing = Missing::keep;
  bool allow_absolute = false;
};

void check_options(const ListOptions& options) {
  std::vector<Problem> problems;
  const auto complain = [&](std::string what, std::string hint = {}) {
    problems.push_back({"list", std::move(what), std::move(hint), {}});
  };
  for (std::string& fault : column_faults(options.columns)) complain(std::move(fault));
  const bool labels =
      std::find(options.columns.begin(), options.columns.end(), "labels") != options.columns.end();
  if (labels && !options.multi_label)
    complain("several labels an item: expected multi_label = true beside the column labels, got false");
  if (!options.classes.empty() && options.classes_file)
    complain("exclusive keys: expected classes or classes_file, got both");
  if (options.label_separator.size() != 1)
    complain("label_separator: expected one character, got \"" + options.label_separator + "\"");
  if (options.pictures.empty() && options.first_number)
    complain("a key without effect: expected pictures beside first_number, got none");
  check_flow(options, "list", problems);
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
  check_folder(options.root);
}

// The number of a row's first picture: as the options say, else what is found in the folder, else 1.
void set_first_number(const ListOptions& options, Row& row) {
  if (row.clip.pictures.empty() || row.first_known) return;
  if (options.first_number) {
    row.clip.first_number = *options.first_number;
  } else if (is_folder(options.root / row.clip.path)) {
    if (const auto found = look_for_pictures(options.root / row.clip.path, row.clip.pictures))
      row.clip.first_number = found->first_number;
  }
}

std::shared_ptr<Dataset> make_list(const ListOptions& options, Context& context) {
  check_options(options);
  const RowRules rows{options.columns, options.separator, options.multi_label ? options.label_separator : "",
                      options.pictures, options.allow_absolute};
  Complaints complaints(options.list);
  RowReader reader(rows, complaints);
  Listing listing;
  bool skip = options.header;
  for_each_line(options.list, {}, [&](const Line& line) {
    if (std::exchange(skip, false)) return;
    Row* row = reader.read(line);
    if (row == nullptr) return;
    set_first_number(options, *row);
    listing.add(line.number, row->labels, row->clip);
  });
  ListRules rules{"list", {options.root, options.fps, options.multi_label, options}, {}, options.missing};
  rules.labels = {given_classes(options.classes, options.classes_file), options.order, options.first_label};
  return make_clip_list(std::move(listing), rules, complaints, context);
}

}  // namespace
}  // namespace kinema::list

KINEMA_PLUGIN("list", "1.0",
              "a text file of videos or folders of pictures and their labels, in columns of your own") {
  using namespace kinema;
  using namespace kinema::list;
  using annotations::ClassOrder;
  using O = ListOptions;
  Options<O> options;
  options.add("root", &O::root, "folder that the paths of the list start from")
      .required()
      .add("list", &O::list, "the file")
      .required()
      .add("columns", &O::columns,
           "what stands in a line: path, label, labels (all that follow), first, last or frames (of the "
           "file, or "
           "numbers of pictures), fps, start_s, end_s, weight, key, skip",
           not_empty())
      .add_enum("separator", &O::separator, "between columns",
                {{"detect", Separator::detect},
                 {"space", Separator::space},
                 {"comma", Separator::comma},
                 {"tab", Separator::tab}})
      .add("header", &O::header, "the first line is a header")
      .add("multi_label", &O::multi_label, "an item may have several labels, or none")
      .add("label_separator", &O::label_separator, "between several labels in one column")
      .add("classes", &O::classes, "class names in label order")
      .add("classes_file", &O::classes_file, "the same, one a line of a file, or .json")
      .add_enum("order", &O::order, "of class names that are not given",
                {{"alphabetical", ClassOrder::alphabetical}, {"appearance", ClassOrder::appearance}})
      .add("first_label", &O::first_label,
           "number of the first class in a list of numbers; seen from the list", one_of(0, 1))
      .add("pictures", &O::pictures,
           "names of the pictures, \"img_%05d.jpg\": then paths are folders of them")
      .add("first_number", &O::first_number, "of the first picture; default: seen in the folder", at_least(0))
      .add("fps", &O::fps, "of pictures without a column fps", above(0))
      .add_enum("missing", &O::missing,
                "items without a file: left out and counted, or kept for the run to meet",
                annotations::missing_names())
      .add("allow_absolute", &O::allow_absolute, "lets the list name absolute paths and \"..\"");
  annotations::add_flow_options(options);
  registrar.add<Dataset>(
      "list", "a text file of videos or folders of pictures and their labels, in columns of your own",
      options, make_list);
}
