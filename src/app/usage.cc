#include "app/usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <string_view>

namespace openseat::app {
namespace {

// How options that are unsigned are called in help.
constexpr std::string_view kUnsigned[] = {"UINT", "N", "MS", "SEQ", "BYTES"};

// The commands of `app` that help shows: "serve, check".
std::string CommandNames(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

}  // namespace

void RefuseNegatives(CLI::App& program) {
  for (CLI::Option* option : program.get_options()) {
    const std::string type = option->get_type_name();
    if (std::ranges::find(kUnsigned, type) == std::end(kUnsigned)) continue;
    option->check([](const std::string& text) {
      return text.starts_with('-') ? "must be a whole number, 0 or more; got \"" + text + "\"" : std::string();
    });
  }
  for (CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) RefuseNegatives(*command);
}

std::string Explain(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* at = &program;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  std::string text = error.what();

  if (text.starts_with("A subcommand is required")) {
    const std::string what = at == &program ? "command" : "command of " + at->get_name();
    const std::vector<std::string> came = at->remaining();
    return (came.empty() ? "a " + what + " is missing" : "there is no " + what + " \"" + came.front() + "\"") +
           "; there are " + CommandNames(*at);
  }

  constexpr std::string_view kConversion = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (text.starts_with(kConversion) && equals != std::string::npos) {
    const std::string name = text.substr(kConversion.size(), equals - kConversion.size());
    const CLI::Option* option = at->get_option_no_throw(name);
    const bool fraction = option != nullptr && option->get_type_name() == "FLOAT";
    return name + " must be a " + (fraction ? "number" : "whole number") + "; got \"" + text.substr(equals + 3) + "\"";
  }
  return text;
}

}  // namespace openseat::app
