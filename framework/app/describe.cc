#include "framework/plugin/describe.h"
#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/json_text.h"
#include "framework/app/session.h"
#include "kinema/error.h"
#include "kinema/suggest.h"

namespace kinema::app {
namespace {

const ComponentInfo& find(const plugin::Registry& registry, const DescribeArguments& arguments) {
  if (const ComponentInfo* info = registry.find(arguments.kind, arguments.name)) return *info;
  std::vector<std::string> names;
  for (const ComponentInfo* info : registry.all(arguments.kind)) names.push_back(info->type);
  const std::string meant = did_you_mean(arguments.name, names);
  throw Error(
      ErrorKind::usage, "command line",
      "unknown " + arguments.kind + ": expected " + one_of_text(names) + ", got \"" + arguments.name + "\"",
      meant.empty() ? "kinema list shows what there is" : meant);
}

std::string json_text(const ComponentInfo& info) {
  nlohmann::ordered_json json = {
      {"kind", info.kind}, {"type", info.type}, {"help", info.help}, {"library", info.library}};
  json["options"] = nlohmann::ordered_json::array();
  for (const plugin::OptionRow& row : plugin::option_rows(info.options))
    json["options"].push_back({{"name", row.path},
                               {"type", row.type},
                               {"required", row.required},
                               {"default", row.default_value},
                               {"allowed", row.allowed},
                               {"help", row.help}});
  json["presets"] = nlohmann::ordered_json::array();
  for (const Preset& preset : info.presets)
    json["presets"].push_back({{"name", preset.name}, {"help", preset.help}});
  return json_lines(json);
}

}  // namespace

int describe(const DescribeArguments& arguments) {
  check_kind(arguments.kind);
  const auto registry = open_registry({});
  const ComponentInfo& info = find(*registry, arguments);
  print(arguments.json ? json_text(info) : plugin::describe_text(info));
  return 0;
}

}  // namespace kinema::app
