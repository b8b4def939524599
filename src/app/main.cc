#include <CLI/CLI.hpp>
#include <cstdio>
#include <vector>

#include "app/commands.h"
#include "app/usage.h"

namespace openseat::app {

namespace {

int Main(int argc, char** argv) {
  CLI::App program("Openseat gives any agent a seat at any game.", "openseat");
  program.set_version_flag("--version", OPENSEAT_VERSION);
  program.require_subcommand(1);
  program.footer("openseat COMMAND --help tells more, with examples.");
  const std::vector<AddedCommand> commands{AddServe(program), AddCheck(program),  AddPlay(program), AddReplay(program),
                                           AddGames(program), AddKey(program),    AddMcp(program),  AddBench(program),
                                           AddDemo(program),  AddOpenApi(program)};
  RefuseNegatives(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return program.exit(request);  // --help, --version
  } catch (const CLI::ParseError& error) {
    PrintError(Explain(program, error));
    std::fprintf(stderr, "openseat --help shows how it is used.\n");
    return kUsage;
  }
  for (const AddedCommand& command : commands) {
    if (command.parser->parsed()) return command.run();
  }
  return kUsage;
}

}  // namespace
}  // namespace openseat::app

int main(int argc, char** argv) {
  return openseat::app::Main(argc, argv);
}
