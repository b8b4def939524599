// The command line of a program: its commands, their options and help, and one sentence for what is wrong with what was
// typed. Declare all of it, then parse once. The library behind it is in command_line.cc alone, so that including this
// is cheap. One thread.
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

// Where an option's value goes. What is there before is its default; a bool is a flag, which takes no value. Outlives
// the parsing.
using Target = std::variant<bool*, std::string*, std::vector<std::string>*, std::uint32_t*, std::uint64_t*, double*,
                            std::optional<int>*>;

// The least and the greatest number taken. Whole ends take whole numbers only.
struct Range {
  constexpr Range(int least, int greatest) : low(least), high(greatest), whole(true) {}
  constexpr Range(double least, double greatest) : low(least), high(greatest), whole(false) {}
  double low;
  double high;
  bool whole;
};

struct OptionDetails {
  std::string_view type = {};                           // what help calls its value; "": TEXT, UINT, INT or FLOAT
  std::string_view env = {};                            // the variable that is read where the option is not given
  std::optional<Range> range = {};                      // of a number
  std::initializer_list<std::string_view> one_of = {};  // the values taken; none: any
  bool required = false;
  bool value_optional = false;  // may be given without a value
  bool hidden = false;          // from help
  bool* given = nullptr;        // is told whether it was given, also by the variable; outlives the parsing
};

// A command of a CommandLine, which owns it.
class Command {
 public:
  // A command below this one, which from then on does nothing by itself: one of those below must be given.
  Command AddCommand(const std::string& name, const std::string& description, bool hidden = false);
  // `names`: "-n,--games"; without dashes, an argument by its place. Whole numbers without a sign refuse a minus.
  void AddOption(const std::string& names, Target target, const std::string& help, const OptionDetails& details = {});
  // What help ends with: examples.
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

  // What `arguments` (without the program's name) ask for: a command's run, whose targets are filled in, or one that
  // prints help or the version. Once. Errors: kInvalid: what came, and what was expected.
  Result<std::function<int()>> Parse(std::vector<std::string> arguments);

  // All that help shows as JSON, for programs that make manual pages and completions of it: {"name", "description",
  // "footer", "options": [{"names": ["-n", "--games"], "help", "value"?, "env"?, "values"?, "required", "repeatable"}],
  // "commands": [the same again]}. An option without a "value" is a flag; names without dashes are arguments.
  std::string Describe() const;

 private:
  std::unique_ptr<Command::Node> root_;
};

}  // namespace openseat::cli
