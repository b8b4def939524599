// Tests of the suite itself: a sound game passes, and each fault that a game may have is found.
#include "testing/game_conformance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/game_base.h"
#include "testing/player_names.h"
#include "testing/roll_call.h"

namespace openseat::testing {
namespace {

enum class Fault {
  kNone,
  kTellsSecretInObservation,
  kTellsSecretInDescription,
  kTellsSecretInActions,
  kSchemaTooWide,
  kSchemaTooNarrow,
  kSchemaOfNoObject,
  kValidatesTooMuch,
  kValidatesTooLittle,
  kWrongErrorCode,
  kMovesOutOfOrder,
  kApplyForgets,
  kQuestionChanges,
  kSavesTooLittle,
  kRestoresAnything,
  kNoOutcome,
  kWrongWinner,
  kAwaitsForEver,
  kKeepsStateElsewhere,
  kSamplesTheTruth,
  kSamplesByTheTruth,
  kSamplesWhatCannotBeSeen,
  kSamplesAnotherView,
  kHidesNothing,
  kNoLabels,
  kSameLabels,
  kTellsSecretInNews,
  kOffersNothing,
};

struct Picks {
  std::array<std::optional<int>, 2> picked{};
  int noise = 0;
  bool operator==(const Picks&) const = default;
};

ActionSpec Pick(int highest) {
  return {.name = "pick",
          .description = "Pick a number from 0 to 2.",
          .schema = OneMemberSchema("number", json::Object{{"type", "integer"}, {"minimum", 0}, {"maximum", highest}})};
}

// As exact as the schema of Pick(2), but it does not say that data is an object.
json::Value WholeData() {
  json::Array all;
  for (int number = 0; number <= 2; ++number) all.push_back(json::Object{{"number", number}});
  return json::Object{{"enum", std::move(all)}};
}

// Both pick a number at the same time; the higher one wins. With one fault.
class PickState final : public PositionState<PickState, Picks> {
 public:
  PickState(PlayerNames names, Picks picks, Fault fault, const GameInfo& info)
      : PositionState(std::move(names), picks), fault_(fault), info_(&info) {}

