#include "app/run_command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "agents/llm/redact.h"
#include "app/agents.h"
#include "app/commands.h"
#include "app/config.h"
#include "app/games.h"
#include "app/run_report.h"
#include "app/run_trust.h"
#include "arena/pool.h"
#include "arena/run_folder.h"
#include "arena/runner.h"
#include "base/clock.h"
#include "base/json_members.h"
#include "base/secure_random.h"
#include "net/http_client.h"
#include "net/shard.h"

namespace openseat::app {
namespace {

constexpr Duration kGoodbye = std::chrono::seconds(2);
constexpr Duration kPatience = std::chrono::hours(1);  // with a provider that is busy
constexpr std::uint64_t kMaxJobs = 256;

bool Plays(const arena::RunAgent& agent, const std::string& game) {
  return DescribedAgents().CheckGame(agent.spec, game).has_value();
}

// A run's agents by their names. Each plays at least one of the games.
Result<std::vector<arena::RunAgent>> ParseAgents(const arena::RunSpec& spec) {
  const AgentKinds& kinds = DescribedAgents();
  std::vector<arena::RunAgent> agents;
  for (const std::string& name : spec.agents) {
    if (name == "open" || name.empty()) {
      return Fail(ErrorCode::kInvalid,
                  "nobody can join here: give an agent for every seat, as in --seats random,script:moves.json");
    }
    Result<AgentSpec> agent = kinds.Parse(name);
    if (!agent) return Fail(agent.error());
    if (kinds.IsPlayedFromOutside(agent->kind)) {
      return Fail(ErrorCode::kInvalid,
                  "nobody can join here, so \"" + name + "\" cannot play: it is played from outside");
    }
    agents.push_back({name, std::move(*agent)});
    const auto plays = [&](const arena::RunGame& game) { return Plays(agents.back(), game.id); };
    if (std::ranges::any_of(spec.games, plays)) continue;
    return Fail(kinds.CheckGame(agents.back().spec, spec.games.front().id).error());
  }
  return agents;
}

// Whether all of them can be made.
Result<void> CheckAgents(const std::vector<arena::RunAgent>& agents, const AgentKinds& kinds) {
  for (const arena::RunAgent& agent : agents) {
    if (Result<std::unique_ptr<Agent>> made = kinds.Make(agent.spec); !made) return Fail(made.error());
  }
  return {};
}

// By index.
std::vector<std::size_t> PlayersOf(const std::string& game, const std::vector<arena::RunAgent>& agents) {
  std::vector<std::size_t> players;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    if (Plays(agents[i], game)) players.push_back(i);
  }
  return players;
}

// The games, if they can be played as the run wants.
Result<std::vector<const Game*>> FindGames(const arena::RunSpec& spec) {
  std::vector<const Game*> games;
  for (const arena::RunGame& wanted : spec.games) {
    const Game* game = FindGame(wanted.id);
    if (game == nullptr) return Fail(NamedGame(wanted.id, nullptr).error());
    const GameInfo& info = game->info();
    const Game* rules = game->OfVersion(wanted.rules_version);
    if (rules == nullptr) {
      return Fail(ErrorCode::kUnsupported, "the run was begun under version " + std::to_string(wanted.rules_version) +
                                               " of the rules of " + info.title + "; this program has version " +
                                               std::to_string(info.rules_version));
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < info.min_seats; ++i) names.push_back("Player " + std::to_string(i + 1));
    if (auto trial = rules->NewGame(wanted.options, 0, names); !trial) {
      return Fail(trial.error().code, "--options: " + trial.error().message);
    }
    games.push_back(rules);
  }
  return games;
}

// What the schedule needs to know of a run.
Result<arena::Schedule> MakeSchedule(const arena::RunSpec& spec, const std::vector<const Game*>& games,
                                     const std::vector<arena::RunAgent>& agents) {
  arena::ScheduleSpec plan;
  plan.agents = spec.agents;
  plan.seed = spec.seed;
  plan.fixed_roles = spec.fixed_roles;
  plan.until_interval = spec.until_interval;
  for (const Game* game : games) {
    const GameInfo& info = game->info();
    std::size_t seats = info.min_seats;
    if (spec.command != "tournament") {
      seats = spec.agents.size();
      if (seats < info.min_seats || seats > info.max_seats) {
        std::string wanted = std::to_string(info.min_seats);
        if (info.max_seats != info.min_seats) wanted += " to " + std::to_string(info.max_seats);
        return Fail(ErrorCode::kInvalid,
                    info.title + " has " + wanted + " seats; got " + std::to_string(seats) + " agents");
      }
    }
    plan.games.push_back({info.id, seats, PlayersOf(info.id, agents)});
    if (plan.games.back().agents.empty()) {
      return Fail(ErrorCode::kInvalid, "none of the agents plays " + info.title);
    }
  }
  if (spec.command != "tournament") {
    plan.pairs = spec.fixed_roles ? spec.wanted : (spec.wanted + spec.agents.size() - 1) / spec.agents.size();
    plan.max_games = spec.wanted;
    return arena::Schedule::Make(std::move(plan));
  }
  plan.pairs = spec.pairs;
  const std::string_view format = std::string_view(spec.format).substr(0, spec.format.find(':'));
  if (format == arena::FormatName(arena::Format::kGauntlet)) {
    const std::string challenger = spec.format.substr(std::min(format.size() + 1, spec.format.size()));
    const auto found = std::ranges::find(spec.agents, challenger);
    if (found == spec.agents.end()) {
      return Fail(ErrorCode::kInvalid, "--format gauntlet:AGENT names one of the agents; got \"" + challenger + "\"");
    }
    plan.format = arena::Format::kGauntlet;
    plan.challenger = static_cast<std::size_t>(found - spec.agents.begin());
  } else if (format == arena::FormatName(arena::Format::kSwiss)) {
    plan.format = arena::Format::kSwiss;
  } else if (format == arena::FormatName(arena::Format::kKnockout)) {
    plan.format = arena::Format::kKnockout;
  } else if (format != arena::FormatName(arena::Format::kRoundRobin)) {
    return Fail(ErrorCode::kInvalid,
                "--format is round-robin, gauntlet:AGENT, swiss or knockout; got \"" + spec.format + "\"");
  }
  if (spec.pool) {
    const auto earlier = arena::ReadPoolGames(spec.pool->file, {.runs = spec.pool->runs});
    if (!earlier) return Fail(earlier.error());
    arena::AddEarlier(*earlier, plan);
  }
  return arena::Schedule::Make(std::move(plan));
}

Result<arena::RunBudget> BudgetOf(const RunFlags& flags, arena::RunBudget budget) {
  const auto positive = [](double number) { return number > 0; };
  if (flags.has_max_cost) budget.cost = flags.max_cost;
  if (flags.has_max_tokens) budget.tokens = flags.max_tokens;
  if (flags.has_max_hours) budget.hours = flags.max_hours;
  if (!positive(budget.cost.value_or(1)) || budget.tokens.value_or(1) == 0 || !positive(budget.hours.value_or(1))) {
    return Fail(ErrorCode::kInvalid, "--max-cost, --max-tokens and --max-hours must be more than 0");
  }
  return budget;
}

// The settings of the models that play.
json::Object SettingsOf(const std::vector<arena::RunAgent>& agents, const llm::Models& models) {
  json::Object settings;
  for (const arena::RunAgent& agent : agents) {
    const std::string_view name = json::TextOf(agent.spec.options, "model");
    if (agent.spec.kind != "llm" || name.empty()) continue;
    settings[name] = llm::SettingsOf(models.Find(name)->model);
  }
  return settings;
}

void WarnOfFreeModels(const arena::RunBudget& budget, const std::vector<arena::RunAgent>& agents,
                      const llm::Models& models) {
  if (!budget.cost) return;
  std::set<std::string> said;
  for (const arena::RunAgent& agent : agents) {
    const std::string name(json::TextOf(agent.spec.options, "model"));
    if (agent.spec.kind != "llm" || models.Find(name)->model.priced() || !said.insert(name).second) continue;
    PrintError("the model \"" + name + "\" has no prices, so --max-cost counts its calls as free");
  }
}

// The key for the marks of a run; "" if it needs none, and with a warning if there can be none.
std::string KeyForMarks(const arena::RunSpec& spec) {
  if (!ReachesOut(spec)) return {};
  Result<std::string> key = MakeRunKey(DefaultDataDir());
  if (key) return std::move(*key);
  PrintError("the run cannot be marked as yours, so --resume will need --trust: " + key.error().message);
  return {};
}

// A log for each bot that has none: FOLDER/logs/NUMBER-FOLDER-PROGRAM.log. Nothing without the folder.
void GiveLogs(const std::string& folder, std::vector<arena::RunAgent>& agents) {
  const std::filesystem::path logs = std::filesystem::path(folder) / "logs";
  for (std::size_t i = 0; i < agents.size(); ++i) {
    json::Object& options = agents[i].spec.options;
    if (agents[i].spec.kind != "cmd" || options.contains("log")) continue;
    std::error_code error;
    std::filesystem::create_directory(logs, error);
    // Who sent the folder may have put links there.
    if (!std::filesystem::is_directory(std::filesystem::symlink_status(logs, error))) return;
    const std::filesystem::path program =
        std::filesystem::absolute(std::string(json::TextOf(options, "program")), error).lexically_normal();
    const std::string name = program.parent_path().filename().string() + "-" + program.filename().string();
    const std::filesystem::path log = logs / (std::to_string(i + 1) + "-" + name.substr(0, 100) + ".log");
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(log, error))) options["log"] = log.string();
  }
}

