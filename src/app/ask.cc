#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "agents/llm/models.h"
#include "app/agents.h"
#include "app/commands.h"
#include "app/line_output.h"
#include "app/past_games.h"
#include "app/run_command.h"
#include "arena/analysis.h"
#include "arena/asker.h"
#include "arena/game_record.h"
#include "base/clock.h"
#include "base/json_members.h"
#include "base/rng.h"
#include "core/judge.h"
#include "net/http_client.h"
#include "net/shard.h"

namespace openseat::app {
namespace {

constexpr Duration kAskGoodbye = std::chrono::seconds(2);
constexpr Duration kAskPatience = std::chrono::hours(1);  // with a provider that is busy
constexpr std::size_t kMaxAsked = 100'000;                // decisions
constexpr double kAskSteps = 10'000;                      // values are written with four digits

struct AskFlags {
  PastFlags past;
  RunFlags run;
  std::string agent;
  std::uint64_t seat = 0;
  bool has_seat = false;
  std::uint64_t iterations = 0;
};

struct AskedDecision {
  const Game* game = nullptr;  // under whose rules it was made
  std::uint64_t number = 0;    // of the game
  std::string agent;           // who chose; "": a person
  PastDecision past;
  std::optional<json::Object> line;
  std::optional<bool> agrees;
  std::optional<double> difference{};  // of the values; nullopt: not compared
};

// Puts the decisions to the agent, several at once.
class AskSession {
 public:
  explicit AskSession(const AskFlags& flags) : flags_(flags) {}
  // Errors are wrong usage.
  Result<void> Prepare();
  int Run();

 private:
  Result<void> Collect();
  Result<void> MakeWorld();
  void Next(Scheduler& scheduler);
  // One decision fewer is under way: the next, if there is one.
  void Done(Scheduler& scheduler);
  void Write(std::size_t index, const arena::Asked& asked);
  void OnModel(const Event& event);
  Result<AgentSpec> AgentFor(const AskedDecision& decision) const;
  int Report();

  const AskFlags& flags_;
  std::vector<AskedDecision> decisions_;
  AgentSpec spec_;
  LineOutput output_;
  std::optional<net::Shards> shards_;
  std::optional<net::HttpClients> http_;
  std::optional<llm::Models> models_;
  std::optional<AgentKinds> kinds_;
  std::stop_source stop_;  // of the searches
  std::mutex mutex_;       // of what follows
  std::size_t next_ = 0;
  std::size_t under_way_ = 0;
  std::size_t written_ = 0;
  std::uint64_t unanswered_ = 0;
  std::string stopped_;  // why
  arena::Spent spent_;
  std::vector<std::unique_ptr<arena::Asker>> askers_;
};

Result<void> AskSession::Collect() {
  return VisitPastGames(flags_.past, [&](const PastGame& past) -> Result<void> {
    return VisitDecisions(past.table, *past.game, past.events, [&](const PastDecision& decision) -> Result<void> {
      if (!decision.before || (flags_.has_seat && decision.seat != flags_.seat)) return {};
      if (decisions_.size() == kMaxAsked) {
        return Fail(ErrorCode::kInvalid, "more than " + std::to_string(kMaxAsked) + " decisions: name one game");
      }
      const std::string who = decision.seat < past.agents.size() ? past.agents[decision.seat] : "";
      decisions_.push_back({decision.game, past.number, who, decision, std::nullopt, std::nullopt});
      return {};
    });
  });
}

Result<void> AskSession::MakeWorld() {
  arena::RunSpec spec;
  Result<std::vector<llm::Model>> models = ReadModels(spec, flags_.run);
  if (!models) return Fail(models.error());
  shards_.emplace(std::clamp<std::uint64_t>(flags_.run.jobs, 1, std::max<std::size_t>(1, decisions_.size())));
  http_.emplace(*shards_);
  models_.emplace(std::move(*models), *http_, llm::CallPolicy{.record_prompts = true, .patience = kAskPatience});
  kinds_.emplace(AgentsWith({.models = &*models_}));
  Result<AgentSpec> spec_read = kinds_->Parse(flags_.agent);
  if (!spec_read) return Fail(spec_read.error());
  spec_ = std::move(*spec_read);
  if (kinds_->IsPlayedFromOutside(spec_.kind)) {
    return Fail(ErrorCode::kInvalid, "nobody can join here, so \"" + flags_.agent + "\" cannot be asked");
  }
  for (const AskedDecision& decision : decisions_) {
    if (Result<void> plays = kinds_->CheckGame(spec_, decision.game->info().id); !plays) return plays;
  }
  if (Result<std::unique_ptr<Agent>> made = kinds_->Make(spec_); !made) return Fail(made.error());
  return {};
}

Result<void> AskSession::Prepare() {
  if (flags_.agent.empty()) return Fail(ErrorCode::kInvalid, "say who is asked: --agent llm:b");
  if (flags_.past.source.empty()) {
    return Fail(ErrorCode::kInvalid, "give a table or the folder of a run; `openseat replay` lists the tables");
  }
  if (Result<void> collected = Collect(); !collected) return collected;
  if (Result<void> made = MakeWorld(); !made) return made;
  askers_.resize(decisions_.size());
  return flags_.run.out.empty() ? Result<void>() : output_.Open(flags_.run.out);
}

Result<AgentSpec> AskSession::AgentFor(const AskedDecision& decision) const {
  AgentSpec spec = spec_;
  if (!kinds_->TakesSeed(spec.kind)) return spec;
  // Different at each decision, and the same each time.
  const std::uint64_t given = json::WholeOf(spec.options, "seed").value_or(0) + flags_.run.seed;
  Rng rng(given + (decision.number + 1) * 0x9E3779B97F4A7C15 + (decision.past.number + 1) * 0xBF58476D1CE4E5B9);
  spec.options["seed"] = rng.Next() >> 12;
  return spec;
}

void AskSession::Next(Scheduler& scheduler) {
  std::size_t index = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_.empty() || next_ == decisions_.size()) {
      if (under_way_ == 0) {
        shards_->CloseClients(kAskGoodbye, [this] { shards_->Stop(); });
        under_way_ = decisions_.size() + 1;  // once
      }
      return;
    }
    index = next_++;
    ++under_way_;
  }
  const AskedDecision& decision = decisions_[index];
  auto asker = std::make_unique<arena::Asker>(*decision.game, decision.past, flags_.agent, scheduler,
                                              [this](const Event& event) { OnModel(event); });
  Result<std::unique_ptr<Agent>> agent = kinds_->Make(*AgentFor(decision));
  if (!agent) {
    Write(index, {.failure = agent.error().message});
    return scheduler.Post([this, &scheduler] { Done(scheduler); });
  }
  askers_[index] = std::move(asker);
  askers_[index]->Ask(std::move(*agent), [this, &scheduler, index](arena::Asked asked) {
    // Not here, since the asker is at work.
    scheduler.Post([this, &scheduler, index, asked = std::move(asked)]() mutable {
      askers_[index].reset();
      scheduler.Offload([this, &scheduler, index, asked = std::move(asked)]() mutable {
        Write(index, asked);
        scheduler.Post([this, &scheduler] { Done(scheduler); });
      });
    });
  });
}