  SeatSet Awaited() const override {
    SeatSet seats;
    for (SeatIndex seat = 0; seat < 2; ++seat) {
      if (!position().picked[seat]) seats.Insert(seat);
    }
    if (seats.empty() && fault_ == Fault::kAwaitsForEver) seats.Insert(0);
    return seats;
  }
  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    std::vector<ActionSpec> actions = {info_->actions[1]};
    if (!Awaited().Contains(seat)) return actions;
    actions.push_back(Pick(fault_ == Fault::kSchemaTooWide ? 3 : fault_ == Fault::kSchemaTooNarrow ? 1 : 2));
    if (fault_ == Fault::kTellsSecretInActions) actions[1].description += Secret(1 - seat);
    if (fault_ == Fault::kSchemaOfNoObject) actions[1].schema = WholeData();
    return actions;
  }
  Result<void> Validate(SeatIndex seat, std::string_view action, const json::Value& data) const override {
    const auto spec = CheckAction(*info_, *this, seat, action);
    if (!spec) {
      const bool wrong = fault_ == Fault::kWrongErrorCode && spec.error().code == ErrorCode::kNoSuchAction;
      return Fail(wrong ? ErrorCode::kNotFound : spec.error().code, spec.error().message);
    }
    if ((*spec)->any_time) return CheckNoData(data);
    if (auto members = CheckMembers(data, {"number"}); !members) return members;
    const auto number = IntegerOf(*json::Find(data, "number"));
    if (!number) return Fail(ErrorCode::kIncorrectData, "number must be a whole number");
    const int highest = fault_ == Fault::kValidatesTooMuch ? 3 : fault_ == Fault::kValidatesTooLittle ? 1 : 2;
    if (*number < 0 || *number > highest) return Fail(ErrorCode::kIncorrectMove, "number must be 0 to 2");
    return {};
  }
  json::Value Apply(SeatIndex seat, std::string_view action, const json::Value& data) override {
    if (action == "ask") {
      if (fault_ == Fault::kQuestionChanges) ++position().noise;
      return json::Object();
    }
    if (fault_ == Fault::kApplyForgets) {
      position().picked[seat] = 0;
    } else {
      ApplyMove(seat, static_cast<Move>(*IntegerOf(*json::Find(data, "number"))));
    }
    return json::Object();
  }
  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    for (Move move = 0; move < 3 && move < out.size(); ++move) {
      out[move] = fault_ == Fault::kMovesOutOfOrder ? 2 - move : move;
    }
    return 3;
  }
  void ApplyMove(SeatIndex seat, Move move) override { position().picked[seat] = static_cast<int>(move); }
  PlayedChoice ToChoice(SeatIndex, Move move) const override {
    return {"pick", json::Object{{"number", static_cast<int>(move)}}};
  }
  std::string MoveLabel(SeatIndex, Move move) const override {
    if (fault_ == Fault::kSameLabels) return "Pick one";
    return fault_ == Fault::kNoLabels ? "" : "Pick " + std::to_string(move);
  }
  bool IsOffered(SeatIndex, Move) const override { return fault_ != Fault::kOffersNothing; }
  std::vector<std::string> News(const GameState&, Viewer) const override {
    if (!Awaited().empty() && fault_ != Fault::kTellsSecretInNews) return {};
    return {name(0) + " and " + name(1) + " picked " + Secret(0) + " and " + Secret(1) + "."};
  }
  std::unique_ptr<GameState> Sample(SeatIndex seat, Rng& rng) const override {
    auto sample = std::make_unique<PickState>(*this);
    std::optional<int>& other = sample->position().picked[1 - seat];
    if (fault_ == Fault::kSamplesAnotherView) sample->position().picked[seat].reset();
    if (fault_ == Fault::kSamplesTheTruth || !other || Awaited().empty()) return sample;
    if (fault_ == Fault::kSamplesByTheTruth) {
      other = (*other + static_cast<int>(rng.Below(3))) % 3;
    } else if (fault_ == Fault::kSamplesWhatCannotBeSeen) {
      other = static_cast<int>(rng.Below(3));
    } else {
      other.reset();
    }
    return sample;
  }
  json::Value Observe(Viewer) const override {
    const bool shown = Awaited().empty() || fault_ == Fault::kTellsSecretInObservation;
    return json::Object{{"picked", shown ? Secret(0) + Secret(1) : ""}};
  }
  std::string Describe(SeatIndex) const override {
    return "Pick." + (fault_ == Fault::kTellsSecretInDescription ? Secret(0) : "");
  }
  std::optional<Outcome> GetOutcome() const override {
    if (!Awaited().empty() || fault_ == Fault::kNoOutcome) return std::nullopt;
    const int first = *position().picked[0];
    const int second = *position().picked[1];
    Outcome outcome;
    if (first != second) outcome.winners.Insert((first > second) == (fault_ != Fault::kWrongWinner) ? 0 : 1);
    outcome.scores = {static_cast<double>(first), static_cast<double>(second)};
    outcome.reason = "both have picked";
    return outcome;
  }
  json::Value Serialize() const override {
    const std::string second = fault_ == Fault::kSavesTooLittle ? "?" : Secret(1);
    return json::Object{{"names", NamesJson()}, {"picked", Secret(0) + second}, {"noise", position().noise}};
  }

 private:
  std::string Secret(SeatIndex seat) const {
    return position().picked[seat] ? std::to_string(*position().picked[seat]) : "?";
  }

  Fault fault_;
  const GameInfo* info_;
};

class PickGame final : public Game {
 public:
  explicit PickGame(Fault fault) : fault_(fault) {}

  const GameInfo& info() const override { return info_; }
  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t,
                                             std::vector<std::string> names) const override {
    if (auto known = CheckOptions(options, {}); !known) return Fail(known.error());
    Result<PlayerNames> players = CheckNames(info_, std::move(names));
    if (!players) return Fail(players.error());
    Picks picks;
    if (fault_ == Fault::kKeepsStateElsewhere) picks.noise = ++games_;
    return std::make_unique<PickState>(*std::move(players), picks, fault_, info_);
  }
  Result<std::unique_ptr<GameState>> Restore(const json::Value& saved) const override {
    Result<PlayerNames> players = RestoreNames(info_, saved);
    if (!players) return Fail(players.error());
    const json::Value* picked = json::Find(saved, "picked");
    const Result<int> noise = IntegerOption(saved, "noise", 0, 0, 1'000'000);
    const Error wrong{ErrorCode::kInvalid, "picked must be two of ?, 0, 1 and 2", "picked"};
    if (!noise || picked == nullptr || !picked->is_string()) return Fail(wrong);
    const json::String& text = picked->get_string();
    if (text.size() < 2) return Fail(wrong);
    if (text.size() > 2 && fault_ != Fault::kRestoresAnything) return Fail(wrong);
    Picks picks{{}, *noise};
    for (std::size_t seat = 0; seat < 2; ++seat) {
      if (text[seat] == '?') continue;
      if ((text[seat] < '0' || text[seat] > '2') && fault_ != Fault::kRestoresAnything) return Fail(wrong);
      picks.picked[seat] = text[seat] - '0';
    }
    return std::make_unique<PickState>(*std::move(players), picks, fault_, info_);
  }

 private:
  const Fault fault_;
  mutable int games_ = 0;  // the fault of kKeepsStateElsewhere: state outside of the state
  const GameInfo info_ = {
      .id = "pick",
      .title = "Pick",
      .description = "The higher number wins",
      .rules = "Both pick a number at once; the higher one wins.",
      .roles = {"First", "Second"},
      .options_schema = json::Object{{"type", "object"}, {"additionalProperties", false}},
      .actions = {Pick(2), {.name = "ask", .description = "Ask for nothing.", .schema = nullptr, .any_time = true}},
      .hides = fault_ != Fault::kHidesNothing,
      .max_moves = 3,
  };
};

