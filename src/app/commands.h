// The subcommands of the program. Each adds itself to the command line and says how it is run; the function gives the
// process's exit code: 0 done, 1 the checked thing failed, 2 wrong usage.
#pragma once

#include <functional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace openseat::app {

using Command = std::function<int()>;

struct AddedCommand {
  CLI::App* parser;
  Command run;
};

AddedCommand AddServe(CLI::App& program);
AddedCommand AddCheck(CLI::App& program);
AddedCommand AddPlay(CLI::App& program);
AddedCommand AddReplay(CLI::App& program);
AddedCommand AddGames(CLI::App& program);
AddedCommand AddKey(CLI::App& program);
AddedCommand AddOpenApi(CLI::App& program);
AddedCommand AddDemo(CLI::App& program);
AddedCommand AddMcp(CLI::App& program);
AddedCommand AddBench(CLI::App& program);

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

// As many open files as the system allows this process: every connection is one.
void RaiseFileLimit();
// "openseat: <message>" on standard error.
void PrintError(const std::string& message);

}  // namespace openseat::app
