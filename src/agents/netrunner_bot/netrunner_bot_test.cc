#include "agents/netrunner_bot/netrunner_bot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agents/netrunner_bot/netrunner_view.h"
#include "games/netrunner/netrunner.h"
#include "testing/roll_call.h"

namespace openseat {
namespace {

const Game& Netrunner() {
  static const std::unique_ptr<Game> game = games::MakeNetrunner();
  return *game;
}

std::unique_ptr<GameState> NewGame(std::uint64_t seed) {
  return *Netrunner().NewGame(nullptr, seed, {"Alex", "Sam"});
}

Decision Asked(std::shared_ptr<const GameState> state, SeatIndex seat) {
  Decision decision;
  decision.sight = std::make_shared<Sight>(Netrunner(), std::move(state), Viewer::Seat(seat));
  return decision;
}

void PlayAtRandom(GameState& state, SeatIndex seat, Rng& rng) {
  std::vector<Move> moves(state.Moves(seat, {}));
  state.Moves(seat, moves);
  state.ApplyMove(seat, moves[rng.Below(moves.size())]);
}

// Plays a game against random moves; returns whether the bot won.
bool WinsAgainstRandom(SeatIndex seat, std::uint64_t seed) {
  NetrunnerBot bot(seed);
  Rng rng(seed);
  const std::unique_ptr<GameState> state = NewGame(seed);
  while (!state->Awaited().empty()) {
    const SeatIndex turn = state->Awaited().First();
    if (turn != seat) {
      PlayAtRandom(*state, turn, rng);
      continue;
    }
    const std::optional<Choice> choice = bot.Pick(Asked(state->Clone(), turn));
    if (!choice || !state->Validate(turn, choice->action, choice->data)) {
      ADD_FAILURE() << "the bot's choice is not legal";
      return false;
    }
    state->Apply(turn, choice->action, choice->data);
  }
  return state->GetOutcome()->winners.Contains(seat);
}

TEST(NetrunnerBot, BeatsRandomOnBothSides) {
  for (const SeatIndex seat : {0u, 1u}) {
    int wins = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) wins += WinsAgainstRandom(seat, seed) ? 1 : 0;
    EXPECT_GE(wins, 56) << "seat " << seat;
  }
}

// The real state with every sentence replaced: what is written for people differs, and nothing else.
class Scrambled final : public GameState {
 public:
  explicit Scrambled(const GameState& state) : state_(state.Clone()) {}

  std::unique_ptr<GameState> Clone() const override { return std::make_unique<Scrambled>(*state_); }
  void Assign(const GameState& other) override { state_->Assign(*static_cast<const Scrambled&>(other).state_); }
  bool Equals(const GameState& other) const override {
    return state_->Equals(*static_cast<const Scrambled&>(other).state_);
  }
  json::Value Serialize() const override { return state_->Serialize(); }
  const std::vector<std::string>& names() const override { return state_->names(); }
  SeatSet Awaited() const override { return state_->Awaited(); }
  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    std::vector<ActionSpec> actions = state_->Actions(seat);
    for (ActionSpec& action : actions) action.description = kOther;
    return actions;
  }
  Result<void> Validate(SeatIndex seat, std::string_view action, const json::Value& data) const override {
    return state_->Validate(seat, action, data);
  }
  json::Value Apply(SeatIndex seat, std::string_view action, const json::Value& data) override {
    return state_->Apply(seat, action, data);
  }
  json::Value Observe(Viewer viewer) const override {
    json::Value seen = state_->Observe(viewer);
    Scramble(seen);
    return seen;
  }
  std::string Describe(SeatIndex) const override { return kOther; }
  std::vector<std::string> Log(Viewer) const override { return {kOther}; }
  std::optional<Outcome> GetOutcome() const override { return state_->GetOutcome(); }
  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override { return state_->Moves(seat, out); }
  void ApplyMove(SeatIndex seat, Move move) override { state_->ApplyMove(seat, move); }
  PlayedChoice ToChoice(SeatIndex seat, Move move) const override { return state_->ToChoice(seat, move); }
  std::string MoveLabel(SeatIndex, Move) const override { return kOther; }
  bool IsOffered(SeatIndex seat, Move move) const override { return state_->IsOffered(seat, move); }

 private:
  static constexpr const char* kOther = "Quite another sentence. 7 credits; ice from the innermost outwards";

  static void Scramble(json::Value& value) {
    static const std::set<std::string, std::less<>> kSentences{"message", "text",   "label", "cost-label",
                                                               "value",   "option", "log",   "implementation"};
    if (value.is_array()) {
      for (json::Value& item : value.get_array()) Scramble(item);
    }
    if (!value.is_object()) return;
    for (auto& member : value.get_object()) {
      json::Value& inside = member.value();
      if (!kSentences.contains(json::View(member.key()))) {
        Scramble(inside);
      } else if (inside.is_string()) {
        inside = kOther;
      } else if (inside.is_array()) {
        for (json::Value& line : inside.get_array()) line = kOther;
      }
    }
  }

