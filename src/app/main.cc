#include <algorithm>
#include <cstdio>

#include "app/commands.h"

namespace openseat::app {
namespace {

int Main(int argc, char** argv) {
  FindAuthorities();
  cli::CommandLine line("openseat", "Openseat gives any agent a seat at any game.", OPENSEAT_VERSION);
  cli::Command program = line.root();
  program.SetFooter("openseat COMMAND --help shows more, with examples.");
  for (const auto add : {AddServe, AddCheck, AddPlay, AddTournament, AddFork, AddAsk, AddAnalyze, AddRatings, AddRelay,
                         AddReplay, AddGames, AddAgents, AddJournal, AddKey, AddMcp, AddBench, AddDemo, AddOpenApi}) {
    add(program);
  }
  // For scripts/command_line.mjs, which makes the manual pages and completions.
  program.AddCommand("describe", "Prints this command line as JSON", true).SetRun([&line] {
    std::puts(line.Describe().c_str());
    return kDone;
  });
  const auto run = line.Parse({argv + std::min(argc, 1), argv + argc});
  if (!run) {
    PrintError(run.error().message);
    std::fprintf(stderr, "%s --help shows how it is used.\n", line.Called().c_str());
    return kUsage;
  }
  return (*run)();
}

}  // namespace
}  // namespace openseat::app

int main(int argc, char** argv) {
  return openseat::app::Main(argc, argv);
}
