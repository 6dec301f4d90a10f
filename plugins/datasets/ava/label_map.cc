#include "label_map.h"

#include <optional>
#include <set>

#include "annotations/text_file.h"

namespace kinema::ava {
namespace {

using namespace annotations;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file), complaints_(file) {}

  LabelMap read() {
    for_each_line(file_, {"a label map (.pbtxt)", {}}, [&](const Line& line) { take(line); });
    if (open_line_ > 0)
      complaints_.add(open_line_, "an open block: expected a closing }, got the end of the file");
    if (names_.empty() && !complaints_.any())
      complaints_.add(0, "no actions: expected blocks of `item { name: \"...\" id: 1 }`, got none");
    complaints_.report();
    LabelMap map;
    for (auto& [id, name] : names_) {
      map.labels[id] = std::ssize(map.names);
      map.names.push_back(std::move(name));
      map.largest_id = id;
    }
    return map;
  }

 private:
  void take(const Line& line) {
    const std::string text = trimmed(line.text);
    if (text.starts_with('#')) return;
    if (text.ends_with('{') && open_line_ == 0) {
      open_line_ = line.number;
      name_.reset();
      id_.reset();
    } else if (text == "}" && open_line_ > 0) {
      close(line.number);
      open_line_ = 0;
    } else if (open_line_ == 0 || !take_field(text)) {
      complaints_.add(
          line.number,
          "not a line of a label map: expected name: \"...\", id: N or a brace, got \"" + text + "\"");
    }
  }
  bool take_field(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return false;
    const std::string key = trimmed(text.substr(0, colon));
    const std::string value = trimmed(text.substr(colon + 1));
    if (key == "id" || key == "label_id") {
      id_ = as_integer(value);
      return id_ && *id_ >= 0;
    }
    if (key != "name") return true;  // label_type and what others add
    if (value.size() < 2 || value.front() != value.back() || (value[0] != '"' && value[0] != '\''))
      return false;
    name_.emplace();
    for (std::size_t i = 1; i + 1 < value.size(); ++i) {
      if (value[i] == '\\' && i + 2 < value.size()) ++i;
      *name_ += value[i];
    }
    return true;
  }
  void close(std::size_t line) {
    if (!name_ || !id_)
      return complaints_.add(line, std::string("an incomplete action: expected a name and an id, got no ") +
                                       (name_ ? "id" : "name"));
    if (!names_.emplace(*id_, *name_).second)
      complaints_.add(line, "repeated id: expected each once, got " + std::to_string(*id_) + " twice");
    if (!seen_.insert(*name_).second)
      complaints_.add(line, "repeated name: expected each once, got \"" + *name_ + "\" twice");
  }

  const std::filesystem::path& file_;
  Complaints complaints_;
  std::size_t open_line_ = 0;
  std::optional<std::string> name_;
  std::optional<std::int64_t> id_;
  std::map<std::int64_t, std::string> names_;
  std::set<std::string> seen_;
};

}  // namespace

LabelMap read_label_map(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace kinema::ava