// On a thread for work: searches, if that is wanted.
void AskSession::Write(std::size_t index, const arena::Asked& asked) {
  AskedDecision& decision = decisions_[index];
  const PastDecision& past = decision.past;
  json::Object line = asked.line;
  line["game"] = decision.number;
  line["decision"] = past.number;
  line["asked"] = flags_.agent;
  line["agent"] = decision.agent;
  line["was"] = json::Write(json::Object{{"action", past.choice.action}, {"data", past.choice.data}});
  line["failure"] = asked.failure.empty() ? json::Value() : json::Value(asked.failure);
  if (asked.choice) {
    const Result<Ruling> then = Judge(*past.before, past.seat, past.choice.action, past.choice.data);
    decision.agrees = then && then->next->Equals(*asked.next);
  }
  line["agrees"] = decision.agrees ? json::Value(*decision.agrees) : json::Value();
  line["difference"] = nullptr;
  line["error"] = nullptr;
  if (asked.choice && flags_.iterations > 0 && arena::CanAnalyze(*decision.game)) {
    const Result<arena::JudgedDecision> judged = arena::JudgeDecision(
        *decision.game, past, {.iterations = flags_.iterations, .seed = flags_.run.seed + decision.number},
        &*asked.choice, stop_.get_token());
    if (stop_.stop_requested()) return;
    if (judged && judged->taken && judged->other) {
      const arena::JudgedChoice& was = judged->choices[*judged->taken];
      const arena::JudgedChoice& now = judged->choices[*judged->other];
      const double difference = now.value - was.value;
      decision.difference = difference;
      const bool same = *judged->taken == *judged->other;
      line["difference"] = arena::RoundTo(difference, kAskSteps);
      line["error"] = same ? 0 : arena::RoundTo(std::hypot(now.error, was.error), kAskSteps);
    }
  }
  const std::lock_guard lock(mutex_);
  if (!decision.agrees) ++unanswered_;
  decision.line = std::move(line);
  // In the order of the decisions, whichever was answered first.
  for (; written_ < decisions_.size() && decisions_[written_].line; ++written_) {
    if (flags_.run.out.empty()) {
      if (flags_.run.json) std::puts(json::Write(*decisions_[written_].line).c_str());
    } else if (Result<void> added = output_.Add(*decisions_[written_].line); !added && stopped_.empty()) {
      stopped_ = added.error().message;
    }
    decisions_[written_].line = json::Object();
  }
}

void AskSession::Done(Scheduler& scheduler) {
  {
    const std::lock_guard lock(mutex_);
    --under_way_;
  }
  Next(scheduler);
}

