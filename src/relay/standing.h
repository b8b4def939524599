// Standing: what a server has to be told again to know a game as it did before: its startup, the actions that are
// registered, and the open force, in the game's own messages. Pure, no socket.
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

class Standing {
 public:
  // A message of the game, in its order.
  void Apply(const FramePtr& frame);
  // An action that the server sent: its result may end a force.
  void OnAction(std::string id, std::string name);

  // Startup and registrations of every game, without the one named. A message that also registered what is unregistered
  // by now is followed by an `actions/unregister` of ours.
  std::vector<FramePtr> Registration(std::optional<std::string_view> except = std::nullopt) const;
  // The open forces.
  std::vector<FramePtr> Forces() const;

 private:
  struct Registered {
    FramePtr frame;
    std::set<std::string> names;  // that it registered, and that still count
  };
  struct Game {
    FramePtr startup;
    std::list<Registered> registered;                              // the oldest first
    std::map<std::string, std::list<Registered>::iterator> where;  // by name
    FramePtr force;
    std::set<std::string> forced;
  };
  void Apply(const Step& step, const FramePtr& frame);
  void Begin(Game& game, const FramePtr& startup);
  // Puts `frame` in the place of another, or nothing if it does not fit.
  void Keep(FramePtr& place, const FramePtr& frame);
  void Register(Game& game, const Step& step, const FramePtr& frame);
  void DropOldest(Game& game);
  void Forget(Game& game, const std::string& name);
  void Settle(Game& game, const Step& result);

  static constexpr std::size_t kMaxGames = 64;  // as many as a connection may have (session.h)
  static constexpr std::size_t kRememberedActions = 64;
  // Beyond these, a game's oldest registrations are not repeated, and what does not fit is not.
  static constexpr std::size_t kMaxRegistered = 512;  // of one game
  static constexpr std::size_t kMaxBytes = 8u << 20;  // of all games together
  std::size_t bytes_ = 0;                             // of all frames that are kept
  std::map<std::string, Game> games_;
  std::deque<std::pair<std::string, std::string>> actions_;  // id and name of the last ones
};

}  // namespace openseat::relay
