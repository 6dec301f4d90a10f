#include "framework/data/item_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "framework/data/file_list.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

// Beyond the end of every file: "whole" among parts of others.
constexpr double kEndFrame = 1e15, kEndSecond = 1e9;

fs::path file_of(const Source& source) {
  return source.video.empty() ? source.pattern.parent_path() : source.video;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// What all items of a list have in common.
struct Shape {
  Span::Unit unit = Span::Unit::whole;  // the same for all that are parts
  bool labels = false, multi_label = false, weights = false, keys = false, rates = false;
  std::string pictures;
  std::optional<std::int64_t> first_number;  // of pictures whose items are whole
  char label_separator = 0;
};

[[noreturn]] void refuse(const Item& item, std::string what) {
  throw Error(ErrorKind::data, "item " + item.key, std::move(what),
              "the data set `subset` makes the same choice inside an experiment file");
}

void check_source(const Item& item) {
  if (item.sources.size() != 1 || item.sources[0].modality != "rgb")
    refuse(item, fmt::format("not one source: expected one of rgb, got {}", item.sources.size()));
  const Source& source = item.sources[0];
  if (source.frames || !source.pattern_down.empty())
    refuse(item, "a list cannot say this source: expected a video or a folder of pictures, got another kind");
  if (!item.target.boxes.empty() || item.target.truth || item.key_frame)
    refuse(item, "a list cannot say boxes: expected labels alone, got boxes");
  if (item.span.unit == Span::Unit::centre || item.span.unit == Span::Unit::centre_seconds)
    refuse(item, "a list cannot say a moment: expected a part of a video, got its middle");
  for (const float value : item.target.values)
    if (value != 0 && value != 1)
      refuse(item, fmt::format("a list cannot say soft labels: expected 0 or 1, got {}", value));
}

template <class T>
void agree(const Item& item, const char* what, std::optional<T>& known, const T& value) {
  if (known && *known != value)
    refuse(item, fmt::format("items differ: expected the same {} for all of a list, got others", what));
  known = value;
}

void check_names(const std::vector<std::string>& classes) {
  std::set<std::string> seen;
  for (const std::string& name : classes) {
    const bool trimmed = !name.empty() && name.front() != ' ' && name.back() != ' ';
    if (!trimmed || name.find_first_of("\t\r\n\v\f") != std::string::npos || !seen.insert(name).second)
      throw Error(ErrorKind::data, "classes",
                  fmt::format("a list cannot say this name: expected one line, once, got \"{}\"", name));
  }
}

char separator_of(const std::vector<std::string>& classes) {
  for (const char candidate : {';', '|', '+', '/', '~', '#', '^'}) {
    const auto holds = [&](const std::string& name) { return name.find(candidate) != std::string::npos; };
    if (std::none_of(classes.begin(), classes.end(), holds)) return candidate;
  }
  throw Error(
      ErrorKind::data, "classes",
      "no character is left to separate labels: expected one of ;|+/~#^ that no name holds, got none");
}

std::string path_text(const Item& item, const fs::path& root) {
  return file_of(item.sources[0]).lexically_relative(root).string();
}

Shape shape_of(const Dataset& items, const fs::path& root) {
  Shape shape;
  std::optional<Span::Unit> unit;
  std::optional<bool> multi_label, labelled;
  std::optional<std::string> pictures;
  std::optional<std::int64_t> first_number;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item item = items.item(i);
    check_source(item);
    const Source& source = item.sources[0];
    if (item.span.unit != Span::Unit::whole)
      agree(item, "unit of parts (frames, seconds)", unit, item.span.unit);
    agree(item, "way of labels (one, several)", multi_label, !item.target.values.empty());
    agree(item, "use of labels", labelled, !item.target.values.empty() || item.target.label >= 0);
    agree(item, "names of pictures", pictures, source.pattern.filename().string());
    if (!source.pattern.empty() && item.span.unit == Span::Unit::whole)
      agree(item, "first number of pictures", first_number, source.first_number);
    shape.weights = shape.weights || item.weight != 1;
    shape.rates = shape.rates || (!source.pattern.empty() && source.pattern_fps != 25);
    shape.keys = shape.keys || item.key != path_text(item, root);
  }
  shape.unit = unit.value_or(Span::Unit::whole);
  shape.labels = labelled.value_or(false);
  shape.multi_label = multi_label.value_or(false);
  shape.pictures = pictures.value_or("");
  shape.first_number = first_number;
  if (first_number && shape.unit != Span::Unit::whole)
    throw Error(ErrorKind::data, "items",
                "whole folders of pictures beside parts of others: expected one or the other, got both");
  return shape;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string labels_text(const Item& item, const std::vector<std::string>& classes, const Shape& shape) {
  if (!shape.multi_label) return classes.at(static_cast<std::size_t>(item.target.label));
  std::string text;
  for (std::size_t c = 0; c < item.target.values.size(); ++c)
    if (item.target.values[c] > 0)
      text += (text.empty() ? "" : std::string(1, shape.label_separator)) + classes.at(c);
  return text;
}

// Begin and end of a part as the two columns of its unit.
std::array<std::string, 2> span_text(const Item& item, const Shape& shape) {
  const bool whole = item.span.unit == Span::Unit::whole;
  if (shape.unit == Span::Unit::seconds)
    return {fmt::format("{}", whole ? 0 : item.span.begin),
            fmt::format("{}", whole ? kEndSecond : item.span.end)};
  const double begin = whole ? 0 : item.span.begin, end = whole ? kEndFrame : item.span.end;
  // Pictures count by their own numbers.
  const double shift = shape.pictures.empty() ? 0 : static_cast<double>(item.sources[0].first_number);
  return {fmt::format("{}", begin + shift), fmt::format("{}", end - 1 + shift)};
}

std::vector<std::string> columns_of(const Shape& shape) {
  std::vector<std::string> columns = {"path"};
  if (shape.labels) columns.push_back("label");
  if (shape.unit == Span::Unit::frames) columns.insert(columns.end(), {"first", "last"});
  if (shape.unit == Span::Unit::seconds) columns.insert(columns.end(), {"start_s", "end_s"});
  if (shape.rates) columns.push_back("fps");
  if (shape.weights) columns.push_back("weight");
  if (shape.keys) columns.push_back("key");
  return columns;
}

std::string row_of(const Item& item, const std::vector<std::string>& classes, const Shape& shape,
                   const fs::path& root) {
  std::vector<std::string> fields = {path_text(item, root)};
  if (shape.labels) fields.push_back(labels_text(item, classes, shape));
  if (shape.unit != Span::Unit::whole)
    for (std::string& text : span_text(item, shape)) fields.push_back(std::move(text));
  if (shape.rates) fields.push_back(fmt::format("{}", item.sources[0].pattern_fps));
  if (shape.weights) fields.push_back(fmt::format("{}", item.weight));
  if (shape.keys) fields.push_back(item.key);
  std::string line;
  for (const std::string& field : fields) {
    if (field.find_first_of("\r\n") != std::string::npos || field.starts_with(' ') || field.ends_with(' '))
      refuse(item, fmt::format("a list cannot say this name: expected one line, got \"{}\"", field));
    if (!line.empty()) line += ',';
    line += quoted(field);
  }
  return line + "\n";
}

Value options_of(const Shape& shape, const std::vector<std::string>& columns, const fs::path& root) {
  Value::Array names;
  for (const std::string& column : columns) names.emplace_back(column);
  Value options = Value::table({{"type", Value("list")},
                                {"root", Value(root.string())},
                                {"columns", Value(std::move(names))},
                                {"separator", Value("comma")},
                                {"header", Value(true)}});
  if (shape.multi_label) {
    options.set("multi_label", Value(true));
    options.set("label_separator", Value(std::string(1, shape.label_separator)));
  }
  if (!shape.pictures.empty()) options.set("pictures", Value(shape.pictures));
  if (shape.first_number) options.set("first_number", Value(*shape.first_number));
  return options;
}

std::string json_of(const std::vector<std::string>& classes) {
  std::string text = "[";
  for (std::size_t i = 0; i < classes.size(); ++i) {
    text += i == 0 ? "\n  \"" : ",\n  \"";
    for (const char c : classes[i])
      text += (c == '"' || c == '\\') ? std::string{'\\', c} : std::string(1, c);
    text += "\"";
  }
  return text + "\n]\n";
}

}  // namespace

fs::path common_folder(const Dataset& items) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < items.size(); ++i)
    for (const Source& source : items.item(i).sources)
      if (!source.frames) folders.push_back(file_of(source).parent_path());
  return common_folder(folders);
}

ItemList list_of_items(const Dataset& items, const fs::path& root) {
  ItemList list;
  list.root = root;
  for (std::size_t i = 0; i < items.size() && !list.root.empty(); ++i)
    for (const Source& source : items.item(i).sources)
      if (!is_below(file_of(source), list.root)) list.root.clear();
  if (list.root.empty()) list.root = common_folder(items);
  const std::vector<std::string> classes = items.classes();
  check_names(classes);
  Shape shape = shape_of(items, list.root);
  if (shape.multi_label) shape.label_separator = separator_of(classes);
  const std::vector<std::string> columns = columns_of(shape);
  list.csv = fmt::format("{}\n", fmt::join(columns, ","));
  for (std::size_t i = 0; i < items.size(); ++i) list.csv += row_of(items.item(i), classes, shape, list.root);
  list.classes = json_of(classes);
  list.options = options_of(shape, columns, list.root);
  return list;
}

}  // namespace kinema::data