void AskSession::OnModel(const Event& event) {
  const std::optional<arena::ModelUse> use = arena::UseOf(event);
  if (!use) return;
  const std::lock_guard lock(mutex_);
  spent_ += {use->tokens, use->cost};
  const RunFlags& run = flags_.run;
  if ((run.has_max_cost && spent_.cost >= run.max_cost) || (run.has_max_tokens && spent_.tokens >= run.max_tokens)) {
    stopped_ = "the budget is reached";
  }
}

int AskSession::Run() {
  for (std::size_t i = 0; i < shards_->size(); ++i) {
    shards_->at(i).Post([this, i] { Next(shards_->at(i)); });
  }
  {
    const net::SignalWatch interrupt(*shards_, [this](int) {
      {
        const std::lock_guard lock(mutex_);
        stopped_ = "interrupted";
      }
      stop_.request_stop();
      shards_->Stop();
    });
    shards_->RunFirstHere();
  }
  return Report();
}

int AskSession::Report() {
  std::uint64_t asked = 0;
  std::uint64_t agreed = 0;
  std::uint64_t compared = 0;
  double difference = 0;
  for (const AskedDecision& decision : decisions_) {
    if (!decision.agrees) continue;
    ++asked;
    agreed += *decision.agrees ? 1 : 0;
    if (!decision.difference) continue;
    ++compared;
    difference += *decision.difference;
  }
  const double share = asked == 0 ? 0 : static_cast<double>(agreed) / static_cast<double>(asked);
  std::optional<double> average;
  if (compared > 0) average = difference / static_cast<double>(compared);
  // A part does not replace what was there before.
  const bool keeps = !flags_.run.out.empty() && written_ == decisions_.size();
  Result<void> kept = keeps ? output_.Finish() : Result<void>();
  if (flags_.run.json && !flags_.run.out.empty()) {
    std::puts(json::Write(json::Object{{"decisions", decisions_.size()},
                                       {"answered", asked},
                                       {"agreed", agreed},
                                       {"difference", average ? json::Value(*average) : json::Value()},
                                       {"tokens", spent_.tokens},
                                       {"cost", spent_.cost}})
                  .c_str());
  } else if (!flags_.run.json) {
    std::printf("%zu decisions, %llu answered by %s, which agrees with %llu of them (%.1f %%)\n", decisions_.size(),
                static_cast<unsigned long long>(asked), flags_.agent.c_str(), static_cast<unsigned long long>(agreed),
                100 * share);
    if (average) std::printf("on average, its choices change the expected result by %+.4f\n", *average);
    if (keeps && kept) std::printf("kept in %s\n", flags_.run.out.c_str());
  }
  if (!stopped_.empty()) PrintError("stopped: " + stopped_);
  if (!flags_.run.out.empty() && !keeps) PrintError("what was answered is in " + flags_.run.out + ".new");
  if (!kept) PrintError(kept.error().message);
  return kept && asked == decisions_.size() ? kDone : kFailed;
}

int RunAsk(const AskFlags& flags) {
  AskSession session(flags);
  if (const Result<void> prepared = session.Prepare(); !prepared) {
    PrintError(prepared.error().message);
    return prepared.error().code == ErrorCode::kIo ? kFailed : kUsage;
  }
  return session.Run();
}

}  // namespace

void AddAsk(cli::Command program) {
  auto flags = std::make_shared<AskFlags>();
  cli::Command ask = program.AddCommand("ask", "Asks another agent what it would have chosen in recorded games");
  AddPastOptions(ask, flags->past);
  ask.AddOption("--agent", &flags->agent, "Who is asked", {.type = "AGENT"});
  ask.AddOption("--seat", &flags->seat, "Only the decisions of this seat", {.type = "N", .given = &flags->has_seat});
  ask.AddOption(
      "--iterations", &flags->iterations,
      "Also search each decision with N iterations, to see what the difference is worth (default 0: no search)",
      {.type = "N", .range = cli::Range(0, 10'000'000)});
  RunFlags& run = flags->run;
  ask.AddOption("--jobs", &run.jobs, "How many decisions are asked at once (default 1)", {.range = cli::Range(1, 256)});
  AddModelOptions(ask, run);
  ask.AddOption("--seed", &run.seed, "Of agents that take a seed, and of the search", {.type = "N"});
  ask.AddOption("--out", &run.out, "Write the lines to this file, with every prompt and answer", {.type = "FILE"});
  ask.AddOption("--json", &run.json, "Print JSON lines: the answers, or only the summary if they go to a file");
  ask.SetFooter(
      "Each decision is put to the agent as if it had just taken the seat. The games themselves do not change.\n"
      "\n"
      "Examples:\n"
      "  openseat ask run1 --agent llm:b --config models.toml --jobs 8 --out asked.jsonl\n"
      "  openseat ask magnificent-platypus --agent bot --seat 1 --iterations 2000\n"
      "\n"
      "Exit codes: 0 every decision was answered, 1 some were not, 2 wrong usage");
  ask.SetRun([flags] { return RunAsk(*flags); });
}

}  // namespace openseat::app
