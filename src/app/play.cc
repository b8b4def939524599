#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "app/agents.h"
#include "app/commands.h"
#include "app/config.h"
#include "app/games.h"
#include "arena/run_record.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "match/match.h"
#include "match/null_journal.h"
#include "net/http_client.h"
#include "net/shard.h"

namespace openseat::app {
namespace {

constexpr Duration kGoodbye = std::chrono::seconds(2);

struct PlayFlags {
  std::string game;
  std::string seats = "random,random";
  std::string options;
  std::string config_file;
  std::vector<std::string> models;
  std::size_t games = 1;
  std::size_t jobs = 1;
  std::uint64_t seed = 0;
  bool seeded = false;
  bool fixed_roles = false;
  bool json = false;
  bool record = false;
  std::string run_name;
  std::string data_dir;
};

struct Score {
  std::size_t wins = 0;
  std::size_t draws = 0;
  std::size_t losses = 0;
};

struct Tally {
  std::string agent;
  std::vector<Score> by_seat;  // the same games, by the agent's seat
  std::size_t wins = 0;
  std::size_t draws = 0;
  std::size_t losses = 0;
  std::size_t forfeits = 0;  // counted as losses: it could not or did not answer
};

// Plays all games; each job plays its games one after another on its own shard.
class Arena {
 public:
  // `shards` has one per job. All outlive it.
  Arena(const PlayFlags& flags, const Game& game, json::Value options, std::vector<AgentSpec> agents,
        net::Shards& shards, const AgentKinds& kinds)
      : flags_(flags),
        game_(game),
        options_(std::move(options)),
        agents_(std::move(agents)),
        shards_(shards),
        kinds_(kinds) {
    for (const AgentSpec& agent : agents_) {
      Tally& tally = tallies_.emplace_back();
      tally.agent = agent.kind;
      tally.by_seat.resize(agents_.size());
      if (const json::Value* model = json::Find(agent.options, "model"); model != nullptr && model->is_string()) {
        tally.agent += ":" + std::string(json::View(model->get_string()));
      }
    }
    slots_.resize(flags.jobs);
  }

  void Run() {
    const net::SignalWatch interrupt(shards_, [this](int) { shards_.Stop(); });
    for (std::size_t job = 0; job < flags_.jobs; ++job) {
      shards_.at(job).Post([this, job] { Next(job); });
    }
    shards_.RunFirstHere();
    slots_.clear();
    if (Progress()) std::fputc('\n', stderr);
  }

  const std::vector<Tally>& tallies() const { return tallies_; }
  std::size_t played() const { return played_; }

 private:
  bool Progress() const { return !flags_.json && isatty(STDERR_FILENO) != 0; }

  // The agent at `seat` in game `number`: agents change places from game to game.
  std::size_t AgentAt(std::size_t number, std::size_t seat) const {
    return flags_.fixed_roles ? seat : (seat + number) % agents_.size();
  }

  void Next(std::size_t job) {
    const std::size_t number = next_.fetch_add(1);
    if (number >= flags_.games) {
      // Agents that connected out say goodbye first.
      if (idle_.fetch_add(1) + 1 == flags_.jobs) shards_.CloseClients(kGoodbye, [this] { shards_.Stop(); });
      return;
    }
    // Every game has its own seed, so the results do not depend on which job plays it.
    Rng rng(flags_.seed + number * 0x9E3779B97F4A7C15);
    MatchSpec spec;
    spec.id = TableId("play-" + std::to_string(number));
    spec.game = &game_;
    spec.options = options_;
    spec.seed = rng.Next() >> 11;
    for (std::size_t seat = 0; seat < agents_.size(); ++seat) {
      const std::size_t who = AgentAt(number, seat);
      PlannedSeat& planned = spec.seats.emplace_back();
      planned.agent = agents_[who];
      planned.name = agents_[who].kind + " " + std::to_string(who + 1);
      const std::uint64_t agent_seed = rng.Next() >> 12;
      if (kinds_.TakesSeed(planned.agent.kind) && !planned.agent.options.contains("seed")) {
        planned.agent.options["seed"] = agent_seed;
      }
    }
    slots_[job] = std::make_unique<Match>(std::move(spec), MatchRules{}, shards_.at(job), journal_, FactoryOf(kinds_));
    Match& match = *slots_[job];
    match.Watch(Viewer::Spectator(), [this, job, number](MatchEvent event, const Match& ended, Viewer) {
      if (event != MatchEvent::kEnd) return;
      Count(number, ended);
      shards_.at(job).Post([this, job] {
        slots_[job].reset();
        Next(job);
      });
    });
    match.Open([](const Result<void>&) {});
  }

