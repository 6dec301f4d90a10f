#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/session.h"
#include "framework/config/show.h"

namespace kinema::app {

int config_show(const ConfigShowArguments& arguments) {
  const Session session = open_session(arguments.experiment);
  print(config::show(session.experiment.resolved, arguments.origin));
  return 0;
}

}  // namespace kinema::app
