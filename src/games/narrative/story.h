// Story: a narrative game's position, computed from its turns. A plain value.
//
// A turn is what a player does (a wish) and what the narrator tells about it (a narration, one LlmResultV1
// object). The first turn, the opening, has only a narration. While a wish waits for its narration, the turn is half
// done: none of it has happened yet.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "core/ids.h"
#include "games/narrative/scenario.h"

namespace openseat::games::narrative {

inline constexpr SeatIndex kNarrator = 0;  // the seats after it are players
inline constexpr int kMaxTurns = 200;
inline constexpr std::size_t kMaxStory = 2u << 20;  // bytes of its narrations as JSON; the last one may exceed it

struct Wish {
  SeatIndex player = 1;
  std::string choice_id;  // of an available choice; "" if the player said something else
  std::string text;       // the choice's label, or the player's own words
  std::string ref;        // the player's own reference, "" for none
  bool operator==(const Wish&) const = default;
};

struct Turn {
  std::optional<Wish> wish;  // none in the opening
  json::Object narration;
  std::size_t bytes = 0;  // of the narration as JSON
};

// An available choice.
struct Offer {
  std::string id;
  std::string label;
  std::string description;
};

class Story {
 public:
  // REQUIRES 1 <= version <= kResultVersions, 1 <= max_turns <= kMaxTurns, players > 0.
  Story(const Scenario& scenario, int version, int max_turns, SeatIndex players, std::uint64_t seed);

  const Scenario& scenario() const { return *scenario_; }
  int version() const { return version_; }  // of the narrations' schema
  int max_turns() const { return max_turns_; }
  std::uint64_t seed() const { return seed_; }  // for narrators that need one
  // Completed turns, the opening first. Shared between copies.
  const std::vector<std::shared_ptr<const Turn>>& turns() const { return turns_; }
  const std::optional<Wish>& wish() const { return wish_; }  // of the half-done turn
  // By id, each from -100 to 100.
  const std::map<std::string, double, std::less<>>& relationships() const { return relationships_; }
  const std::map<std::string, double, std::less<>>& factions() const { return factions_; }
  const json::Object& world() const { return world_; }
  // The ending given by the narrator ("" if none).
  const std::string& ending() const { return ending_; }
  std::size_t bytes() const { return bytes_; }  // of the narrations as JSON
  // Whether it may have only so many bytes, as by version 2 of the rules.
  bool bounded() const { return bounded_; }
  void LiftLimits() { bounded_ = false; }
  bool full() const { return bounded_ && bytes_ >= kMaxStory; }
  bool over() const { return !ending_.empty() || static_cast<int>(turns_.size()) >= max_turns_ || full(); }

  // The player whose turn it is, unless a narration is pending.
  SeatIndex player() const;
  bool narrating() const { return !over() && (turns_.empty() || wish_); }
  // The available choices, each id once; empty unless it is the player's turn.
  std::vector<Offer> Offers() const;

  // How the next turn was told in another story; this one is to be told differently. "" if it does not matter.
  const std::string& unlike() const { return turns_.size() == unlike_turns_ ? unlike_ : kAnything; }
  void TellUnlike(std::string narrative) {
    unlike_ = std::move(narrative);
    unlike_turns_ = turns_.size();
  }

  // REQUIRES that it is the player's turn.
  void Want(Wish wish) { wish_ = std::move(wish); }
  // Completes the turn. REQUIRES narrating(), and a narration that the schema accepts.
  void Tell(json::Object narration);

  // Leaves out the marks of everyone but `seat` and what only the narrator is told, and takes another seed.
  void Forget(SeatIndex seat, std::uint64_t seed);

  // Bytes of the standings and the world as JSON.
  std::size_t KeptBytes() const;

  // The same story after its first `count` turns. REQUIRES count <= turns().size().
  Story After(std::size_t count) const;

  bool operator==(const Story& other) const;

 private:
  void Take(std::shared_ptr<const Turn> turn);

  const Scenario* scenario_;
  int version_;
  int max_turns_;
  SeatIndex players_;
  std::uint64_t seed_;
  std::vector<std::shared_ptr<const Turn>> turns_;
  std::optional<Wish> wish_;
  std::map<std::string, double, std::less<>> relationships_;
  std::map<std::string, double, std::less<>> factions_;
  json::Object world_;
  std::string ending_;
  std::size_t bytes_ = 0;  // of the narrations
  bool bounded_ = true;
  std::string unlike_;  // of the turn after this many
  std::size_t unlike_turns_ = 0;
  static inline const std::string kAnything;
};

// {"choiceId"} or {"text"}, and "ref"; the data of the choice.
json::Object SavedWish(const Wish& wish, bool with_ref);
// {"wish"?, "narration"}.
json::Object SavedTurn(const Turn& turn, bool with_ref);

// {"npc.kiera": 5}: whole numbers without a fraction.
json::Object ToJson(const std::map<std::string, double, std::less<>>& standings);

}  // namespace openseat::games::narrative
