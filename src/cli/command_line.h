// The command line of a program: its commands, their options and help, and a one-sentence error for wrong usage.
// Declare everything, then parse once. Only command_line.cc uses the library behind it, so including this is cheap. One
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace openseat::cli {

// Where an option's value goes. Its value before parsing is the default; a bool is a flag, which takes no value.
// Outlives the parsing.
using Target = std::variant<bool*, std::string*, std::vector<std::string>*, std::uint32_t*, std::uint64_t*, double*,
                            std::optional<int>*>;

// The smallest and largest number allowed. Whole bounds allow whole numbers only.
struct Range {
  constexpr Range(int least, int greatest) : low(least), high(greatest), whole(true) {}
  constexpr Range(double least, double greatest) : low(least), high(greatest), whole(false) {}
  double low;
  double high;
  bool whole;
};

struct OptionDetails {
  std::string_view type = {};                           // the name of its value in help; "": TEXT, UINT, INT or FLOAT
  std::string_view env = {};                            // the variable that is read if the option is not given
  std::optional<Range> range = {};                      // for a number
  std::initializer_list<std::string_view> one_of = {};  // the values allowed; none: any
  bool required = false;
  bool value_optional = false;  // may be given without a value
  bool hidden = false;          // from help
  bool* given = nullptr;        // set to whether it was given, also by the variable; outlives the parsing
};

// A command of a CommandLine, which owns it.
class Command {
 public:
  // A subcommand. This command then does nothing by itself: one of its subcommands must be given, unless SetRun
  // follows.
  Command AddCommand(const std::string& name, const std::string& description, bool hidden = false);
  // `names`: "-n,--games"; without dashes, a positional argument. Whole numbers without a sign reject a minus.
  void AddOption(const std::string& names, Target target, const std::string& help, const OptionDetails& details = {});
  // The end of the help: examples.
  void SetFooter(const std::string& text);
  // What the command does; the result is the process's exit code.
  void SetRun(std::function<int()> run);

 private:
  friend class CommandLine;
  struct Node;
  explicit Command(Node& node) : node_(&node) {}
  Node* node_;
};

class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command root() { return Command(*root_); }

  // What `arguments` (without the program's name) ask for: a command's run, with its targets filled in, or a run that
  // prints help or the version. Call once. Errors: kInvalid: what came, and what was expected.
  Result<std::function<int()>> Parse(std::vector<std::string> arguments);
  // The command that the arguments named, as far as they were read: "openseat journal verify".
  std::string Called() const;

  // Everything that help shows, as JSON, for programs that make manual pages and completions: {"name", "description",
  // "footer", "options": [{"names": ["-n", "--games"], "help", "value"?, "env"?, "values"?, "required", "repeatable"}],
  // "commands": [the same, recursively]}. An option without a "value" is a flag; names without dashes are arguments.
  std::string Describe() const;

 private:
  std::unique_ptr<Command::Node> root_;
};

}  // namespace openseat::cli
