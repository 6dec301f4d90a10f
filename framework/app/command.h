#pragma once

#include <CLI/App.hpp>

#include <functional>
#include <memory>

#include "framework/app/commands.h"

// How commands are told to the parser.
namespace kinema::app {

using Chosen = std::function<int()>;  // the command that the arguments named

// A subcommand whose arguments live as long as the parser.
template <class Arguments>
struct Command {
  CLI::App* app;
  std::shared_ptr<Arguments> arguments = std::make_shared<Arguments>();

  Command(CLI::App& parent, const char* name, const char* help, int (*run)(const Arguments&), Chosen& chosen)
      : app(parent.add_subcommand(name, help)) {
    app->callback([run, &chosen, arguments = arguments] { chosen = [=] { return run(*arguments); }; });
  }
};

void add_experiment(CLI::App* app, ExperimentArguments& experiment, bool required = true);

// The commands under `kinema data`.
void add_data_commands(CLI::App& data, Chosen& chosen);

}  // namespace kinema::app
