#pragma once

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

#include <string>
#include <vector>

// The parser's complaints in the words of this program.
namespace kinema::app {

// Checks of one argument; what they say is a whole message.
CLI::Validator positive_number();
CLI::Validator whole_number();  // not negative
CLI::Validator one_of(std::vector<std::string> allowed);

// Prints what was wrong with the arguments; the exit code.
int report_parse_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace kinema::app
