#include "framework/app/usage.h"

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "framework/app/console.h"
#include "kinema/suggest.h"

namespace kinema::app {
namespace {

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

CLI::Validator number_from(std::int64_t least, const std::string& name) {
  return CLI::Validator(
      [least, name](const std::string& text) {
        const auto value = number_in(text);
        if (value && *value >= least) return std::string();
        return fmt::format("wrong value: expected {}, got \"{}\"", name, text);
      },
      "");
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

// "data clip" of `kinema data clip`.
std::string words_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  if (!parent) return app.get_name();
  return words_of(*parent) + " " + app.get_name();
}

// Words in the parser's order of arrival that no option or positional took.
std::string first_left_over(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  return rest.empty() ? std::string() : rest.front();
}

std::string without_suffix(std::string text, const std::string& suffix) {
  if (text.ends_with(suffix)) text.erase(text.size() - suffix.size());
  return text;
}

struct Complaint {
  std::string what, suggestion;
};

Complaint about_command(const CLI::App& command, const std::string& word) {
  const std::vector<std::string> known = commands_of(command);
  if (word.empty()) return {fmt::format("no command: expected {}, got nothing", one_of_text(known)), {}};
  return {fmt::format("unknown command: expected {}, got \"{}\"", one_of_text(known), word),
          did_you_mean(word, known)};
}

Complaint about_left_over(const CLI::App& command, const std::string& word) {
  if (!word.starts_with("-")) return {fmt::format("one argument too many: got \"{}\"", word), {}};
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  const std::string name = word.substr(0, word.find('='));
  return {fmt::format("unknown option: got \"{}\"", word), did_you_mean(name, options)};
}

Complaint complaint(const CLI::App& command, const CLI::ParseError& error) {
  const std::string word = first_left_over(command);
  const bool wants_command = !commands_of(command).empty();
  if (wants_command && (word.empty() || !word.starts_with("-"))) return about_command(command, word);
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) return about_left_over(command, word);
  if (dynamic_cast<const CLI::RequiredError*>(&error))
    return {fmt::format("missing argument: expected {}, got nothing",
                        without_suffix(error.what(), " is required")),
            {}};
  std::string what = error.what();
  if (!what.empty()) what.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(what.front())));
  return {std::move(what), {}};
}

}  // namespace

CLI::Validator positive_number() { return number_from(1, "a positive number"); }
CLI::Validator whole_number() { return number_from(0, "a number from 0 on"); }

CLI::Validator one_of(std::vector<std::string> allowed) {
  return CLI::Validator(
      [allowed = std::move(allowed)](const std::string& text) {
        if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return std::string();
        return fmt::format("wrong value: expected {}, got \"{}\"", one_of_text(allowed), text);
      },
      "");
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const Complaint found = complaint(*command, error);
  return report_usage(found.what, found.suggestion.empty()
                                      ? words_of(*command) + " --help shows what it takes"
                                      : found.suggestion);
}

}  // namespace kinema::app
