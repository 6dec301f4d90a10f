#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/json_text.h"
#include "framework/app/session.h"
#include "framework/plugin/describe.h"
#include "framework/plugin/kinds.h"

namespace kinema::app {
namespace {

nlohmann::ordered_json as_json(const plugin::Library& library) {
  nlohmann::ordered_json json = {{"path", library.path}, {"loaded", library.loaded()}};
  json["name"] = library.name;
  json["version"] = library.version;
  json["reasons"] = nlohmann::ordered_json::array();
  for (const Problem& reason : library.reasons) json["reasons"].push_back(reason.what);
  return json;
}

std::string json_text(const plugin::Registry& registry, const std::string& kind) {
  nlohmann::ordered_json json;
  json["components"] = nlohmann::ordered_json::array();
  for (const plugin::KindPlace& place : plugin::kKinds) {
    if (!kind.empty() && kind != place.kind) continue;
    for (const ComponentInfo* info : registry.all(place.kind))
      json["components"].push_back(
          {{"kind", info->kind}, {"type", info->type}, {"help", info->help}, {"library", info->library}});
  }
  json["libraries"] = nlohmann::ordered_json::array();
  for (const plugin::Library& library : registry.libraries()) json["libraries"].push_back(as_json(library));
  return json_lines(json);
}

}  // namespace

int list(const ListArguments& arguments) {
  if (!arguments.kind.empty()) check_kind(arguments.kind);
  const auto registry = open_registry({});
  print(arguments.json ? json_text(*registry, arguments.kind) : plugin::list_text(*registry, arguments.kind));
  return 0;
}

}  // namespace kinema::app
