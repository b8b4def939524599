// MatchFold: a hosted match as its journal tells it, event by event: who sits where, the state of the game, how it
// ended. Match recovers from it, and replay (match/replay.h) looks at it after each step. A plain value, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/game.h"
#include "core/journal.h"
#include "core/retries.h"
#include "core/seat_view.h"
#include "match/match.h"
#include "match/match_events.h"
#include "match/seen.h"

namespace openseat {

class MatchFold {
 public:
  // What happens to a match under a version of the rules that `game` no longer has.
  enum class OldRules : std::uint8_t {
    kRefused,  // kUnsupported, with a sentence that names both versions
    kRead,     // the events are read without rules: there is no state but what was recorded (seen), nothing is checked
  };
  // `opened` is the match's first event; `game` outlives the fold. It is folded under the rules that it was played by
  // (Game::OfVersion). kParse if no match of that game begins with it.
  static Result<MatchFold> Begin(const TableId& id, const Game& game, const StoredEvent& opened,
                                 OldRules old_rules = OldRules::kRefused);

  // Whether the payloads of such events affect a match under rules that are here.
  static bool Reads(EventKind kind);
  // A whole match: `events` are all of them, from the first; of those that it does not read (Reads), the payload may be
  // missing. Only its end is of interest, which takes less than Apply. kParse for events that no match of this game
  // wrote.
  static Result<MatchFold> Of(const TableId& id, const Game& game, const std::vector<StoredEvent>& events);

  // The effect of an event.
  struct Step {
    json::Value payload;             // of the event, parsed; null if the fold did not need to
    std::optional<SeatIndex> seat;   // who joined or chose, or what was handed over
    json::Value result;              // of the choice, for the seat that made it
    std::optional<MatchEvent> told;  // of what everyone was told then; nullopt if nobody saw a difference
  };
  // The events after the first, in order, all of them. An event that does not affect the match (decisions, notes …)
  // does nothing. kParse for what cannot have happened, with the event's number; then the fold is unusable.
  Result<Step> Apply(const StoredEvent& event);

  const MatchSpec& spec() const { return spec_; }
  int rules_version() const { return rules_version_; }
  // Whether the rules that it was played by are here. Without them `spec().game` has other rules.
  bool has_rules() const { return spec_.game->info().rules_version == rules_version_; }
  Time opened() const { return opened_; }
  Seq last_seq() const { return last_seq_; }
  MatchStatus status() const;
  // By seat. For one that was handed over: its latest agent, and the token of the player who had it before, if any.
  const std::vector<SeatedPlayer>& players() const { return players_; }
  // How many choices were made.
  std::uint64_t played() const { return played_; }
  // nullptr before the start, and without the rules.
  const GameState* state() const { return state_.get(); }
  std::shared_ptr<const GameState> shared_state() const { return state_; }
  // Without the rules: what was recorded of it.
  const Seen& seen() const { return seen_; }
  const std::optional<Outcome>& outcome() const { return outcome_; }
  // Whether it ended for a reason outside the rules.
  bool forfeited() const { return forfeited_; }
  // What was said and offered, and what can be taken back.
  const Around& around() const { return around_; }
  // What each seat has left of its game_time, if anything was recorded; by seat, not for all.
  const std::vector<std::optional<Duration>>& clocks() const { return clocks_; }
  // Which requests have acted at each seat since its agent came; by seat, not for all.
  const std::map<SeatIndex, Retries>& retries() const { return retries_; }
  // When the choices that are due now became due.
  Time asked() const { return asked_; }
  // As the match was seen then. REQUIRES a viewer's seat < players().size() once the match has a state.
  SeatView View(Viewer viewer) const;

 private:
  // How choices are judged again: JudgeAgain, or Judge.
  enum class How { kBrief, kInFull };
  static Result<MatchFold> Of(const TableId& id, const Game& game, const std::vector<StoredEvent>& events, How how);

  MatchFold(MatchSpec spec, int rules_version, const StoredEvent& opened);
  Result<Step> Read(const StoredEvent& event);
  Result<void> ReadFork(Step& step);
  Result<void> Join(Step& step);
  Result<void> HandOver(Step& step);
  Result<void> Play(Step& step);
  Result<void> End(Step& step);
  Result<void> TakeBack(Step& step);
  // What may also happen once the match is over.
  Result<void> ApplyAround(const Event& event, Step& step);
  Result<void> EndAs(EndedEvent ended);

  MatchSpec spec_;
  int rules_version_;
  bool repeats_ = false;  // another choice follows, and nobody looks at the states between (Of)
  bool begun_ = false;
  Time opened_;
  Seq last_seq_;
  std::vector<SeatedPlayer> players_;
  std::uint64_t played_ = 0;
  std::shared_ptr<const GameState> state_;
  Seen seen_;
  std::optional<Outcome> outcome_;
  bool forfeited_ = false;
  Around around_;
  std::vector<std::optional<Duration>> clocks_;
  std::map<SeatIndex, Retries> retries_;
  Time asked_;
};

}  // namespace openseat
