#include "match/fork.h"

#include <optional>
#include <utility>

#include "base/json_members.h"
#include "core/judge.h"
#include "core/seat_set.h"

namespace openseat {
namespace {

Result<ForkChoice> ReadForkChoice(const json::Value& value) {
  const std::optional<std::uint64_t> seat =
      value.is_object() ? json::WholeOf(value.get_object(), "seat") : std::nullopt;
  if (!seat || *seat >= SeatSet::kMaxSeats) return Fail(ErrorCode::kParse, "a choice before the fork has no seat");
  ForkChoice choice{static_cast<SeatIndex>(*seat), std::string(json::TextOf(value, "action")), nullptr};
  if (const json::Value* data = json::Find(value, "data")) choice.data = *data;
  return choice;
}

}  // namespace

json::Object ForkName(const Fork& fork) {
  return {{"table", fork.table.str()}, {"event", fork.event}};
}

Result<Fork> ReadForkName(const json::Value& named) {
  const std::optional<std::uint64_t> event =
      named.is_object() ? json::WholeOf(named.get_object(), "event") : std::nullopt;
  const std::string_view table = json::TextOf(named, "table");
  if (!event || table.empty()) return Fail(ErrorCode::kParse, "a fork must name a table and an event");
  return Fork{TableId(std::string(table)), *event, {}};
}

std::string ForkedPayload(const Fork& fork) {
  json::Array choices;
  for (const ForkChoice& choice : fork.choices) {
    json::Object entry{{"seat", choice.seat}, {"action", choice.action}};
    if (!choice.data.is_null()) entry["data"] = choice.data;
    choices.push_back(std::move(entry));
  }
  return json::Write(json::Object{{"choices", std::move(choices)}});
}

Result<std::vector<ForkChoice>> ReadForked(const json::Value& payload) {
  const json::Value* listed = json::Find(payload, "choices");
  if (listed == nullptr || !listed->is_array())
    return Fail(ErrorCode::kParse, "the choices before the fork are missing");
  std::vector<ForkChoice> choices;
  for (const json::Value& value : listed->get_array()) {
    Result<ForkChoice> choice = ReadForkChoice(value);
    if (!choice) return Fail(std::move(choice).error());
    choices.push_back(std::move(*choice));
  }
  return choices;
}

Result<std::shared_ptr<const GameState>> BeginGame(const Game& game, const json::Value& options, std::uint64_t seed,
                                                   std::vector<std::string> names, const Fork* fork) {
  Result<std::unique_ptr<GameState>> first = game.NewGame(options, seed, std::move(names));
  if (!first) return Fail(std::move(first).error());
  std::shared_ptr<const GameState> state = *std::move(first);
  const std::size_t count = fork == nullptr ? 0 : fork->choices.size();
  for (std::size_t i = 0; i < count; ++i) {
    const ForkChoice& choice = fork->choices[i];
    Result<Ruling> ruling = choice.seat < state->names().size()
                                ? Judge(*state, choice.seat, choice.action, choice.data)
                                : Fail(ErrorCode::kParse, "there is no seat " + std::to_string(choice.seat));
    if (!ruling) {
      return Fail(ErrorCode::kParse,
                  "choice " + std::to_string(i + 1) + " before the fork is not legal: " + ruling.error().message);
    }
    state = std::move(ruling->next);
  }
  return state;
}

}  // namespace openseat
