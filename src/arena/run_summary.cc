#include "arena/run_summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arena/run_record.h"
#include "base/json_members.h"

namespace openseat::arena {
namespace {

constexpr std::size_t kMaxLatencies = 100'000;
constexpr std::size_t kMaxCauses = 100;  // further ones are counted under "other"

double Share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void Count(bool won, bool drawn, Score& score) {
  ++(drawn ? score.draws : won ? score.wins : score.losses);
}

void AddCause(const GameLine& line, std::map<std::string, std::uint64_t>& causes) {
  const std::string cause = line.cause.value_or("unknown");
  ++causes[causes.contains(cause) || causes.size() < kMaxCauses ? cause : "other"];
}

json::Array CausesJson(const std::map<std::string, std::uint64_t>& causes) {
  json::Array out;
  for (const auto& [cause, games] : causes) out.push_back(json::Object{{"cause", cause}, {"games", games}});
  return out;
}

json::Object ScoreJson(const Score& score) {
  return {{"wins", score.wins}, {"draws", score.draws}, {"losses", score.losses}};
}

json::Object ModelJson(const std::string& name, const ModelTally& tally, const json::Object& settings) {
  const json::Object* model = json::FindObject(settings, name);
  const TokenFigures& tokens = tally.tokens;
  return {{"provider", json::TextOf(model, "provider")},
          {"model", json::TextOf(model, "model")},
          {"calls", tally.answers},
          {"failures", tally.failures},
          {"answers", tally.answers},
          {"illegal", tally.illegal},
          {"illegal_rate", Share(tally.illegal, tally.answers)},
          {"repair_rate", Share(tally.repaired + tally.asked_again, tally.answers)},
          {"mended", tally.repaired},
          {"reasked", tally.asked_again},
          {"given_up", tally.given_up},
          {"tokens_in", tokens.input + tokens.cached + tokens.created},
          {"tokens_cached", tokens.cached},
          {"tokens_out", tokens.output},
          {"tokens_reasoning", tokens.reasoning},
          {"cost", tally.cost ? json::Value(*tally.cost) : json::Value()},
          {"latency_ms",
           json::Object{{"p50", tally.Latency(0.5)}, {"p90", tally.Latency(0.9)}, {"p99", tally.Latency(0.99)}}}};
}

}  // namespace

double ModelTally::Latency(double quantile) const {
  if (latencies.empty()) return 0;
  std::vector<float> sorted = latencies;
  const auto at = static_cast<std::size_t>(std::llround(quantile * static_cast<double>(sorted.size() - 1)));
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(at));
  return RoundTo(static_cast<double>(sorted[at]), 10);
}

RunSummary::RunSummary(std::vector<std::string> agents) {
  for (std::string& agent : agents) {
    AgentTally& tally = agents_.emplace_back();
    tally.agent = std::move(agent);
  }
}

void RunSummary::AddGame(const GameLine& line, std::span<const std::size_t> agents) {
  if (line.result == GameResult::kVoid) {
    ++voided_;
    AddCause(line, causes_);
    return;
  }
  ++counted_;
  if (line.forfeit) AddCause(line, forfeit_causes_);
  for (std::size_t seat = 0; seat < agents.size(); ++seat) {
    AgentTally& tally = agents_[agents[seat]];
    if (tally.by_seat.size() <= seat) tally.by_seat.resize(agents.size());
    const bool won = line.Won(static_cast<SeatIndex>(seat));
    const bool drawn = line.result == GameResult::kDraw;
    Count(won, drawn, tally.all);
    Count(won, drawn, tally.by_seat[seat]);
    if (line.forfeit && !won) ++tally.forfeits;
  }
}

void RunSummary::AddDecision(const json::Object& line) {
  const json::Value* model = json::Find(line, "model");
  if (model == nullptr || !model->is_string()) return;
  ModelTally& tally = models_[std::string(json::View(model->get_string()))];
  if (const json::Value* failures = json::Find(line, "failures"); failures != nullptr && failures->is_array()) {
    tally.failures += failures->get_array().size();
  }
  const json::Value* refusals = json::Find(line, "refusals");
  if (refusals != nullptr && refusals->is_array()) tally.illegal += refusals->get_array().size();
  if (json::TextOf(line, "verdict") == "gave-up") ++tally.given_up;
  const json::Value* answers = json::Find(line, "answers");
  if (answers == nullptr || !answers->is_array()) return;
  bool unusable = false;
  for (const json::Value& value : answers->get_array()) {
    if (!value.is_object()) continue;
    const json::Object& answer = value.get_object();
    const std::string_view outcome = json::TextOf(answer, "outcome");
    ++tally.answers;
    if (unusable) ++tally.asked_again;
    unusable = outcome != "strict" && outcome != "mended";
    if (outcome == "mended") ++tally.repaired;
    if (outcome == "invalid") ++tally.illegal;
    if (const json::Object* tokens = json::FindObject(answer, "tokens")) tally.tokens += TokensIn(*tokens);
    const std::optional<double> cost = json::FindNumber(answer, "cost");
    if (!cost) tally.cost.reset();
    if (tally.cost) *tally.cost += *cost;
    if (tally.latencies.size() < kMaxLatencies) {
      tally.latencies.push_back(static_cast<float>(json::NumberOf(answer, "ms", 0)));
    }
  }
}

json::Object RunSummary::ToJson(const RunSpec& spec, std::uint64_t wanted, double seconds) const {
  json::Array seats;
  for (const AgentTally& tally : agents_) {
    json::Array by_seat;
    for (const Score& score : tally.by_seat) by_seat.push_back(ScoreJson(score));
    json::Object seat{{"agent", tally.agent}};
    for (const auto& member : ScoreJson(tally.all)) seat[member.key()] = member.value();
    seat["forfeits"] = tally.forfeits;
    seat["by_seat"] = std::move(by_seat);
    seats.push_back(std::move(seat));
  }
  json::Object models;
  for (const auto& [name, tally] : models_) models[name] = ModelJson(name, tally, spec.models);
  json::Object run{{"format", kFormat}, {"version", kVersion}};
  if (!spec.name.empty()) run["name"] = spec.name;
  run["openseat"] = spec.openseat;
  run["started"] = FormatIso8601(spec.parts.front().started);
  run["seconds"] = RoundTo(seconds, 1000);
  run["game"] = spec.games.front().id;
  run["title"] = spec.games.front().title;
  if (spec.games.size() > 1) {
    json::Array all;
    for (const RunGame& game : spec.games) all.emplace_back(game.id);
    run["all_games"] = std::move(all);
  }
  if (!spec.games.front().options.is_null()) run["options"] = spec.games.front().options;
  run["games"] = counted_;
  run["wanted"] = wanted;
  run["void"] = voided_;
  run["causes"] = CausesJson(causes_);
  run["forfeit_causes"] = CausesJson(forfeit_causes_);
  run["seed"] = spec.seed;
  run["fixed_roles"] = spec.fixed_roles;
  run["seats"] = std::move(seats);
  run["models"] = std::move(models);
  return run;
}

}  // namespace openseat::arena
