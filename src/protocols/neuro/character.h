// Character: what the server's character does at a table besides the agent's choices: she thinks before she answers,
// talks (and low priorities wait until she has finished), is distracted, acts unasked and, under the chaos profile,
// does all that in the worst order. Everything is drawn from one seed.
//
// One thread: the table's scheduler. Owned by the table, which it calls back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "agents/random_choice.h"
#include "base/scheduler.h"
#include "core/seat.h"
#include "protocols/neuro/options.h"

namespace openseat::neuro {

class Character {
 public:
  // An utterance ended: `last` of a speech, or cut short because of `canceled`, "" if it was not.
  using Spoke = std::function<void(bool last, std::string_view canceled)>;

  // `manner` and `seat` outlive it.
  Character(const Manner& manner, std::uint64_t seed, Seat& seat, Spoke spoke);

  // The game is here, or gone: she is silent until it is back.
  void Begin();
  void Stop();

  // How long she takes before she answers this decision, or answers it again.
  Duration PauseBefore(const Decision& decision);
  // The game said something.
  void OnContext(bool silent);
  void OnAccepted();
  Rng& rng() { return choice_.rng(); }

 private:
  Duration Draw(const Span& span);
  bool Happens(double share) { return share > 0 && rng().Chance(share); }
  // How long she still talks before she turns to a decision of this priority. May cut her short.
  Duration Finish(Priority priority);
  void Talk();
  void Utter(int left);
  void BeSilent(std::string_view reason);
  void BeAtLeisure();
  void Trouble(const Decision& decision, Duration pause);
  void Stray();
  void Spoil(DecisionId decision);
  void Act();
  void Choose(Choice choice);

  const Manner& manner_;
  RandomChoice choice_;
  Seat& seat_;
  const Spoke spoke_;
  std::optional<Instant> talks_until_;
  ScopedTimer speech_timer_;
  ScopedTimer leisure_timer_;
  ScopedTimer trouble_timer_;
};

}  // namespace openseat::neuro