// Everything that a run is played with.
class RunSession {
 public:
  RunSession(const RunFlags& flags, const RunCommand& command) : flags_(flags), command_(command) {}

  // Errors are wrong usage.
  Result<void> Prepare();
  int Play();

 private:
  Result<void> ReadSpec();
  Result<void> CheckTrust(const arena::WrittenRun& run);
  Result<void> MakeWorld();
  Result<void> OpenFolder();
  RunResult ResultOf() const;
  int Report(double seconds);

  const RunFlags& flags_;
  const RunCommand& command_;
  const SystemClock clock_;
  const Time started_ = clock_.Now();
  arena::RunSpec spec_;
  std::string key_;      // for marks; "": none are made
  std::string trusted_;  // the run.json of a resumed run, as it was read
  std::vector<const Game*> games_;
  std::optional<arena::Schedule> schedule_;
  std::optional<net::Shards> shards_;
  std::optional<net::HttpClients> http_;
  std::optional<llm::Models> models_;
  std::optional<WorkerPool> thinkers_;
  std::optional<AgentKinds> kinds_;
  std::vector<arena::RunAgent> agents_;
  std::unique_ptr<arena::RunFolder> folder_;
  std::unique_ptr<arena::Runner> runner_;
  bool finished_ = false;  // the runner has ended by itself
  double seconds_ = 0;     // of earlier parts
};

