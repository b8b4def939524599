#include "match/past.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/json_members.h"
#include "match/match_fold.h"

namespace openseat {
namespace {

constexpr std::size_t kPastPage = 5000;

Result<MatchFold> BeginFold(const TableId& id, const Game& game, const std::vector<StoredEvent>& events) {
  if (events.empty()) return Fail(ErrorCode::kParse, "the journal of " + id.str() + " is empty");
  return MatchFold::Begin(id, game, events.front());
}

// Which questions are open, by seat.
class Questions {
 public:
  // What the event opens and ends; a choice's question is left open.
  void Add(const StoredEvent& event) {
    if (event.event.kind != EventKind::kDecision && event.event.kind != EventKind::kDecisionEnd) return;
    const Result<json::Value> payload = json::Parse(event.event.payload);
    if (!payload || !payload->is_object()) return;
    const auto number = json::WholeOf(payload->get_object(), "seat");
    if (!number || *number >= SeatSet::kMaxSeats) return;
    const auto seat = static_cast<SeatIndex>(*number);
    if (event.event.kind == EventKind::kDecisionEnd) return GiveUp(seat);
    if (json::WholeOf(payload->get_object(), "attempt").value_or(1) == 1) GiveUp(seat);
    Open(seat, event.seq);
  }
  PastDecision Take(SeatIndex seat, Seq settled) {
    Open(seat, settled);  // old journals have choices without questions
    PastDecision taken = std::move(open_.at(seat));
    open_.erase(seat);
    taken.settled = settled;
    return taken;
  }
  // Those that ended without a choice, by number.
  std::vector<PastDecision> Rest() {
    while (!open_.empty()) GiveUp(open_.begin()->first);
    std::ranges::sort(ended_, {}, &PastDecision::number);
    return std::move(ended_);
  }

 private:
  void Open(SeatIndex seat, Seq seq) {
    if (!open_.contains(seat)) open_.emplace(seat, PastDecision{.number = count_++, .seat = seat, .asked = seq});
  }
  void GiveUp(SeatIndex seat) {
    const auto found = open_.find(seat);
    if (found == open_.end()) return;
    ended_.push_back(std::move(found->second));
    open_.erase(found);
  }

