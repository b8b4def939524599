// What most games share, so that a game's folder contains its rules and little else. A game may use it, or implement
// core/game.h itself.
//
//   PositionState   a state made of names and one plain value: clones, assigns and compares itself
//   MoveState       a PositionState whose choices are all moves: the checks that come before the rules
//   helpers         to read options and data, and to say what was wrong with them
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/result.h"
#include "core/game.h"

namespace openseat {

// The players' names, shared by all copies of a state; compared by value.
class PlayerNames {
 public:
  explicit PlayerNames(std::vector<std::string> names)
      : names_(std::make_shared<const std::vector<std::string>>(std::move(names))) {}

  const std::string& operator[](SeatIndex seat) const { return (*names_)[seat]; }
  const std::vector<std::string>& all() const { return *names_; }
  SeatIndex size() const { return static_cast<SeatIndex>(names_->size()); }
  bool operator==(const PlayerNames& other) const { return names_ == other.names_ || *names_ == *other.names_; }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

// As many as the game has seats, none empty, all different; otherwise kInvalid.
Result<PlayerNames> CheckNames(const GameInfo& info, std::vector<std::string> names);
// The same from a serialized state's "names".
Result<PlayerNames> RestoreNames(const GameInfo& info, const json::Value& serialized);
json::Array ToJson(const PlayerNames& names);

// The integer value of a JSON number (1.0 counts), nullopt for anything else. Beyond int64 it is the nearest int64.
std::optional<std::int64_t> IntegerOf(const json::Value& value);

// --- Options, errors kInvalid ---

// Null, or an object whose members are all in `known`.
Result<void> CheckOptions(const json::Value& options, std::initializer_list<std::string_view> known);
// Whether a player may begin a match with these options, all of which are recorded: kInvalid beyond 64 KiB.
Result<void> CheckOptionsSize(const json::Value& options);
// The option, or `fallback` if it is not given.
Result<int> IntegerOption(const json::Value& options, std::string_view name, int fallback, int low, int high);

// --- Data, errors kIncorrectData ---

// An object with exactly these members.
Result<void> CheckMembers(const json::Value& data, std::initializer_list<std::string_view> members);
// For an action that takes no data: null or {}.
Result<void> CheckNoData(const json::Value& data);

// --- Schemas ---

// An object with exactly this one member.
json::Value OneMemberSchema(std::string_view member, json::Value schema);

// The first two checks of GameState::Validate: finds the action with that name, or returns kNoSuchAction or
// kNotYourTurn.
Result<const ActionSpec*> CheckAction(const GameInfo& info, const GameState& state, SeatIndex seat,
                                      std::string_view action);

// `Derived` is the state's final class, copyable; `Position` a value with ==: the whole state except for the names.
// Copying a Position should not allocate.
template <typename Derived, typename Position>
class PositionState : public GameState {
 public:
  // Public, because Derived inherits it and std::make_unique calls it.
  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility)
  PositionState(PlayerNames names, Position position) : names_(std::move(names)), position_(std::move(position)) {}

  std::unique_ptr<GameState> Clone() const final {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  void Assign(const GameState& other) final {
    OPENSEAT_CHECK(typeid(*this) == typeid(other), "Assign takes a state of the same game");
    static_cast<Derived&>(*this) = static_cast<const Derived&>(other);
  }
  bool Equals(const GameState& other) const final {
    if (typeid(*this) != typeid(other)) return false;
    const auto& same = static_cast<const PositionState&>(other);
    return names_ == same.names_ && position_ == same.position_;
  }
  const std::vector<std::string>& names() const final { return names_.all(); }

 protected:
  const std::string& name(SeatIndex seat) const { return names_[seat]; }
  const Position& position() const { return position_; }
  Position& position() { return position_; }
  json::Array NamesJson() const { return ToJson(names_); }

 private:
  PlayerNames names_;
  Position position_;
};

// Validate and Apply in terms of moves.
template <typename Derived, typename Position>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): as above
class MoveState : public PositionState<Derived, Position> {
 public:
  using PositionState<Derived, Position>::PositionState;

  Result<void> Validate(SeatIndex seat, std::string_view action, const json::Value& data) const final {
    const Result<const ActionSpec*> spec = CheckAction(game_info(), *this, seat, action);
    if (!spec) return Fail(spec.error());
    if ((*spec)->any_time) return CheckQuestion(action, data);
    const Result<Move> move = Read(seat, action, data);
    if (!move) return Fail(move.error());
    return {};
  }

  json::Value Apply(SeatIndex seat, std::string_view action, const json::Value& data) final {
    const Result<const ActionSpec*> spec = CheckAction(game_info(), *this, seat, action);
    OPENSEAT_CHECK(spec, "Apply follows Validate");
    if ((*spec)->any_time) return Answer(action, data);
    const Result<Move> move = Read(seat, action, data);
    OPENSEAT_CHECK(move, "Apply follows Validate");
    this->ApplyMove(seat, *move);
    return ResultOf(seat, *move);
  }

 protected:
  virtual const GameInfo& game_info() const = 0;
  // The legal move that the data stands for. Only called for an awaited seat, and for an action of the catalog that is
  // not any_time. Errors: kIncorrectData, then kIncorrectMove.
  virtual Result<Move> Read(SeatIndex seat, std::string_view action, const json::Value& data) const = 0;
  // The action's result, requested after the move was applied.
  virtual json::Value ResultOf(SeatIndex seat, Move move) const = 0;
  // For any_time actions: the check of their data, and their result.
  virtual Result<void> CheckQuestion(std::string_view action, const json::Value& data) const {
    (void)action;
    return CheckNoData(data);
  }
  virtual json::Value Answer(std::string_view action, const json::Value& data) const {
    (void)action;
    (void)data;
    return json::Object();
  }
};

}  // namespace openseat
