// What a server has to be told again to know a game as it did before, in the game's own messages: its startup and the
// actions that are registered (Standing), and the open force (OpenForces). Pure, no socket. One thread.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "relay/frame.h"

namespace openseat::relay {

// Of all games of a channel together: the messages, and what is noted of their actions.
inline constexpr std::size_t kMaxStandingBytes = 4u << 20;
inline constexpr std::size_t kMaxForceBytes = 4u << 20;

// What is kept here counts like what tables keep ([limits] max_table_bytes_per_address), until this is destroyed. A
// message that is in Standing and in OpenForces counts in both: it leaves them apart, and few messages have both an
// action and a force.
class KeptBytes {
 public:
  // `payer`: for whose address it counts; null: for none.
  explicit KeptBytes(std::shared_ptr<Payer> payer) : payer_(std::move(payer)) {}

  // Whether this much may be kept; if not, what counts is as before. Less is never refused. Every refusal counts in the
  // metrics: Standing asks once for each message that it then leaves out.
  bool Set(std::size_t bytes);
  // The last refusal.
  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  const std::shared_ptr<Payer> payer_;
  Lease lease_;
  std::optional<Refusal> refusal_;
};

class Standing {
 public:
  // `max_names`: of actions that are registered, of all games together. `payer`: as in KeptBytes.
  explicit Standing(std::size_t max_names = 10'000, std::shared_ptr<Payer> payer = nullptr)
      : max_names_(max_names), kept_(std::move(payer)) {}

  // A message of the game, in its order. Beyond the limits, its game's oldest registrations are left out, and what does
  // not fit is.
  void Apply(const FramePtr& frame);

  // Startup and registrations of every game, without the one named. A message that also registered what is unregistered
  // by now is followed by an `actions/unregister` of ours.
  std::vector<FramePtr> Registration(std::optional<std::string_view> except = std::nullopt) const;
  // Whether nothing was ever left out.
  bool complete() const { return complete_; }
  // The payer's refusal that left something out last; nullopt: only limits of ours did.
  const std::optional<Refusal>& refusal() const { return kept_.refusal(); }
  // What is kept, in memory.
  std::size_t bytes() const { return frame_bytes_ + names_ * kNameBytes; }

 private:
  struct Registered {
    FramePtr frame;
    const Step* step;       // of `frame`
    std::size_t names = 0;  // that it registered, and that still count
  };
  struct Game {
    FramePtr startup;
    std::list<Registered> registered;                                   // the oldest first
    std::map<std::string_view, std::list<Registered>::iterator> where;  // by name, which is the frame's
  };
  void Apply(const Step& step, const FramePtr& frame);
  void Begin(Game& game, const FramePtr& startup);
  void Register(Game& game, const Step& step, const FramePtr& frame);
  void DropOldest(Game& game);
  void Forget(Game& game, std::string_view name);

  static constexpr std::size_t kMaxGames = 64;        // as many as a connection may have (session.h)
  static constexpr std::size_t kMaxRegistered = 512;  // messages of one game
  static constexpr std::size_t kNameBytes = 64;       // an entry of `where`

  const std::size_t max_names_;
  std::size_t names_ = 0;        // in all of `where`
  std::size_t frame_bytes_ = 0;  // of all frames that are kept
  KeptBytes kept_;
  bool complete_ = true;
  std::map<std::string, Game> games_;
};

class OpenForces {
 public:
  // `payer`: as in KeptBytes.
  explicit OpenForces(std::shared_ptr<Payer> payer = nullptr) : kept_(std::move(payer)) {}

  // A message of the game, in its order. A force that does not fit is left out.
  void Apply(const FramePtr& frame);
  // An action that the server sent: its result may end a force, unless its id and name are longer than any that are
  // meant (kMaxActionBytes).
  void OnAction(std::string id, std::string name);

  std::vector<FramePtr> Forces() const;
  // As those of Standing.
  bool complete() const { return complete_; }
  const std::optional<Refusal>& refusal() const { return kept_.refusal(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Force {
    FramePtr frame;
    std::set<std::string_view> names;  // of its actions that are registered; the frame's
    std::size_t bytes;                 // of both
  };
  using Forced = std::map<std::string, Force>;  // by game
  void Apply(const Step& step, const FramePtr& frame);
  void Open(const Step& step, const FramePtr& frame);
  void Close(Forced::iterator force);
  void Settle(const Step& result);

  static constexpr std::size_t kMaxGames = 64;
  static constexpr std::size_t kRememberedActions = 64;
  static constexpr std::size_t kMaxActionBytes = 1024;  // id and name of one of them
  static constexpr std::size_t kNameBytes = 64;         // an entry of `names`

  std::size_t bytes_ = 0;
  KeptBytes kept_;
  bool complete_ = true;
  Forced forced_;
  std::deque<std::pair<std::string, std::string>> actions_;  // id and name of the last ones
};

}  // namespace openseat::relay
