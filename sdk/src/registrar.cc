#include "kinema/registrar.h"

namespace kinema {

Registrar::~Registrar() = default;

Registration& Registrar::offer(std::string_view kind, std::string type, std::string help,
                               const OptionTable& table,
                               std::function<std::shared_ptr<void>(const void*, Context&)> build) {
  Registration registration;
  registration.info.kind = kind;
  registration.info.type = std::move(type);
  registration.info.help = std::move(help);
  registration.info.options = table;
  registration.make = [table, build = std::move(build)](const Value& value, Context& context) {
    const std::shared_ptr<void> parsed = table.create_();
    std::vector<Problem> problems;
    table.parse(value, parsed.get(), nullptr, {}, problems);
    if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
    return build(parsed.get(), context);
  };
  return add_any(std::move(registration));
}

}  // namespace kinema
