// openseat mcp: MCP over standard input and output, with the games inside this process or at a running server.
#include <memory>
#include <utility>

#include "app/commands.h"
#include "app/server_app.h"
#include "app/stdio_pump.h"
#include "net/http_client.h"
#include "net/shard.h"
#include "protocols/mcp/bridge.h"
#include "protocols/mcp/stdio.h"

namespace openseat::app {
namespace {

constexpr int kMaxBeside = 32;  // programs that use the default data directory at the same time

struct McpFlags {
  std::string url;
  std::string token;
  std::string config_file;
  std::string data_dir;
  std::string log_level;
  std::vector<std::string> models;
  bool fixtures = false;
};

int Complain(const Error& error, int code) {
  PrintError(error.message);
  return code;
}

// Each host that starts this program has its own games, in a folder that no other host uses.
Result<std::unique_ptr<ServerApp>> OpenBeside(const Config& config) {
  if (!config.data_dir.empty()) return ServerApp::Create(config);
  for (int number = 1;; ++number) {
    Config own = config;
    own.data_dir = DefaultDataDir() + "/mcp" + (number == 1 ? "" : "-" + std::to_string(number));
    Result<std::unique_ptr<ServerApp>> app = ServerApp::Create(std::move(own));
    if (app || app.error().code != ErrorCode::kConflict || number == kMaxBeside) return app;
  }
}

int ServeHere(const McpFlags& flags) {
  Config config;
  config.log_level = log::Level::kWarn;
  if (!flags.config_file.empty()) {
    if (Result<void> read = ReadConfigFile(flags.config_file, config); !read) return Complain(read.error(), kUsage);
  }
  config.stdio = true;
  config.cluster = {};  // only `serve` takes part in one
  config.listen.clear();
  config.chimera_listen.reset();
  config.matches.clear();
  config.mcp_fixtures = flags.fixtures;
  config.data_dir = flags.data_dir;
  if (config.shards == 0) config.shards = 1;
  if (!flags.log_level.empty()) {
    const Result<log::Level> level = log::ParseLevel(flags.log_level);
    if (!level) return Complain(level.error(), kUsage);
    config.log_level = *level;
  }
  if (Result<void> added = AddModelFlags(flags.models, config.models); !added) return Complain(added.error(), kUsage);
  log::SetLevel(config.log_level);
  Result<std::unique_ptr<ServerApp>> app = OpenBeside(config);
  if (!app) return Complain(app.error(), kUsage);
  (*app)->RunWithStdio();
  return kDone;
}

int LeadTo(const McpFlags& flags) {
  std::string url = flags.url;
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return Complain(
        {ErrorCode::kInvalid, "--url is the server's, as in http://127.0.0.1:8000; got \"" + url + "\"", {}}, kUsage);
  }
  while (url.ends_with('/')) url.pop_back();
  if (!url.ends_with("/mcp")) url += "/mcp";
  net::Shards shards(1);
  {
    net::HttpClients clients(shards);
    std::unique_ptr<StdioPump> pump;
    {
      mcp::Bridge bridge(clients, shards.at(0), url, flags.token,
                         [&pump](std::string line) { pump->Write(std::move(line)); });
      mcp::LineReader lines;
      pump = std::make_unique<StdioPump>(
          shards.at(0),
          [&](std::string_view bytes) {
            lines.Feed(
                bytes, [&](std::string_view line) { bridge.Take(line); },
                [&] { pump->Write(mcp::LineTooLong() + "\n"); });
          },
          [&bridge] { return bridge.idle(); }, [&shards] { shards.Stop(); });
      const net::SignalWatch signals(shards, [&shards](int) { shards.Stop(); });
      shards.RunFirstHere();
    }
  }
  return kDone;
}

}  // namespace

void AddMcp(cli::Command program) {
  auto flags = std::make_shared<McpFlags>();
  cli::Command mcp = program.AddCommand("mcp", "Lets an MCP host play: speaks MCP over standard input and output");
  mcp.AddOption("--url", &flags->url, "Play at this server instead of inside this program",
                {.type = "URL", .env = "OPENSEAT_URL"});
  mcp.AddOption("--token", &flags->token, "The server's admin token, if it is on another machine",
                {.type = "TOKEN", .env = "OPENSEAT_TOKEN"});
  mcp.AddOption("--config", &flags->config_file, "TOML file with models and agents (docs/configuration.md)",
                {.type = "FILE", .env = "OPENSEAT_CONFIG"});
  mcp.AddOption("--data-dir", &flags->data_dir,
                "Where the journal is kept (default a separate folder below ~/.local/share/openseat)", {.type = "DIR"});
  mcp.AddOption("--log-level", &flags->log_level, "debug, info, warn (default), error or off; to standard error",
                {.type = "LEVEL"});
  mcp.AddOption("--model", &flags->models, "A language model to play against, as \"llm:NAME\"; may be repeated",
                {.type = "NAME=PROVIDER:MODEL@URL,OPTION=VALUE"});
  // For the tests.
  mcp.AddOption("--mcp-fixtures", &flags->fixtures, "Offer what MCP's conformance suite needs", {.hidden = true});
  mcp.SetFooter(
      "Examples, as a host's configuration names commands:\n"
      "  openseat mcp\n"
      "  openseat mcp --url http://127.0.0.1:8000\n"
      "  openseat mcp --url https://games.example --token TOKEN\n"
      "  openseat mcp --model local=openai:llama3@http://127.0.0.1:11434/v1");
  mcp.SetRun([flags] { return flags->url.empty() ? ServeHere(*flags) : LeadTo(*flags); });
}

}  // namespace openseat::app