TEST(GameConformance, ASoundGameConforms) {
  EXPECT_EQ(CheckGame(PickGame(Fault::kNone)), Conforms());
  EXPECT_EQ(CheckGame(*MakeRollCall()), Conforms());
}

struct Expected {
  Fault fault;
  std::string complaint;  // part of one of them
};

class GameConformanceFault : public ::testing::TestWithParam<Expected> {};

TEST_P(GameConformanceFault, IsFound) {
  const std::vector<std::string> complaints = CheckGame(PickGame(GetParam().fault));
  EXPECT_TRUE(std::any_of(
      complaints.begin(), complaints.end(),
      [](const std::string& complaint) { return complaint.find(GetParam().complaint) != std::string::npos; }))
      << "looked for: " << GetParam().complaint << "\nfound: " << (complaints.empty() ? "nothing" : complaints.front());
}

INSTANTIATE_TEST_SUITE_P(
    Each, GameConformanceFault,
    ::testing::Values(Expected{Fault::kTellsSecretInObservation, "is not a secret to spectators"},
                      Expected{Fault::kTellsSecretInDescription, "is not a secret in a description"},
                      Expected{Fault::kTellsSecretInActions, "is not a secret in the actions"},
                      Expected{Fault::kSchemaTooWide, "the schema accepts it, but it is refused"},
                      Expected{Fault::kSchemaTooNarrow, "legal, but the schema refuses it"},
                      Expected{Fault::kSchemaOfNoObject, "the schema must say that data is an object"},
                      Expected{Fault::kValidatesTooMuch, "accepted, but no move"},
                      Expected{Fault::kValidatesTooLittle, "a move's choice is refused"},
                      Expected{Fault::kWrongErrorCode, "not told kNoSuchAction"},
                      Expected{Fault::kMovesOutOfOrder, "moves must be ascending"},
                      Expected{Fault::kApplyForgets, "Apply and ApplyMove lead to different states"},
                      Expected{Fault::kQuestionChanges, "a question changed the state"},
                      Expected{Fault::kSavesTooLittle, "a restored state is not equal"},
                      Expected{Fault::kRestoresAnything, "that was of the saved state"},
                      Expected{Fault::kNoOutcome, "an outcome exactly when nobody is awaited"},
                      Expected{Fault::kWrongWinner, "a winner has not the highest score"},
                      Expected{Fault::kAwaitsForEver, "a choice changed nothing"},
                      Expected{Fault::kKeepsStateElsewhere, "the same choices led to another state"},
                      Expected{Fault::kSamplesTheTruth, "is not a secret in a sample"},
                      Expected{Fault::kSamplesByTheTruth, "is not a secret in a sample"},
                      Expected{Fault::kSamplesWhatCannotBeSeen, "cannot be seen, and is not a secret in a sample"},
                      Expected{Fault::kSamplesAnotherView, "a sample differs for its seat in whether it is awaited"},
                      Expected{Fault::kHidesNothing, "the game hides nothing, and a sample is another state"},
                      Expected{Fault::kNoLabels, "a move has no label"},
                      Expected{Fault::kSameLabels, "two choices that are offered have the label"},
                      Expected{Fault::kTellsSecretInNews, "is told of what it cannot see"},
                      Expected{Fault::kOffersNothing, "a seat that is awaited is offered no choice"}));

}  // namespace
}  // namespace openseat::testing
