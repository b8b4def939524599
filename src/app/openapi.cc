#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/commands.h"
#include "app/server_app.h"
#include "base/json.h"

namespace openseat::app {

AddedCommand AddOpenApi(CLI::App& program) {
  CLI::App* openapi =
      program.add_subcommand("openapi", "Prints the OpenAPI description of the server's REST API, without a server");
  openapi->footer("Example:\n  openseat openapi > openapi.json");
  return {openapi, [] {
            const Result<json::Object> document = ServerApp::Describe();
            if (!document) {
              PrintError(document.error().message);
              return kFailed;
            }
            std::fputs((json::WritePretty(*document) + "\n").c_str(), stdout);
            return kDone;
          }};
}

}  // namespace openseat::app
