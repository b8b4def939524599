#include <cstdio>

#include "app/commands.h"
#include "app/server_app.h"
#include "base/json.h"

namespace openseat::app {

void AddOpenApi(cli::Command program) {
  cli::Command openapi =
      program.AddCommand("openapi", "Prints the OpenAPI description of the server's REST API, without a server");
  openapi.SetFooter("Example:\n  openseat openapi > openapi.json");
  openapi.SetRun([] {
    const Result<json::Object> document = ServerApp::Describe();
    if (!document) {
      PrintError(document.error().message);
      return kFailed;
    }
    std::fputs((json::WritePretty(*document) + "\n").c_str(), stdout);
    return kDone;
  });
}

}  // namespace openseat::app
