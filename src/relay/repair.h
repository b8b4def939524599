// Repair: what the relay may change about a game's messages, if it is asked to. Each kind is switched on by itself, and
// each repair is said. Pure, no socket. One thread for all that share a NameBook.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "protocols/neuro/fit_action.h"
#include "protocols/neuro/messages.h"
#include "schema/budget.h"

namespace openseat::relay {

struct Repairs {
  bool messages = false;  // invalid JSON, wrong members, binary frames: written again as the API has them
  bool schemas = false;   // keywords that the API advises against are left out
  bool names = false;     // actions get names that the API allows, and that no other game of the relay has

  bool any() const { return messages || schemas || names; }
};

// "messages,schemas,names" or "all". Errors: kInvalid.
Result<Repairs> ParseRepairs(std::string_view list);

// The names of the actions that the upstream knows, of all games of the relay: channels share it, so that no two
// actions have the same name. Each channel has a limit of its own.
class NameBook {
 public:
  // Whose an action is: a channel's number, and the game.
  using Owner = std::pair<std::uint64_t, std::string>;

  // The name that the upstream gets for an action: one that no other action has. The same one for the same action.
  // nullopt if the channel has `most` names already, of which a longer one counts as several; before that, it forgets
  // those that are unregistered, the oldest first.
  std::optional<std::string> Put(const Owner& owner, const std::string& name, std::size_t most);
  // The name that the upstream got; `name` if it got none.
  std::string Known(const Owner& owner, const std::string& name) const;
  // From now on, the name may be forgotten.
  void Unregister(const Owner& owner, const std::string& name);
  // The game's name of what the upstream calls `wire` on that channel; nullopt if no game there has such an action.
  std::optional<std::string> GameName(std::uint64_t channel, std::string_view wire) const;
  void ForgetGame(const Owner& owner);
  void ForgetChannel(std::uint64_t channel);

 private:
  struct Name {
    std::string wire;
    std::string stem;                // of `wire`, for suffixes_
    std::uint64_t unregistered = 0;  // when, as a number that rises; 0: it is registered
  };
  using Names = std::map<std::pair<std::string, std::string>, Name>;  // by game and name
  struct OfChannel {
    Names names;
    std::size_t count = 0;
    std::map<std::uint64_t, Names::iterator> unregistered;  // the oldest first
  };
  struct Entry {
    std::uint64_t channel;
    std::string name;
  };
  void Forget(OfChannel& channel, Names::iterator name);

  std::map<std::uint64_t, OfChannel> channels_;
  std::map<std::string, Entry, std::less<>> by_wire_;
  neuro::Suffixes suffixes_;
  std::uint64_t last_unregistered_ = 0;
};

class Repair {
 public:
  // `book` outlives it. `max_names`: of the channel's actions; beyond that, names pass as they are.
  Repair(Repairs repairs, NameBook& book, std::uint64_t channel, std::size_t max_names = 10'000)
      : repairs_(repairs), book_(book), channel_(channel), max_names_(max_names) {}
  ~Repair() { book_.ForgetChannel(channel_); }
  Repair(const Repair&) = delete;
  Repair& operator=(const Repair&) = delete;

  struct Repaired {
    std::vector<neuro::Decoded> documents;  // as they are sent, each with its text
    std::vector<std::string> texts;
    std::vector<std::string> notes;  // a sentence for each change
  };
  // nullopt: the message passes as it is. `game`: for documents that do not name theirs.
  std::optional<Repaired> ToUpstream(bool binary, const std::vector<neuro::Decoded>& documents, std::string_view game);
  // What the game gets instead of an action that the upstream knows by another name.
  std::optional<std::string> ToGame(const neuro::ServerMessage& message) const;

 private:
  // Changes the message; whether it did.
  bool Rename(neuro::ClientMessage& message, std::vector<std::string>& notes);
  static bool FitSchemas(neuro::ClientMessage& message, schema::Budget& budget, std::vector<std::string>& notes);

  const Repairs repairs_;
  NameBook& book_;
  const std::uint64_t channel_;
  const std::size_t max_names_;
};

}  // namespace openseat::relay
