// What a server has to be told again to know a game as it did before, in the game's own messages: its startup and the
// actions that are registered (Standing), and the open force (OpenForces). Pure, no socket.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "relay/frame.h"

namespace openseat::relay {

// Of all games of a channel together: the messages, and what is noted of their actions.
inline constexpr std::size_t kMaxStandingBytes = 4u << 20;
inline constexpr std::size_t kMaxForceBytes = 4u << 20;

class Standing {
 public:
  // `max_names`: of actions that are registered, of all games together.
  explicit Standing(std::size_t max_names = 10'000) : max_names_(max_names) {}

  // A message of the game, in its order. Beyond the limits, its game's oldest registrations are left out, and what does
  // not fit is.
  void Apply(const FramePtr& frame);

  // Startup and registrations of every game, without the one named. A message that also registered what is unregistered
  // by now is followed by an `actions/unregister` of ours.
  std::vector<FramePtr> Registration(std::optional<std::string_view> except = std::nullopt) const;
  // Whether nothing was ever left out.
  bool complete() const { return complete_; }
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
  bool complete_ = true;
  std::map<std::string, Game> games_;
};

class OpenForces {
 public:
  // A message of the game, in its order. A force that does not fit is left out.
  void Apply(const FramePtr& frame);
  // An action that the server sent: its result may end a force.
  void OnAction(std::string id, std::string name);

  std::vector<FramePtr> Forces() const;

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
  static constexpr std::size_t kNameBytes = 64;  // an entry of `names`

  std::size_t bytes_ = 0;
  Forced forced_;
  std::deque<std::pair<std::string, std::string>> actions_;  // id and name of the last ones
};

}  // namespace openseat::relay
