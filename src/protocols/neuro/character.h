// Character: what the server's character does besides her answers: she thinks before she answers, talks (and low
// priorities wait until she has finished), is distracted, acts unasked and, under the chaos profile, does all that in
// the worst order. Everything is drawn from one seed. The one engine of profiles: `serve` has her at a table
// (seat_stage.h), `check` in a run.
//
// One thread: the stage's scheduler. Owned by who has the stage, which it calls back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/rng.h"
#include "base/scheduler.h"
#include "core/decision.h"
#include "protocols/neuro/codec.h"
#include "protocols/neuro/options.h"

namespace openseat::neuro {

// A force that waits for its answer.
struct OpenForce {
  std::uint64_t id = 0;  // no two forces have the same
  Priority priority = Priority::kLow;
  bool again = false;  // it had an answer already, or its time to think
  bool last = false;   // one more refusal, and it is given up
};

// Where the character acts.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual Scheduler& scheduler() = 0;
  virtual std::optional<OpenForce> force() const = 0;
  // Each of these sends one action, or does nothing where none is possible now.
  virtual void Invite() = 0;  // one that nobody asked for, if the player wants to
  virtual void Act() = 0;     // one that nobody asked for
  virtual void Stray() = 0;   // one that the open force does not list
  virtual void Spoil() = 0;   // wrong data for the open force
  // An utterance ended: SpeechFinished has the arguments.
  virtual void Spoke(bool last, std::string_view canceled) = 0;
};

class Character {
 public:
  // `manner` and `stage` outlive it.
  Character(const Manner& manner, std::uint64_t seed, Stage& stage);

  // The game is here, or gone: she is silent until it is back.
  void Begin();
  void Stop();

  // How long she takes before she answers this force, or answers it again.
  Duration PauseBefore(const OpenForce& force);
  // The game said something.
  void OnContext(bool silent);
  void OnAccepted();
  // Gives an action a form that is valid, but that few servers use. `data`: its text; `object`: what it says, null if
  // that is not an object. REQUIRES manner.odd_forms.
  ActionForm Disguise(std::string& id, const json::Object* object, std::optional<std::string>& data);

 private:
  Duration Draw(const Span& span);
  bool Happens(double share) { return share > 0 && rng_.Chance(share); }
  // How long she still talks before she turns to a force of this priority. May cut her short.
  Duration Finish(Priority priority);
  void Talk();
  void Utter(int left);
  void BeSilent(std::string_view reason);
  void BeAtLeisure();
  void Trouble(const OpenForce& force, Duration pause);

  const Manner& manner_;
  Rng rng_;
  Stage& stage_;
  std::optional<Instant> talks_until_;
  ScopedTimer speech_timer_;
  ScopedTimer leisure_timer_;
  ScopedTimer trouble_timer_;
};

// The message for the end of an utterance, `last` of a speech, or cut short because of `canceled`, "" if it was not.
std::string SpeechFinished(bool last, std::string_view canceled);

// In an action's id, what follows this means nothing.
inline constexpr char kIdTail = '-';

// How long a force that was given up rests before she comes back to it: 5 s, 10 s, 20 s …, `most` at most.
// `before`: how often it was given up before.
Duration RestAfterGivingUp(int before, Duration most);
inline constexpr Duration kMostRest = std::chrono::seconds(20);  // of one whose actions the game refused too often
// Time for a game that took an unasked action for the answer to its force to go on.
inline constexpr Duration kCrossedPause = std::chrono::seconds(1);

}  // namespace openseat::neuro
