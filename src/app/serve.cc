#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agents/make_agent.h"
#include "app/commands.h"
#include "app/server_app.h"

namespace openseat::app {
namespace {

struct ServeFlags {
  std::string config_file;
  std::vector<std::string> listen;
  std::string agent;
  std::string data_dir;
  std::string log_level;
  std::string certificate;
  std::string key;
  std::size_t shards = 0;
  std::string chimera_listen;
  std::vector<std::string> matches;
  std::vector<std::string> models;
  bool insecure = false;
  bool no_startup_ack = false;
  bool test_games = false;
  bool allow_fixtures = false;
  bool allow_http_webhooks = false;
  bool allow_private_webhooks = false;
  bool mcp_fixtures = false;
  std::optional<int> agent_rate;
};

// Flags and environment over the file over the defaults.
Result<Config> MakeConfig(const ServeFlags& flags) {
  Config config;
  if (!flags.config_file.empty()) {
    if (Result<void> read = ReadConfigFile(flags.config_file, config); !read) return Fail(read.error());
  }
  if (!flags.listen.empty()) {
    config.listen.clear();
    for (const std::string& text : flags.listen) {
      Result<net::ListenAddress> address = ParseListenAddress(text);
      if (!address) return Fail(address.error());
      config.listen.push_back(std::move(*address));
    }
  }
  for (net::ListenAddress& address : config.listen) {
    if (!flags.certificate.empty()) address.certificate_file = flags.certificate;
    if (!flags.key.empty()) address.key_file = flags.key;
  }
  if (!flags.agent.empty()) {
    Result<AgentSpec> spec = ParseAgentSpec(flags.agent);
    if (!spec) return Fail(spec.error());
    config.agent = std::move(*spec);
  }
  if (!flags.data_dir.empty()) config.data_dir = flags.data_dir;
  if (!flags.log_level.empty()) {
    const Result<log::Level> level = log::ParseLevel(flags.log_level);
    if (!level) return Fail(level.error());
    config.log_level = *level;
  }
  if (!flags.chimera_listen.empty()) {
    config.chimera_asked = true;
    config.chimera_listen.reset();
    if (flags.chimera_listen != "none") {
      Result<net::ListenAddress> address = ParseListenAddress(flags.chimera_listen);
      if (!address) return Fail(address.error());
      config.chimera_listen = std::move(*address);
    }
  }
  std::set<std::string> named;
  for (const std::string& text : flags.models) {
    Result<llm::Model> model = llm::ParseModelFlag(text, FromEnvironment);
    if (!model) return Fail(model.error());
    if (!named.insert(model->name).second) {
      return Fail(ErrorCode::kInvalid, "--model names \"" + model->name + "\" twice");
    }
    AddModel(std::move(*model), config.models);
  }
  for (const std::string& text : flags.matches) {
    Result<MatchRequest> match = ParseMatchRequest(text);
    if (!match) return Fail(match.error());
    config.matches.push_back(std::move(*match));
  }
  if (flags.test_games) config.test_games = true;
  if (flags.allow_fixtures) config.allow_fixtures = true;
  if (flags.allow_http_webhooks) config.webhooks.allow_http = true;
  if (flags.allow_private_webhooks) config.webhooks.allow_private = true;
  if (flags.agent_rate) config.agent_rate.per_second = *flags.agent_rate;
  if (flags.mcp_fixtures) config.mcp_fixtures = true;
  if (flags.shards != 0) config.shards = flags.shards;
  if (flags.insecure) config.insecure = true;
  if (flags.no_startup_ack) config.neuro.startup_ack = false;
  return config;
}

int Serve(const ServeFlags& flags) {
  Result<Config> config = MakeConfig(flags);
  if (!config) {
    PrintError(config.error().message);
    return kUsage;
  }
  log::SetLevel(config->log_level);
  const net::ListenAddress first = config->listen.front();
  RaiseFileLimit();
  std::signal(SIGHUP, SIG_IGN);  // until the server hears it
  Result<std::unique_ptr<ServerApp>> app = ServerApp::Create(std::move(*config), [flags] { return MakeConfig(flags); });
  if (!app) {
    PrintError(app.error().message);
    return kUsage;
  }
  const bool tls = !first.certificate_file.empty();
  const std::string host = first.host.find(':') == std::string::npos ? first.host : "[" + first.host + "]";
  const std::string authority = host + ":" + std::to_string((*app)->port());
  std::printf("Openseat %s listens on %s://%s\n", OPENSEAT_VERSION, tls ? "https" : "http", authority.c_str());
  std::printf("  games that speak the Neuro API connect to  %s://%s\n", tls ? "wss" : "ws", authority.c_str());
  std::printf("  what goes on there                          curl %s://%s/api/v1/tables\n", tls ? "https" : "http",
              authority.c_str());
  if ((*app)->chimera_port() != 0) {
    std::printf("  Chimera clients connect to                  ws://%s:%u\n", host.c_str(), (*app)->chimera_port());
  }
  if (!(*app)->fresh_token().empty()) {
    std::printf("  admin token for other machines, shown only now: %s\n", (*app)->fresh_token().c_str());
  }
  std::fflush(stdout);
  (*app)->Run();
  return kDone;
}

}  // namespace

AddedCommand AddServe(CLI::App& program) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* serve = program.add_subcommand("serve", "Serves games and agents");
  serve->add_option("--config", flags->config_file, "TOML file (docs/configuration.md)")
      ->envname("OPENSEAT_CONFIG")
      ->type_name("FILE");
  serve->add_option("--listen", flags->listen, "Address to listen on, may be repeated (default 127.0.0.1:8000)")
      ->envname("OPENSEAT_LISTEN")
      ->type_name("HOST:PORT");
  serve
      ->add_option(
          "--agent", flags->agent,
          "Who sits down at each table: random, random:seed=1,invalid=0.1,delay_ms=200, script:FILE or neuro:URL "
          "(default random)")
      ->envname("OPENSEAT_AGENT")
      ->type_name("AGENT");
  serve->add_option("--data-dir", flags->data_dir, "Where the journal is kept (default ~/.local/share/openseat)")
      ->envname("OPENSEAT_DATA_DIR")
      ->type_name("DIR");
  serve->add_option("--log-level", flags->log_level, "debug, info, warn, error or off")
      ->envname("OPENSEAT_LOG_LEVEL")
      ->type_name("LEVEL");
  serve->add_option("--certificate", flags->certificate, "TLS certificate chain, PEM")
      ->envname("OPENSEAT_CERTIFICATE")
      ->type_name("FILE");
  serve->add_option("--key", flags->key, "TLS private key, PEM")->envname("OPENSEAT_KEY")->type_name("FILE");
  serve->add_option("--shards", flags->shards, "Threads that serve (default: one a core)")
      ->envname("OPENSEAT_SHARDS")
      ->check(CLI::Range(0, kMaxShards))
      ->type_name("N");
  serve
      ->add_option("--chimera-listen", flags->chimera_listen,
                   "Chimera's own address, or none (default 127.0.0.1:14200, where it is free)")
      ->envname("OPENSEAT_CHIMERA_LISTEN")
      ->type_name("HOST:PORT");
  serve
      ->add_option("--model", flags->models,
                   "A language model by a name of your choice, may be repeated; an agent is then llm:NAME")
      ->envname("OPENSEAT_MODEL")
      ->type_name("NAME=PROVIDER:MODEL@URL");
  serve->add_option("--match", flags->matches, "Makes a match at start, may be repeated: tictactoe:open,random")
      ->envname("OPENSEAT_MATCH")
      ->type_name("GAME:SEATS");
  serve->add_flag("--test-games", flags->test_games, "Offer the games that are only for tests, too")
      ->envname("OPENSEAT_TEST_GAMES");
  serve
      ->add_flag("--allow-fixtures", flags->allow_fixtures,
                 "Take match options that make no fair game: prepared decks, other numbers of points")
      ->envname("OPENSEAT_ALLOW_FIXTURES");
  serve
      ->add_flag("--allow-http-webhooks", flags->allow_http_webhooks,
                 "Send webhooks to http:// beyond this machine, too")
      ->envname("OPENSEAT_ALLOW_HTTP_WEBHOOKS");
  serve
      ->add_flag("--allow-private-webhooks", flags->allow_private_webhooks,
                 "Send webhooks to private and link-local addresses, too")
      ->envname("OPENSEAT_ALLOW_PRIVATE_WEBHOOKS");
  serve
      ->add_option("--agent-rate", flags->agent_rate,
                   "Requests a second of one key of the Agent API, in the long run; 0: no limit (default 100)")
      ->envname("OPENSEAT_AGENT_RATE")
      ->check(CLI::Range(0, kMaxRate))
      ->type_name("N");
  // Hidden: for the tests.
  serve->add_flag("--mcp-fixtures", flags->mcp_fixtures, "Offer what MCP's conformance suite needs")->group("");
  serve->add_flag("--insecure", flags->insecure, "Allow other addresses than loopback without TLS")
      ->envname("OPENSEAT_INSECURE");
  serve->add_flag("--no-startup-ack", flags->no_startup_ack, "Do not acknowledge the Neuro API's startup message")
      ->envname("OPENSEAT_NO_STARTUP_ACK");
  serve->footer(
      "Examples:\n"
      "  openseat serve\n"
      "  openseat serve --agent random:seed=7,delay_ms=500\n"
      "  openseat serve --agent script:moves.json --listen 127.0.0.1:9000\n"
      "  openseat serve --match tictactoe:open,random\n"
      "  openseat serve --model local=openai:llama3@http://127.0.0.1:11434/v1 --agent llm:local\n"
      "  openseat serve --match connectm:open,neuro:ws://127.0.0.1:9000\n"
      "  openseat serve --config openseat.toml");
  return {serve, [flags] { return Serve(*flags); }};
}

}  // namespace openseat::app