  std::map<SeatIndex, PastDecision> open_;
  std::vector<PastDecision> ended_;
  std::uint64_t count_ = 0;
};

// The state in which the fork begins, according to its journal.
Result<std::shared_ptr<const GameState>> FoldFork(const MatchSpec& spec) {
  Seq seq = 0;
  const auto next = [&seq](EventKind kind, std::string payload) {
    return StoredEvent{++seq, {kind, {}, std::move(payload)}};
  };
  Result<MatchFold> fold = MatchFold::Begin(TableId("fork"), *spec.game, next(EventKind::kOpened, OpenedPayload(spec)));
  if (!fold) return Fail(std::move(fold).error());
  Result<MatchFold::Step> step = fold->Apply(next(EventKind::kForked, ForkedPayload(*spec.fork)));
  for (SeatIndex seat = 0; step && seat < spec.seats.size(); ++seat) {
    const SeatedPlayer player{spec.seats[seat].name, {}, AgentSpec{"none", {}}};
    step = fold->Apply(next(EventKind::kJoined, JoinedPayload(seat, player)));
  }
  if (!step) return Fail(std::move(step).error());
  return fold->shared_state();
}

// The true beginning: also that of a fork, which is folded from the choices before it. REQUIRES that the match has
// begun.
Result<std::shared_ptr<const GameState>> FirstOf(const MatchFold& fold) {
  if (!fold.spec().fork) return fold.shared_state();
  std::vector<std::string> names;
  for (const SeatedPlayer& player : fold.players()) names.push_back(player.name);
  return BeginGame(*fold.spec().game, fold.spec().options, fold.spec().seed, std::move(names), nullptr);
}

}  // namespace

Result<void> VisitDecisions(const TableId& id, const Game& game, const std::vector<StoredEvent>& events,
                            const std::function<Result<void>(const PastDecision& decision)>& visit) {
  Result<MatchFold> fold = BeginFold(id, game, events);
  if (!fold) return Fail(std::move(fold).error());
  Questions questions;
  std::shared_ptr<const GameState> first;
  for (const StoredEvent& event : std::span(events).subspan(1)) {
    questions.Add(event);
    std::shared_ptr<const GameState> before = fold->shared_state();
    Result<MatchFold::Step> step = fold->Apply(event);
    if (!step) return Fail(std::move(step).error());
    if (first == nullptr && fold->state() != nullptr) {
      Result<std::shared_ptr<const GameState>> begun = FirstOf(*fold);
      if (!begun) return Fail(std::move(begun).error());
      first = std::move(*begun);
    }
    if (event.event.kind != EventKind::kPlayed) continue;
    PastDecision decision = questions.Take(*step->seat, event.seq);
    Result<PlayedEvent> choice = ReadPlayed(step->payload);
    if (!choice) return Fail(std::move(choice).error());
    decision.choice = std::move(*choice);
    decision.before = std::move(before);
    decision.first = first;
    decision.game = fold->spec().game;
    if (Result<void> visited = visit(decision); !visited) return visited;
  }
  for (PastDecision& decision : questions.Rest()) {
    decision.game = fold->spec().game;
    if (Result<void> visited = visit(decision); !visited) return visited;
  }
  return {};
}

Result<PastDecision> FindDecision(const TableId& id, const Game& game, const std::vector<StoredEvent>& events,
                                  std::uint64_t number) {
  std::optional<PastDecision> found;
  std::uint64_t count = 0;
  const Result<void> visited = VisitDecisions(id, game, events, [&](const PastDecision& decision) -> Result<void> {
    ++count;
    if (decision.number == number) found = decision;
    return {};
  });
  if (!visited) return Fail(visited.error());
  if (found) return std::move(*found);
  return Fail(ErrorCode::kInvalid,
              count == 0 ? "nothing was decided in " + id.str()
                         : "the decisions of " + id.str() + " are 0 to " + std::to_string(count - 1) + "; got " +
                               std::to_string(number),
              "decision");
}

Result<MatchSpec> ForkAfter(const TableId& id, const Game& game, const std::vector<StoredEvent>& events, Seq event) {
  Result<MatchFold> fold = BeginFold(id, game, events);
  if (!fold) return Fail(std::move(fold).error());
  if (event == 0 || event > events.size()) {
    return Fail(
        ErrorCode::kInvalid,
        "the events of " + id.str() + " are 1 to " + std::to_string(events.size()) + "; got " + std::to_string(event),
        "event");
  }
  std::vector<ForkChoice> choices;
  for (const StoredEvent& each : std::span(events).subspan(1, event - 1)) {
    Result<MatchFold::Step> step = fold->Apply(each);
    if (!step) return Fail(std::move(step).error());
    if (each.event.kind == EventKind::kPlayed) {
      Result<PlayedEvent> played = ReadPlayed(step->payload);
      if (!played) return Fail(std::move(played).error());
      choices.push_back({played->seat, std::move(played->action), std::move(played->data)});
    } else if (each.event.kind == EventKind::kTakenBack) {
      const Result<TakenBackEvent> taken = ReadTakenBack(step->payload);
      if (!taken || taken->choices > choices.size()) {
        return Fail(ErrorCode::kParse, "event " + std::to_string(each.seq) + " takes back what was not chosen");
      }
      choices.resize(choices.size() - taken->choices);
    }
  }
  if (fold->state() == nullptr || fold->state()->Awaited().empty()) {
    return Fail(ErrorCode::kConflict,
                std::string("nobody plays on from there: the match ") +
                    (fold->state() == nullptr ? "had not begun" : "was over"),
                "event");
  }
  MatchSpec spec;
  spec.game = fold->spec().game;
  spec.options = fold->spec().options;
  spec.seed = fold->spec().seed;
  for (const SeatedPlayer& player : fold->players()) spec.seats.push_back({player.name, {}});
  Fork& fork = spec.fork.emplace(Fork{id, event, {}});
  if (fold->spec().fork) fork.choices = fold->spec().fork->choices;
  std::ranges::move(choices, std::back_inserter(fork.choices));
  return spec;
}

Result<void> TryForks(const TableId& id, const Game& game, const std::vector<StoredEvent>& events, ForkTrial& trial) {
  return VisitDecisions(id, game, events, [&](const PastDecision& decision) -> Result<void> {
    if (decision.before == nullptr) return {};
    const Result<MatchSpec> spec = ForkAfter(id, game, events, decision.fork_event());
    if (!spec) return Fail(spec.error());
    const Result<std::shared_ptr<const GameState>> state = FoldFork(*spec);
    if (!state) return Fail(state.error());
    const std::string written = json::Write((*state)->Serialize());
    trial.digest = Sha256Hex(trial.digest + written);
    ++trial.forks;
    if ((*state)->Equals(*decision.before) && written == json::Write(decision.before->Serialize())) return {};
    if (++trial.differences == 1) trial.first = id.str() + ", decision " + std::to_string(decision.number);
    return {};
  });
}

Result<std::vector<StoredEvent>> ReadPast(Journal& journal, const TableId& id, std::size_t most) {
  std::vector<StoredEvent> events;
  for (;;) {
    Result<std::vector<StoredEvent>> page = journal.Read(id, events.size(), kPastPage);
    if (!page) return page;
    if (page->empty()) return events;
    if (events.size() + page->size() > most) {
      return Fail(ErrorCode::kTooLarge,
                  "the record of " + id.str() + " has more than " + std::to_string(most) + " events");
    }
    std::ranges::move(*page, std::back_inserter(events));
  }
}

}  // namespace openseat
