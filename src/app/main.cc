#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include "app/commands.h"

namespace openseat::app {
namespace {

// The system refused memory or a thread: says so in a sentence and ends the program where that happened. Unwinding
// would come to owners of threads that still run.
[[noreturn]] void OnUncaught() {
  try {
    if (const std::exception_ptr uncaught = std::current_exception()) std::rethrow_exception(uncaught);
  } catch (const std::bad_alloc&) {
    std::fputs("openseat: there is not enough memory; look for a limit (ulimit -v, a control group)\n", stderr);
    _exit(kUsage);
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "openseat: the system refuses what is needed; look for a limit (ulimit -u, -v): %s\n",
                 error.what());
    _exit(kUsage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "openseat: internal error: %s\n", error.what());
  } catch (...) {
  }
  std::abort();
}

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
  std::set_terminate(openseat::app::OnUncaught);
  return openseat::app::Main(argc, argv);
}