  std::unique_ptr<GameState> state_;
};

TEST(NetrunnerBot, PlaysTheSameWhateverIsWrittenForPeople) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    NetrunnerBot bot(seed);
    NetrunnerBot other(seed);
    const std::unique_ptr<GameState> state = NewGame(seed);
    int choices = 0;
    while (!state->Awaited().empty()) {
      const SeatIndex turn = state->Awaited().First();
      const std::optional<Choice> choice = bot.Pick(Asked(state->Clone(), turn));
      const std::optional<Choice> same = other.Pick(Asked(std::make_unique<Scrambled>(*state), turn));
      ASSERT_TRUE(choice && same);
      ASSERT_EQ(choice->action, same->action);
      ASSERT_EQ(json::Write(choice->data), json::Write(same->data));
      state->Apply(turn, choice->action, choice->data);
      ++choices;
    }
    EXPECT_GT(choices, 50);
  }
}

// Over a whole random game, everything that it considers legal is legal.
TEST(NetrunnerBot, ReadsLegalChoices) {
  Rng rng(1);
  const std::unique_ptr<GameState> state = NewGame(1);
  while (!state->Awaited().empty()) {
    const SeatIndex turn = state->Awaited().First();
    const auto view = netrunner_bot::ReadView(Asked(state->Clone(), turn));
    ASSERT_TRUE(view.has_value());
    EXPECT_EQ(view->corp, turn == 0);
    EXPECT_EQ(view->choices.size(), OfferedTo(*state, turn).size());
    for (const netrunner_bot::BotChoice& choice : view->choices) {
      EXPECT_TRUE(state->Validate(turn, choice.action, choice.data).has_value())
          << choice.action << " " << json::Write(choice.data);
    }
    PlayAtRandom(*state, turn, rng);
  }
}

// Over a whole random game, the numbers of its view are those of the observation.
TEST(NetrunnerBot, ReadsTheBoard) {
  Rng rng(2);
  const std::unique_ptr<GameState> state = NewGame(2);
  bool ice = false;
  bool root = false;
  bool known = false;
  bool unknown = false;
  bool running = false;
  bool encountered = false;
  while (!state->Awaited().empty()) {
    const SeatIndex turn = state->Awaited().First();
    const auto view = netrunner_bot::ReadView(Asked(state->Clone(), turn));
    ASSERT_TRUE(view.has_value());
    const json::Value seen = state->Observe(Viewer::Seat(turn));
    const json::Value& own = seen.at(turn == 0 ? "corp" : "runner");
    EXPECT_EQ(json::Value(view->credits), own.at("credit"));
    EXPECT_EQ(json::Value(view->clicks), own.at("click"));
    EXPECT_EQ(view->hand, own.at("hand").get_array().size());
    ASSERT_TRUE(view->servers.contains("HQ") && view->servers.contains("R&D") && view->servers.contains("Archives"));
    EXPECT_EQ(view->servers.at("HQ").ice, seen.at("corp").at("servers").at("hq").at("ices").get_array().size());
    EXPECT_EQ(view->running, seen.at("run").is_object());
    EXPECT_EQ(view->encountered.empty(), !seen.at("encounters").is_object());
    for (const auto& [name, server] : view->servers) {
      ice = ice || server.ice > 0;
      root = root || (server.root > 0 && name.starts_with("Server "));
      EXPECT_LE(server.unknown + server.worth_it, server.root);
      if (turn == 0) {
        EXPECT_EQ(server.unknown, 0u) << "the Corp knows its own cards";
      } else if (server.root > 0) {
        (server.unknown > 0 ? unknown : known) = true;
      }
    }
    running = running || view->running;
    encountered = encountered || !view->encountered.empty();
    PlayAtRandom(*state, turn, rng);
  }
  EXPECT_TRUE(ice && root && running && encountered && known && unknown);
}

TEST(NetrunnerBot, LeavesOtherGamesAlone) {
  Decision elsewhere;
  elsewhere.sight = std::make_shared<Sight>("You are the **Corp** (Alex); Sam is the Runner.");
  EXPECT_FALSE(NetrunnerBot(1).Pick(elsewhere).has_value());
  const std::unique_ptr<Game> game = testing::MakeRollCall();
  Decision other;
  other.sight = std::make_shared<Sight>(*game, *game->NewGame(nullptr, 1, {"Alex", "Sam"}), Viewer::Seat(0));
  EXPECT_FALSE(NetrunnerBot(1).Pick(other).has_value());
}

}  // namespace
}  // namespace openseat