// What is given together with --resume must be what the run was begun with: the flags that all commands have.
Result<void> CheckResumed(const RunFlags& flags, const arena::RunSpec& run) {
  const auto other = [](const char* flag) {
    return Fail(ErrorCode::kConflict,
                std::string("the run was begun with another ") + flag + "; --resume needs only its folder");
  };
  if (flags.seeded && flags.seed != run.seed) return other("--seed");
  if (flags.fixed_roles && !run.fixed_roles) return other("--fixed-roles");
  const Result<json::Value> options = ParseGameOptions(flags.options);
  if (!options) return Fail(options.error());
  if (!options->is_null() && !json::Equal(*options, run.games.front().options)) return other("--options");
  return {};
}

Result<void> RunSession::ReadSpec() {
  if (flags_.resume.empty()) {
    Result<arena::RunSpec> asked = command_.asked();
    if (!asked) return Fail(asked.error());
    spec_ = std::move(*asked);
    return {};
  }
  const Result<arena::WrittenRun> run = arena::ReadWrittenRun(flags_.resume);
  if (!run) return Fail(run.error());
  spec_ = run->spec;
  trusted_ = run->text;
  if (spec_.command != command_.name) {
    return Fail(ErrorCode::kInvalid, "the run in " + flags_.resume + " is one of `openseat " + spec_.command +
                                         "`: go on with `openseat " + spec_.command + " --resume`");
  }
  if (Result<void> checked = CheckResumed(flags_, spec_); !checked) return checked;
  if (Result<void> checked = command_.check_resumed(spec_); !checked) return checked;
  return CheckTrust(*run);
}