  void Count(std::size_t number, const Match& match) {
    const std::lock_guard lock(mutex_);
    ++played_;
    const Outcome& outcome = *match.outcome();
    for (std::size_t seat = 0; seat < agents_.size(); ++seat) {
      Tally& tally = tallies_[AgentAt(number, seat)];
      Score& here = tally.by_seat[seat];
      if (outcome.winners.empty()) {
        ++tally.draws;
        ++here.draws;
      } else if (outcome.winners.Contains(static_cast<SeatIndex>(seat))) {
        ++tally.wins;
        ++here.wins;
      } else {
        ++tally.losses;
        ++here.losses;
        if (match.forfeited()) ++tally.forfeits;
      }
    }
    if (Progress() && (played_ % std::max<std::size_t>(1, flags_.games / 200) == 0 || played_ == flags_.games)) {
      constexpr std::size_t kWidth = 40;
      const std::size_t full = played_ * kWidth / flags_.games;
      std::fprintf(stderr, "\r[%s%s] %zu/%zu", std::string(full, '#').c_str(), std::string(kWidth - full, ' ').c_str(),
                   played_, flags_.games);
    }
  }

  const PlayFlags& flags_;
  const Game& game_;
  const json::Value options_;
  const std::vector<AgentSpec> agents_;
  NullJournal journal_;
  net::Shards& shards_;
  const AgentKinds& kinds_;
  std::vector<std::unique_ptr<Match>> slots_;  // one per job
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> idle_ = 0;
  std::mutex mutex_;  // of what follows
  std::vector<Tally> tallies_;
  std::size_t played_ = 0;
};

// What the config file and --model say.
Result<Config> ReadConfig(const PlayFlags& flags) {
  Config config;
  if (!flags.config_file.empty()) {
    if (Result<void> read = ReadConfigFile(flags.config_file, config); !read) return Fail(read.error());
  }
  for (const std::string& text : flags.models) {
    Result<llm::Model> model = llm::ParseModelFlag(text, FromEnvironment);
    if (!model) return Fail(model.error());
    AddModel(std::move(*model), config.models);
  }
  if (!flags.data_dir.empty()) config.data_dir = flags.data_dir;
  return config;
}

// The models that play, each once.
std::set<std::string> ModelsOf(const std::vector<AgentSpec>& agents) {
  std::set<std::string> names;
  for (const AgentSpec& agent : agents) {
    const json::Value* name = json::Find(agent.options, "model");
    if (agent.kind == "llm" && name != nullptr) names.emplace(json::View(name->get_string()));
  }
  return names;
}

double Share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

json::Object ModelsAsJson(const std::vector<AgentSpec>& agents, const llm::Models& models) {
  json::Object out;
  for (const std::string& name : ModelsOf(agents)) {
    const llm::ModelEntry& entry = *models.Find(name);
    const llm::ModelStats stats = entry.stats.Get();
    json::Object figures{
        {"provider", llm::ProviderName(entry.model.provider)},
        {"model", entry.model.model},
        {"calls", stats.calls},
        {"failures", stats.failures},
        {"answers", stats.answers},
        {"illegal", stats.illegal},
        {"illegal_rate", Share(stats.illegal, stats.answers)},
        {"repair_rate", Share(stats.mended + stats.reasked, stats.answers)},
        {"mended", stats.mended},
        {"reasked", stats.reasked},
        {"given_up", stats.given_up},
        {"tokens_in", stats.usage.tokens_in()},
        {"tokens_out", stats.usage.output},
        {"cost", nullptr},
        {"latency_ms",
         json::Object{{"p50", stats.Latency(0.5)}, {"p90", stats.Latency(0.9)}, {"p99", stats.Latency(0.99)}}}};
    if (entry.model.input_price > 0 || entry.model.output_price > 0) figures["cost"] = stats.cost;
    out[name] = std::move(figures);
  }
  return out;
}

void PrintModels(const std::vector<AgentSpec>& agents, const llm::Models& models) {
  for (const std::string& name : ModelsOf(agents)) {
    const llm::ModelEntry& entry = *models.Find(name);
    const llm::ModelStats stats = entry.stats.Get();
    const auto count = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
    std::printf("\nmodel %s (%s at %s)\n", name.c_str(), entry.model.model.c_str(),
                std::string(llm::ProviderName(entry.model.provider)).c_str());
    std::printf("  answers        %llu, and %llu calls that failed\n", count(stats.answers), count(stats.failures));
    std::printf("  illegal moves  %.1f %% of the answers\n", 100 * Share(stats.illegal, stats.answers));
    std::printf("  repairs        %.1f %% (%llu repaired, %llu requested again, %llu given up)\n",
                100 * Share(stats.mended + stats.reasked, stats.answers), count(stats.mended), count(stats.reasked),
                count(stats.given_up));
    std::printf("  tokens         %llu in, %llu out\n", count(stats.usage.tokens_in()),
                count(stats.usage.output));
    if (entry.model.input_price > 0 || entry.model.output_price > 0) {
      std::printf("  cost           $%.4f\n", stats.cost);
    } else {
      std::printf("  cost           unknown: the model has no input_price and output_price\n");
    }
    std::printf("  latency        p50 %.0f ms, p90 %.0f ms, p99 %.0f ms\n", static_cast<double>(stats.Latency(0.5)),
                static_cast<double>(stats.Latency(0.9)), static_cast<double>(stats.Latency(0.99)));
  }
}

// docs/formats/arena_run.md
json::Object RunRecord(const PlayFlags& flags, const Game& game, const json::Value& options, const Arena& arena,
                       json::Object models, Time started, double seconds) {
  json::Array seats;
  for (const Tally& tally : arena.tallies()) {
    json::Array by_seat;
    for (const Score& score : tally.by_seat) {
      by_seat.push_back(json::Object{{"wins", score.wins}, {"draws", score.draws}, {"losses", score.losses}});
    }
    seats.push_back(json::Object{{"agent", tally.agent},
                                 {"wins", tally.wins},
                                 {"draws", tally.draws},
                                 {"losses", tally.losses},
                                 {"forfeits", tally.forfeits},
                                 {"by_seat", std::move(by_seat)}});
  }
  json::Object run{{"format", arena::kFormat}, {"version", arena::kVersion}};
  if (flags.record) run["id"] = arena::NewRunId(started, flags.game);
  if (!flags.run_name.empty()) run["name"] = flags.run_name;
  run["openseat"] = OPENSEAT_VERSION;
  run["started"] = FormatIso8601(started);
  run["seconds"] = seconds;
  run["game"] = flags.game;
  run["title"] = game.info().title;
  if (!options.is_null()) run["options"] = options;
  run["games"] = arena.played();
  run["wanted"] = flags.games;
  run["seed"] = flags.seed;
  run["fixed_roles"] = flags.fixed_roles;
  run["seats"] = std::move(seats);
  run["models"] = std::move(models);
  return run;
}

void PrintRun(const Game& game, std::uint64_t seed, const Arena& arena) {
  std::printf("%s, %zu games, seed %llu\n%-4s %-16s %8s %8s %8s %9s\n", game.info().title.c_str(), arena.played(),
              static_cast<unsigned long long>(seed), "seat", "agent", "wins", "draws", "losses", "forfeits");
  for (std::size_t i = 0; i < arena.tallies().size(); ++i) {
    const Tally& tally = arena.tallies()[i];
    std::printf("%-4zu %-16s %8zu %8zu %8zu %9zu\n", i, tally.agent.c_str(), tally.wins, tally.draws, tally.losses,
                tally.forfeits);
  }
}

int Play(const PlayFlags& given) {
  PlayFlags flags = given;
  const Game* game = FindGame(flags.game);
  if (game == nullptr) {
    std::string names;
    for (const Game* each : PublicGames()) names += (names.empty() ? "" : ", ") + each->info().id;
    PrintError("no game \"" + flags.game + "\"; available: " + names);
    return kUsage;
  }
  Result<MatchRequest> request = ParseMatchRequest(flags.game + ":" + flags.seats);
  if (!request) {
    PrintError(request.error().message);
    return kUsage;
  }
  Result<Config> config = ReadConfig(flags);
  if (!config) {
    PrintError(config.error().message);
    return kUsage;
  }
  if (config->data_dir.empty()) config->data_dir = DefaultDataDir();
  if (flags.run_name.size() > arena::kMaxName || !IsValidUtf8(flags.run_name)) {
    PrintError("--record: a run's name is UTF-8 text of at most " + std::to_string(arena::kMaxName) + " bytes");
    return kUsage;
  }
  flags.jobs = std::clamp<std::size_t>(flags.jobs, 1, std::max<std::size_t>(1, flags.games));
  net::Shards shards(flags.jobs);
  net::HttpClients http(shards);
  const llm::Models models(std::move(config->models), http);
  const AgentKinds kinds = AgentsWith({.models = &models});
  std::vector<AgentSpec> agents;
  for (PlannedSeat& seat : request->seats) {
    if (seat.agent.kind.empty()) {
      PrintError("nobody can join here: give an agent for every seat, as in --seats random,script:moves.json");
      return kUsage;
    }
    if (Result<void> plays = kinds.CheckGame(seat.agent, game->info().id); !plays) {
      PrintError(plays.error().message);
      return kUsage;
    }
    if (Result<std::unique_ptr<Agent>> made = kinds.Make(seat.agent); !made) {
      PrintError(made.error().message);
      return kUsage;
    }
    agents.push_back(std::move(seat.agent));
  }
  const GameInfo& info = game->info();
  if (agents.size() < info.min_seats || agents.size() > info.max_seats) {
    std::string wanted = std::to_string(info.min_seats);
    if (info.max_seats != info.min_seats) wanted += " to " + std::to_string(info.max_seats);
    PrintError(info.title + " has " + wanted + " seats; got " + std::to_string(agents.size()) + " agents");
    return kUsage;
  }
  json::Value options;
  if (!flags.options.empty()) {
    Result<json::Value> parsed = json::Parse(flags.options);
    if (!parsed) {
      PrintError("--options: " + parsed.error().message);
      return kUsage;
    }
    options = std::move(*parsed);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < agents.size(); ++i) names.push_back("player " + std::to_string(i));
  if (auto trial = game->NewGame(options, 0, names); !trial) {
    PrintError("--options: " + trial.error().message);
    return kUsage;
  }
  if (!flags.seeded) flags.seed = SecureRandom64() >> 11;

  const SystemClock clock;
  const Time started = clock.Now();
  const Instant begin = clock.Monotonic();
  Arena arena(flags, *game, options, agents, shards, kinds);
  arena.Run();
  const double seconds = std::chrono::duration<double>(clock.Monotonic() - begin).count();
  const json::Object run = RunRecord(flags, *game, options, arena, ModelsAsJson(agents, models), started, seconds);
  // A run without a finished game has no results.
  Result<std::string> kept = std::string();
  if (flags.record && arena.played() > 0) kept = arena::WriteRun(config->data_dir, run);
  if (flags.json) {
    std::puts(json::Write(run).c_str());
  } else {
    PrintRun(*game, flags.seed, arena);
    PrintModels(agents, models);
    if (kept && !kept->empty()) std::printf("\nrecorded in %s\n", kept->c_str());
  }
  if (!kept) {
    PrintError(kept.error().message);
    return kFailed;
  }
  return arena.played() == flags.games ? kDone : kFailed;
}

}  // namespace

void AddPlay(cli::Command program) {
  auto flags = std::make_shared<PlayFlags>();
  cli::Command play = program.AddCommand("play", "Plays games between agents in this process, and counts the wins");
  play.AddOption("game", &flags->game, "Which game", {.type = "GAME", .required = true});
  play.AddOption("--seats", &flags->seats,
                 "The agents, seat by seat; `openseat serve --help` lists all of them (default random,random)",
                 {.type = "AGENT,AGENT"});
  play.AddOption("-n,--games", &flags->games, "How many games (default 1)", {.range = cli::Range(1, 1'000'000'000)});
  play.AddOption("--jobs", &flags->jobs, "How many are played at once (default 1)", {.range = cli::Range(1, 256)});
  play.AddOption("--model", &flags->models, "A language model by a name of your choice, may be repeated",
                 {.type = "NAME=PROVIDER:MODEL@URL"});
  play.AddOption("--config", &flags->config_file, "TOML file with the models (docs/configuration.md)",
                 {.type = "FILE", .env = "OPENSEAT_CONFIG"});
  play.AddOption("--options", &flags->options, "The game's options, as JSON", {.type = "JSON"});
  play.AddOption("--seed", &flags->seed, "Makes the run repeatable", {.type = "N", .given = &flags->seeded});
  play.AddOption("--fixed-roles", &flags->fixed_roles, "Agents keep their seats instead of changing from game to game");
  play.AddOption("--record", &flags->run_name, "Keeps the results for the Arena page, under a name if you like",
                 {.type = "[NAME]", .value_optional = true, .given = &flags->record});
  play.AddOption("--data-dir", &flags->data_dir, "Where the results are kept (default ~/.local/share/openseat)",
                 {.type = "DIR", .env = "OPENSEAT_DATA_DIR"});
  play.AddOption("--json", &flags->json, "One JSON object as the last line, nothing else");
  play.SetFooter(
      "Examples:\n"
      "  openseat play tictactoe --seats random,random -n 10000 --jobs 2\n"
      "  openseat play tictactoe --model local=openai:llama3@http://127.0.0.1:11434/v1 --seats llm:local,random -n 20\n"
      "  openseat play chicken --seats neuro:ws://127.0.0.1:8000,random -n 5\n"
      "  openseat play connectm --options '{\"columns\": 9}' --seed 7 --json\n"
      "  openseat play rps -n 500 --record \"first try\"");
  play.SetRun([flags] { return Play(*flags); });
}

}  // namespace openseat::app
