#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <list>
#include <sstream>
#include <type_traits>
#include <utility>

#include "base/json.h"

namespace openseat::cli {

struct Command::Node {
  CLI::App* app;
  std::list<Node> commands = {};
  std::vector<std::pair<CLI::Option*, bool*>> given = {};
  std::vector<std::pair<CLI::Option*, std::string>> variables = {};
  std::function<int()> run = {};
  std::unique_ptr<CLI::App> owned = {};  // the root's, which owns all others
  json::Array options = {};              // as Describe prints them

  json::Object Describe() const;
  // The command below this one that the arguments named; null if they named none.
  const Node* Called() const {
    const auto below = std::ranges::find_if(commands, [](const Node& each) { return each.app->parsed(); });
    return below == commands.end() ? nullptr : &*below;
  }
};

// Without those that help hides.
json::Object Command::Node::Describe() const {
  json::Array below;
  for (const Node& command : commands) {
    if (!command.app->get_group().empty()) below.emplace_back(command.Describe());
  }
  return {{"name", app->get_name()},
          {"description", app->get_description()},
          {"footer", app->get_footer()},
          {"options", options},
          {"commands", std::move(below)}};
}

namespace {

// An option in Describe's form; `type` is the library's word for its value.
json::Object DescribeOption(const std::string& names, const Target& target, const std::string& help,
                            const OptionDetails& details, const std::string& type) {
  json::Array spelled;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) spelled.emplace_back(name);
  json::Object described{{"names", std::move(spelled)}, {"help", help}};
  if (!std::holds_alternative<bool*>(target)) {
    described["value"] = details.type.empty() ? type : std::string(details.type);
  }
  if (!details.env.empty()) described["env"] = std::string(details.env);
  if (details.one_of.size() != 0) {
    json::Array values;
    for (const std::string_view value : details.one_of) values.emplace_back(std::string(value));
    described["values"] = std::move(values);
  }
  described["required"] = details.required;
  described["repeatable"] = std::holds_alternative<std::vector<std::string>*>(target);
  return described;
}

template <typename Value>
constexpr bool kCounts = std::is_same_v<Value, std::uint32_t> || std::is_same_v<Value, std::uint64_t>;

// The library would wrap a negative number around.
std::string RefuseMinus(const std::string& text) {
  return text.starts_with('-') ? "must be a whole number, 0 or more; got \"" + text + "\"" : std::string();
}

// The commands of `app` that help shows: "serve, check".
std::string CommandNames(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

// One sentence for what `program` refused.
std::string Explain(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* at = &program;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  std::string text = error.what();

  if (text.starts_with("A subcommand is required")) {
    const std::string what = at == &program ? "command" : "command of " + at->get_name();
    const std::vector<std::string> came = at->remaining();
    return (came.empty() ? "a " + what + " is missing" : "there is no " + what + " \"" + came.front() + "\"") +
           "; available: " + CommandNames(*at);
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

}  // namespace

Command Command::AddCommand(const std::string& name, const std::string& description, bool hidden) {
  node_->app->require_subcommand(1);
  Node& added = node_->commands.emplace_back(Node{node_->app->add_subcommand(name, description)});
  if (hidden) added.app->group("");
  return Command(added);
}

void Command::AddOption(const std::string& names, Target target, const std::string& help,
                        const OptionDetails& details) {
  CLI::Option* option = std::visit(
      [&](auto* value) {
        using Value = std::remove_pointer_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return node_->app->add_flag(names, *value, help);
        } else {
          CLI::Option* added = node_->app->add_option(names, *value, help);
          if (kCounts<Value> && !details.range) added->check(RefuseMinus);
          return added;
        }
      },
      target);
  if (!details.hidden) {
    node_->options.emplace_back(DescribeOption(names, target, help, details, option->get_type_name()));
  }
  if (!details.type.empty()) option->type_name(std::string(details.type));
  if (!details.env.empty()) {
    // The library reads the variables of commands that nobody called, too, and several commands may share a target: so
    // it learns of them when this command is called.
    if (node_->variables.empty()) {
      node_->app->preparse_callback([node = node_](std::size_t) {
        for (const auto& [each, variable] : node->variables) each->envname(variable);
      });
    }
    node_->variables.emplace_back(option, details.env);
  }
  if (const std::optional<Range>& range = details.range; range && range->whole) {
    option->check(CLI::Range(static_cast<int>(range->low), static_cast<int>(range->high)));
  } else if (range) {
    option->check(CLI::Range(range->low, range->high));
  }
  if (details.one_of.size() != 0) {
    option->check(CLI::IsMember(std::vector<std::string>(details.one_of.begin(), details.one_of.end())));
  }
  if (details.required) option->required();
  if (details.value_optional) option->expected(0, 1);
  if (details.hidden) option->group("");
  if (details.given != nullptr) node_->given.emplace_back(option, details.given);
}

void Command::SetFooter(const std::string& text) {
  node_->app->footer(text);
}

void Command::SetRun(std::function<int()> run) {
  node_->run = std::move(run);
  if (!node_->commands.empty()) node_->app->require_subcommand(0, 1);
}

CommandLine::CommandLine(const std::string& name, const std::string& description, const std::string& version)
    : root_(std::make_unique<Command::Node>()) {
  root_->owned = std::make_unique<CLI::App>(description, name);
  root_->app = root_->owned.get();
  root_->app->set_version_flag("--version", version);
}

CommandLine::~CommandLine() = default;

std::string CommandLine::Describe() const {
  return json::WritePretty(root_->Describe());
}

Result<std::function<int()>> CommandLine::Parse(std::vector<std::string> arguments) {
  CLI::App& app = *root_->app;
  std::ranges::reverse(arguments);  // in the form that the library takes
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& request) {
    std::ostringstream text;
    const int code = app.exit(request, text, text);
    return [text = text.str(), code] {
      std::fputs(text.c_str(), stdout);
      return code;
    };
  } catch (const CLI::ParseError& error) {
    return Fail(ErrorCode::kInvalid, Explain(app, error));
  }
  for (const Command::Node* at = root_.get();; at = at->Called()) {
    for (const auto& [option, given] : at->given) *given = option->count() > 0;
    if (at->Called() == nullptr) return at->run;
  }
}

std::string CommandLine::Called() const {
  std::string called;
  for (const Command::Node* at = root_.get(); at != nullptr; at = at->Called()) {
    called += (called.empty() ? "" : " ") + at->app->get_name();
  }
  return called;
}

}  // namespace openseat::cli