// Before anything that the folder names is opened, asked or run.
Result<void> RunSession::CheckTrust(const arena::WrittenRun& run) {
  Result<std::string> key = ReadRunKey(DefaultDataDir());
  if (key && arena::HasMark(flags_.resume, run.text, *key)) {
    key_ = std::move(*key);
    return {};
  }
  if (flags_.trust) {
    key_ = KeyForMarks(run.spec);
    return {};
  }
  arena::RunSpec played = run.spec;
  if (!flags_.models.empty()) played.model_flags.clear();
  if (!flags_.config_file.empty()) played.config.clear();
  if (const Result<arena::RunBudget> budget = BudgetOf(flags_, played.budget)) played.budget = *budget;
  if (!ReachesOut(played)) return {};
  std::string message = "the run in " + flags_.resume +
                        " has no mark of yours: somebody else began it, you did so on another machine or with an "
                        "earlier version, or its run.json was changed. To go on with it is to";
  for (const std::string& deed : DeedsOf(played)) message += "\n  " + deed;
  if (!key && key.error().code != ErrorCode::kNotFound) message += "\n" + key.error().message;
  return Fail(ErrorCode::kDenied, message + "\nIf you want that, add --trust.");
}

Result<void> RunSession::Prepare() {
  if (Result<void> read = ReadSpec(); !read) return read;
  Result<arena::RunBudget> budget = BudgetOf(flags_, spec_.budget);
  if (!budget) return Fail(budget.error());
  spec_.budget = *budget;
  Result<std::vector<const Game*>> games = FindGames(spec_);
  if (!games) return Fail(games.error());
  games_ = std::move(*games);
  if (Result<void> made = MakeWorld(); !made) return made;
  if (Result<void> opened = OpenFolder(); !opened) return opened;
  WarnOfFreeModels(spec_.budget, agents_, *models_);
  return {};
}

Result<void> RunSession::MakeWorld() {
  Result<std::vector<llm::Model>> models = ReadModels(spec_, flags_);
  if (!models) return Fail(models.error());
  Result<std::vector<arena::RunAgent>> agents = ParseAgents(spec_);
  if (!agents) return Fail(agents.error());
  agents_ = std::move(*agents);
  Result<arena::Schedule> schedule = MakeSchedule(spec_, games_, agents_);
  if (!schedule) return Fail(schedule.error());
  schedule_.emplace(std::move(*schedule));
  const std::uint64_t total = schedule_->total_games().value_or(kMaxJobs);
  shards_.emplace(std::clamp<std::uint64_t>(flags_.jobs, 1, std::max<std::uint64_t>(1, total)));
  http_.emplace(*shards_);
  const bool kept = !flags_.out.empty() || !flags_.resume.empty();
  models_.emplace(std::move(*models), *http_, llm::CallPolicy{.record_prompts = kept, .patience = kPatience});
  thinkers_.emplace(shards_->size());
  kinds_.emplace(AgentsWith({.models = &*models_, .thinkers = &*thinkers_}));
  return CheckAgents(agents_, *kinds_);
}

Result<void> RunSession::OpenFolder() {
  spec_.models = SettingsOf(agents_, *models_);
  if (!flags_.resume.empty()) {
    const auto check = [this](const arena::WrittenRun& before) {
      // The process that played it until now may have written it once more.
      if (!key_.empty() && before.text != trusted_ && !arena::HasMark(flags_.resume, before.text, key_)) {
        return Result<void>(Fail(ErrorCode::kConflict, "the run in " + flags_.resume + " was changed meanwhile"));
      }
      return arena::CheckSameRun(before.spec, spec_);
    };
    Result<std::unique_ptr<arena::RunFolder>> folder = arena::RunFolder::Resume(flags_.resume, started_, check, key_);
    if (!folder) return Fail(folder.error());
    folder_ = std::move(*folder);
    spec_.parts = folder_->spec().parts;
  } else {
    spec_.parts = {{.started = started_, .seconds = std::nullopt, .spent = {}}};
    if (!flags_.out.empty()) {
      Result<std::unique_ptr<arena::RunFolder>> folder =
          arena::RunFolder::Create(flags_.out, spec_, KeyForMarks(spec_));
      if (!folder) return Fail(folder.error());
      folder_ = std::move(*folder);
    }
  }
  return {};
}

