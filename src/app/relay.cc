// openseat relay: the server, with games that are played by a Neuro backend elsewhere.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/run_server.h"
#include "app/server_flags.h"
#include "net/url.h"

namespace openseat::app {
namespace {

struct RelayFlags : ServerFlags {
  std::string upstream;
  std::string repair;
  std::uint64_t hold = 10'000;
  double keep = 30;
  bool held_only = false;
};

Result<void> CheckUpstream(const std::string& text, const std::vector<net::ListenAddress>& listen) {
  const Result<net::WebSocketUrl> url = net::ParseWebSocketUrl(text);
  if (!url) return Fail(ErrorCode::kInvalid, "--upstream: " + url.error().message);
  for (const net::ListenAddress& address : listen) {
    const bool all = address.host == "0.0.0.0" || address.host == "::";
    const bool here =
        url->host == address.host || (net::IsLoopbackHost(url->host) && (all || net::IsLoopbackHost(address.host)));
    if (here && url->port == address.port) {
      return Fail(ErrorCode::kInvalid, "--upstream " + text + " is the relay's own address: give another --listen");
    }
  }
  return {};
}

Result<Config> MakeRelayConfig(const RelayFlags& flags) {
  Config config;
  if (Result<void> used = UseServerFlags(flags, config); !used) return Fail(used.error());
  config.cluster = {};  // only `serve` takes part in one
  if (Result<void> checked = CheckUpstream(flags.upstream, config.listen); !checked) return Fail(checked.error());
  const Result<relay::Repairs> repairs = relay::ParseRepairs(flags.repair);
  if (!repairs) return Fail(repairs.error().code, "--repair: " + repairs.error().message);
  config.relay = relay::RelayOptions{.upstream = flags.upstream,
                                     .hold_messages = flags.hold,
                                     .keep = Duration(static_cast<std::int64_t>(flags.keep * 1e6)),
                                     .restore = !flags.held_only,
                                     .repairs = *repairs};
  // The table takes note, and says nothing by itself.
  for (neuro::NeuroOptions& options : config.neuro.all) {
    options.relayed = true;
    options.startup_ack = false;
    options.speech_finished = false;
    options.manner = {};
    options.force_limit.reset();
    options.force_attempts = 0;
    options.reregister = neuro::NeuroOptions::Reregister::kNever;
    options.registration = neuro::NeuroOptions::Registration::kReplace;
  }
  config.neuro.start = neuro::Profile::kDocument;
  config.matches.clear();
  config.chimera_listen.reset();
  config.shards = 1;  // a channel's two connections belong to one thread
  return config;
}

int RunRelay(const RelayFlags& flags) {
  return RunServer([&flags] { return MakeRelayConfig(flags); },
                   [&flags](const ServerApp&, const ServedAt& at) {
                     const std::string upstream = flags.upstream.substr(0, flags.upstream.find('?'));
                     std::printf("Openseat %s relays on %s://%s\n", OPENSEAT_VERSION, at.tls ? "https" : "http",
                                 at.authority.c_str());
                     std::printf("  games connect to  %s://%s\n", at.tls ? "wss" : "ws", at.authority.c_str());
                     std::printf("  and are played by %s\n", upstream.c_str());
                   });
}

}  // namespace

void AddRelay(cli::Command program) {
  auto flags = std::make_shared<RelayFlags>();
  cli::Command relay =
      program.AddCommand("relay", "Passes everything between games and a Neuro backend on unchanged, and records it");
  relay.AddOption("--upstream", &flags->upstream, "The backend that plays: ws:// or wss://, used exactly as given",
                  {.type = "URL", .env = "OPENSEAT_UPSTREAM", .required = true});
  relay.AddOption("--listen", &flags->listen, "Where games connect, may be repeated (default 127.0.0.1:8000)",
                  {.type = "HOST:PORT", .env = "OPENSEAT_LISTEN"});
  relay.AddOption("--repair", &flags->repair,
                  "What may be changed on the way to the backend, each change said: messages, schemas, names, or all "
                  "(default: nothing)",
                  {.type = "LIST", .env = "OPENSEAT_RELAY_REPAIR"});
  relay.AddOption("--hold", &flags->hold,
                  "Messages of a game, and as many for it, that are kept while the other side is away (default 10000, "
                  "16 MiB at most)",
                  {.type = "N", .env = "OPENSEAT_RELAY_HOLD", .range = cli::Range(1, 1'000'000)});
  relay.AddOption("--keep", &flags->keep,
                  "Seconds that the backend's connection stays for a game whose own one broke (default 30)",
                  {.type = "S", .env = "OPENSEAT_RELAY_KEEP", .range = cli::Range(0.0, 3600.0)});
  relay.AddOption("--held-only", &flags->held_only,
                  "Tell a backend that comes back only what it missed, not the startup, the actions and the open force "
                  "again",
                  {.env = "OPENSEAT_RELAY_HELD_ONLY"});
  relay.AddOption("--data-dir", &flags->data_dir, "Where the journal is kept (default ~/.local/share/openseat)",
                  {.type = "DIR", .env = "OPENSEAT_DATA_DIR"});
  relay.AddOption("--config", &flags->config_file, "TOML file (docs/configuration.md): limits, access, journal",
                  {.type = "FILE", .env = "OPENSEAT_CONFIG"});
  relay.AddOption("--log-level", &flags->log_level, "debug, info, warn, error or off",
                  {.type = "LEVEL", .env = "OPENSEAT_LOG_LEVEL"});
  relay.AddOption("--certificate", &flags->certificate, "TLS certificate chain, PEM",
                  {.type = "FILE", .env = "OPENSEAT_CERTIFICATE"});
  relay.AddOption("--key", &flags->key, "TLS private key, PEM", {.type = "FILE", .env = "OPENSEAT_KEY"});
  relay.AddOption("--allow-origin", &flags->origins,
                  "A page's origin in which a game may run, as https://games.example, may be repeated",
                  {.type = "ORIGIN", .env = "OPENSEAT_ALLOW_ORIGIN"});
  relay.AddOption("--open-games", &flags->open_games, "Let games of other machines in without a token",
                  {.env = "OPENSEAT_OPEN_GAMES"});
  relay.AddOption("--insecure", &flags->insecure, "Allow addresses other than loopback without TLS",
                  {.env = "OPENSEAT_INSECURE"});
  relay.SetFooter(
      "Each game has a connection to the backend of its own, so actions of the same name do not meet there. "
      "Everything\n"
      "is in the journal with its time: `openseat replay` prints it, the console shows it live, with the diagnostics.\n"
      "`openseat replay TABLE --against URL` plays the backend's part again to another build of the game.\n\n"
      "Examples:\n"
      "  openseat relay --upstream ws://127.0.0.1:9000\n"
      "  openseat relay --upstream wss://neuro.example/game --listen 127.0.0.1:8001 --repair names");
  relay.SetRun([flags] { return RunRelay(*flags); });
}

}  // namespace openseat::app
