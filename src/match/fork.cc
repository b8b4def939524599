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

// How long choices are made on the worker thread until others have their turn.
constexpr Duration kSlice = std::chrono::milliseconds(10);

// The state after choice `index`.
BegunGame After(const GameState& state, const Fork& fork, std::size_t index) {
  const ForkChoice& choice = fork.choices[index];
  Result<Ruling> ruling = choice.seat < state.names().size()
                              ? Judge(state, choice.seat, choice.action, choice.data)
                              : Fail(ErrorCode::kParse, "there is no seat " + std::to_string(choice.seat));
  if (ruling) return std::move(ruling->next);
  return Fail(ErrorCode::kParse,
              "choice " + std::to_string(index + 1) + " before the fork is not legal: " + ruling.error().message);
}

BegunGame NewGame(const Game& game, const json::Value& options, std::uint64_t seed, std::vector<std::string> names) {
  Result<std::unique_ptr<GameState>> first = game.NewGame(options, seed, std::move(names));
  if (!first) return Fail(std::move(first).error());
  return *std::move(first);
}

struct Trial {
  Scheduler& scheduler;
  const Clock& clock;
  const std::string owner;
  Beginning beginning;
  std::function<void(BegunGame)> begun;
  BegunGame state = nullptr;  // null at first
  std::size_t made = 0;       // choices
};

void GoOn(const std::shared_ptr<Trial>& trial) {
  trial->scheduler.OffloadFor(trial->owner, [trial] {
    Beginning& beginning = trial->beginning;
    const Instant until = trial->clock.Monotonic() + kSlice;
    BegunGame& state = trial->state;
    if (*state == nullptr) {
      state = NewGame(*beginning.game, beginning.options, beginning.seed, std::move(beginning.names));
    }
    const std::size_t count = beginning.fork ? beginning.fork->choices.size() : 0;
    while (state && trial->made < count) {
      if (trial->clock.Monotonic() > until) return GoOn(trial);
      state = After(**state, *beginning.fork, trial->made++);
    }
    trial->scheduler.Post(
        [begun = std::move(trial->begun), state = std::move(state)]() mutable { begun(std::move(state)); });
  });
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

BegunGame BeginGame(const Game& game, const json::Value& options, std::uint64_t seed, std::vector<std::string> names,
                    const Fork* fork) {
  BegunGame state = NewGame(game, options, seed, std::move(names));
  const std::size_t count = fork == nullptr ? 0 : fork->choices.size();
  for (std::size_t i = 0; state && i < count; ++i) state = After(**state, *fork, i);
  return state;
}

void BeginElsewhere(Scheduler& scheduler, std::string owner, Beginning beginning,
                    std::function<void(BegunGame)> begun) {
  GoOn(std::make_shared<Trial>(
      Trial{scheduler, scheduler.clock(), std::move(owner), std::move(beginning), std::move(begun)}));
}

}  // namespace openseat