int RunSession::Play() {
  arena::Runner::Setup setup;
  setup.games = games_;
  for (const arena::RunGame& game : spec_.games) setup.options.push_back(game.options);
  setup.fork = spec_.fork;
  if (folder_ != nullptr) GiveLogs(folder_->path(), agents_);
  setup.agents = agents_;
  setup.folder = folder_.get();
  setup.budget = spec_.budget;
  setup.figures = !spec_.models.empty();
  for (const arena::RunPart& part : spec_.parts) {
    setup.spent += part.spent;
    seconds_ += part.seconds.value_or(0);
  }
  setup.seconds = seconds_;
  setup.make_agent = FactoryOf(*kinds_);
  setup.takes_seed = [this](std::string_view kind) { return kinds_->TakesSeed(kind); };
  for (std::size_t i = 0; i < shards_->size(); ++i) setup.jobs.push_back(&shards_->at(i));
  const Instant begin = clock_.Monotonic();
  RunProgress progress(!flags_.json, begin);
  setup.on_progress = [this, &progress](const arena::Runner::Progress& now) { progress.Show(now, clock_.Monotonic()); };
  Result<std::unique_ptr<arena::Runner>> runner = arena::Runner::Make(std::move(setup), std::move(*schedule_));
  if (!runner) {
    PrintError(runner.error().message);
    return kFailed;
  }
  runner_ = std::move(*runner);
  {
    bool asked = false;
    const net::SignalWatch interrupt(*shards_, [this, &asked](int) {
      // A second signal does not wait for anything.
      if (std::exchange(asked, true)) return shards_->Stop();
      runner_->Stop({arena::StopReason::Kind::kInterrupted, "the run was interrupted"});
    });
    runner_->Start([this] {
      finished_ = true;
      // Agents that connected out say goodbye first.
      shards_->CloseClients(kGoodbye, [this] { shards_->Stop(); });
    });
    shards_->RunFirstHere();
  }
  progress.End();
  return Report(std::chrono::duration<double>(clock_.Monotonic() - begin).count());
}

RunResult RunSession::ResultOf() const {
  const arena::RunSummary& summary = runner_->summary();
  return {.spec = spec_,
          .summary = summary,
          .wanted = runner_->total().value_or(summary.counted() + summary.voided()),
          .seconds = seconds_,
          .folder = folder_ ? folder_->path() : std::string(),
          .complete = finished_ && runner_->complete()};
}

int RunSession::Report(double seconds) {
  seconds_ += seconds;
  const RunResult result = ResultOf();
  json::Object output = result.summary.ToJson(spec_, result.wanted, result.seconds);
  const std::optional<arena::StopReason>& stopped = runner_->stopped();
  output["stopped"] = stopped ? json::Value(stopped->sentence) : json::Value();
  Result<void> kept;
  if (folder_) {
    output["folder"] = result.folder;
    kept = folder_->Finish(seconds, runner_->spent(), output, spec_.budget);
  }
  if (kept && command_.complete) kept = command_.complete(result, output);
  if (flags_.json) {
    std::puts(json::Write(output).c_str());
  } else {
    command_.print(result);
    PrintModelFigures(result);
    PrintRunNotes(result);
  }
  if (stopped) {
    PrintStop(*stopped, result);
  } else if (result.summary.voided() > 0) {
    std::string sentence = std::to_string(result.summary.voided()) + " of " + std::to_string(result.wanted) +
                           " games are void and do not count";
    if (!result.folder.empty()) sentence += "; play them: openseat " + spec_.command + " --resume " + result.folder;
    PrintError(sentence);
  }
  if (!kept) PrintError(kept.error().message);
  return kept && result.complete ? kDone : kFailed;
}

}  // namespace

Result<std::vector<llm::Model>> ReadModels(arena::RunSpec& spec, const RunFlags& flags) {
  if (!flags.config_file.empty()) {
    std::error_code error;
    spec.config = std::filesystem::absolute(flags.config_file, error).string();
  }
  Config config;
  if (!spec.config.empty()) {
    if (Result<void> read = ReadConfigFile(spec.config, config); !read) return Fail(read.error());
  }
  const std::vector<std::string> texts = flags.models.empty() ? spec.model_flags : flags.models;
  spec.model_flags.clear();
  if (Result<void> added = AddModelFlags(texts, config.models); !added) return Fail(added.error());
  const std::size_t first = config.models.size() - texts.size();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    spec.model_flags.push_back(llm::Redactor(config.models[first + i])(texts[i]));
  }
  return std::move(config.models);
}

void AddModelOptions(cli::Command& command, RunFlags& flags) {
  command.AddOption("--model", &flags.models, "A language model by a name of your choice, may be repeated",
                    {.type = "NAME=PROVIDER:MODEL@URL,OPTION=VALUE"});
  command.AddOption("--config", &flags.config_file, "TOML file with the models (docs/configuration.md)",
                    {.type = "FILE", .env = "OPENSEAT_CONFIG"});
  command.AddOption("--max-cost", &flags.max_cost,
                    "Stop when the models have cost this many dollars, in all parts of the run",
                    {.type = "DOLLARS", .given = &flags.has_max_cost});
  command.AddOption("--max-tokens", &flags.max_tokens, "Stop when the models have read and written this many tokens",
                    {.type = "N", .given = &flags.has_max_tokens});
}

void AddRunOptions(cli::Command& command, RunFlags& flags) {
  command.AddOption("--jobs", &flags.jobs, "How many games are played at once (default 1)",
                    {.range = cli::Range(1, 256)});
  AddModelOptions(command, flags);
  command.AddOption("--options", &flags.options, "The game's options, as JSON", {.type = "JSON"});
  command.AddOption("--seed", &flags.seed, "Makes the run repeatable: a number below 2^53",
                    {.type = "N", .given = &flags.seeded});
  command.AddOption("--fixed-roles", &flags.fixed_roles, "Agents keep their seats instead of exchanging them");
  command.AddOption("--out", &flags.out, "Keeps every game, decision and prompt in this folder (docs/runs.md)",
                    {.type = "DIR"});
  command.AddOption("--resume", &flags.resume, "Goes on with the run in this folder: plays the games that are missing",
                    {.type = "DIR"});
  command.AddOption("--trust", &flags.trust,
                    "With --resume: goes on with a folder that you did not begin, and does all that it says "
                    "(docs/runs.md)");
  command.AddOption("--max-hours", &flags.max_hours, "Stop after this many hours",
                    {.type = "HOURS", .given = &flags.has_max_hours});
  command.AddOption("--json", &flags.json, "One JSON object as the last line, nothing else");
}

Result<arena::RunGame> NamedGame(const std::string& id, const json::Value& options) {
  const Game* game = FindGame(id);
  if (game != nullptr) return arena::RunGame{id, game->info().title, game->info().rules_version, options};
  std::string names;
  for (const Game* each : PublicGames()) names += (names.empty() ? "" : ", ") + each->info().id;
  return Fail(ErrorCode::kInvalid, "no game \"" + id + "\"; available: " + names);
}

Result<json::Value> ParseGameOptions(const std::string& text) {
  if (text.empty()) return json::Value();
  Result<json::Value> parsed = json::Parse(text);
  if (!parsed) return Fail(parsed.error().code, "--options: " + parsed.error().message);
  return parsed;
}

Result<std::uint64_t> RunSeed(const RunFlags& flags) {
  if (!flags.seeded) return SecureRandom64() >> 11;
  if (flags.seed < arena::kEndOfSeeds) return flags.seed;
  return Fail(ErrorCode::kInvalid, "--seed must be below 2^53; got " + std::to_string(flags.seed));
}

bool IsTrustWithoutResume(const RunFlags& flags) {
  if (!flags.trust || !flags.resume.empty()) return false;
  PrintError("--trust is for the folder of --resume");
  return true;
}

int ExecuteRun(const RunFlags& flags, const RunCommand& command) {
  if (IsTrustWithoutResume(flags)) return kUsage;
  if (!flags.out.empty() && !flags.resume.empty()) {
    PrintError("--resume goes on in its own folder: leave out --out");
    return kUsage;
  }
  RunSession session(flags, command);
  if (const Result<void> prepared = session.Prepare(); !prepared) {
    PrintError(prepared.error().message);
    return prepared.error().code == ErrorCode::kIo ? kFailed : kUsage;
  }
  return session.Play();
}

}  // namespace openseat::app
