#include "arena/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "agents/search/script_test_support.h"
#include "arena/losses.h"
#include "arena/puzzles.h"
#include "core/heuristics.h"
#include "games/connectm/connectm.h"
#include "games/narrative/narrative.h"
#include "games/netrunner/netrunner.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "schema/schema.h"

namespace openseat::arena {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::uint64_t kEnough = 20'000;

class RecordedMatch {
 public:
  explicit RecordedMatch(const Game& game) : game_(game) {
    Add(EventKind::kOpened, R"({"kind":"hosted","game":")" + game.info().id + R"(","rules_version":)" +
                                std::to_string(game.info().rules_version) + R"(,"seed":7})");
    Add(EventKind::kJoined, R"({"seat":0,"name":"Ann","token":"a"})");
    Add(EventKind::kJoined, R"({"seat":1,"name":"Bo","token":"b"})");
  }
  void Play(int seat, const std::string& action, const std::string& data) {
    Add(EventKind::kPlayed,
        R"({"seat":)" + std::to_string(seat) + R"(,"action":")" + action + R"(","data":)" + data + "}");
  }
  void Mark(int seat, int row, int column) {
    Play(seat, "move", R"({"position":[)" + std::to_string(row) + "," + std::to_string(column) + "]}");
  }
  Result<std::vector<JudgedDecision>> Judge(unsigned threads = 1) const {
    return Analyze(TableId("test"), game_, events_, {.iterations = kEnough, .seed = 3, .threads = threads});
  }
  const std::vector<StoredEvent>& events() const { return events_; }

 private:
  void Add(EventKind kind, std::string payload) {
    events_.push_back({events_.size() + 1, {kind, {}, std::move(payload)}});
  }

  const Game& game_;
  std::vector<StoredEvent> events_;
};

// Tells a search to stop as soon as it begins.
class Stopping final : public Heuristics {
 public:
  explicit Stopping(std::stop_source& stop) : stop_(stop) {}
  void Weigh(const GameState& state, SeatIndex seat, std::span<const Move> moves,
             std::span<float> weights) const override {
    stop_.request_stop();
    Heuristics::Weigh(state, seat, moves, weights);
  }

 private:
  std::stop_source& stop_;
};

// A game under new rules that may have nothing in common with the old ones.
class NewRules final : public Game {
 public:
  NewRules(const Game& old, std::unique_ptr<Game> now, const Heuristics* heuristics = nullptr)
      : old_(old), now_(std::move(now)), heuristics_(heuristics), info_(now_->info()) {
    info_.id = old.info().id;
    info_.rules_version = old.info().rules_version + 1;
  }
  const GameInfo& info() const override { return info_; }
  const Game* OfVersion(int version) const override {
    return version == info_.rules_version ? this : old_.OfVersion(version);
  }
  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t seed,
                                             std::vector<std::string> names) const override {
    return now_->NewGame(options, seed, std::move(names));
  }
  Result<std::unique_ptr<GameState>> Restore(const json::Value& serialized) const override {
    return now_->Restore(serialized);
  }
  const Heuristics* heuristics() const override { return heuristics_; }

 private:
  const Game& old_;
  const std::unique_ptr<Game> now_;
  const Heuristics* const heuristics_;
  GameInfo info_;
};

std::string LinesOf(const std::vector<JudgedDecision>& judged) {
  std::string lines;
  for (const JudgedDecision& decision : judged) lines += json::Write(ToJson(decision)) + "\n";
  return lines;
}

class AnalysisTest : public ::testing::Test {
 protected:
  // The second player answers a corner with an edge, which loses.
  RecordedMatch LostByAnEdge() const {
    RecordedMatch match(*tictactoe_);
    match.Mark(0, 0, 0);
    match.Mark(1, 0, 1);
    match.Mark(0, 1, 1);
    match.Mark(1, 2, 2);
    match.Mark(0, 2, 0);
    match.Mark(1, 0, 2);
    match.Mark(0, 1, 0);
    return match;
  }

  std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  std::unique_ptr<Game> rps_ = games::MakeRockPaperScissors();
  std::unique_ptr<Game> narrative_ = games::MakeNarrative();
};

TEST_F(AnalysisTest, SaysWhereTheLoserLost) {
  const auto judged = LostByAnEdge().Judge();
  ASSERT_TRUE(judged.has_value()) << judged.error().message;
  ASSERT_THAT(*judged, SizeIs(7));
  const JudgedDecision& edge = (*judged)[1];
  EXPECT_EQ(edge.seat, 1);
  EXPECT_EQ(edge.mark, Mark::kBlunder);
  EXPECT_NEAR(edge.loss, 0.5, 0.15);
  EXPECT_EQ(json::Write(edge.choices[edge.best].choice.data), R"({"position":[1,1]})");
  EXPECT_THAT(edge.line, ::testing::Not(::testing::IsEmpty()));
  EXPECT_THAT(edge.line.front(), HasSubstr("Bo: "));
  // Whatever the second player did then, it was lost.
  for (const std::size_t number : {0u, 2u, 3u, 4u, 5u, 6u}) EXPECT_EQ((*judged)[number].mark, Mark::kNone) << number;
  EXPECT_EQ((*judged)[6].value, 1);
}

TEST_F(AnalysisTest, IsTheSameEveryTime) {
  const RecordedMatch match = LostByAnEdge();
  EXPECT_EQ(LinesOf(*match.Judge()), LinesOf(*match.Judge(4)));
}

TEST_F(AnalysisTest, JudgesByTheRulesOfTheMatch) {
  const RecordedMatch match = LostByAnEdge();
  const auto judge = [&](const Game& game) {
    return Analyze(TableId("test"), game, match.events(), {.iterations = 500, .seed = 3});
  };
  const auto as_then = judge(*tictactoe_);
  ASSERT_TRUE(as_then.has_value()) << as_then.error().message;
  // Today there are fewer moves, hidden ones, or only texts.
  for (const auto& make : {games::MakeRockPaperScissors, games::MakeNarrative}) {
    const NewRules today(*tictactoe_, make());
    const auto judged = judge(today);
    ASSERT_TRUE(judged.has_value()) << judged.error().message;
    EXPECT_EQ(LinesOf(*judged), LinesOf(*as_then));
  }
}

TEST_F(AnalysisTest, StopsInTheMiddleOfASearch) {
  const std::unique_ptr<Game> connectm = games::MakeConnectM();
  std::stop_source stop;
  const Stopping stopping(stop);
  const NewRules game(*connectm, games::MakeConnectM(), &stopping);
  RecordedMatch match(game);
  match.Play(0, "drop", R"({"column":3})");
  int done = 0;
  const auto progress = [&](std::size_t, std::size_t) { ++done; };
  // It would take hours.
  const auto judged =
      Analyze(TableId("test"), game, match.events(), {.iterations = 1'000'000'000}, progress, stop.get_token());
  ASSERT_FALSE(judged.has_value());
  EXPECT_EQ(judged.error().code, ErrorCode::kClosed);
  EXPECT_EQ(done, 0);
}

TEST_F(AnalysisTest, AStoppedDecisionIsNotSearchedOn) {
  const std::unique_ptr<Game> connectm = games::MakeConnectM();
  const std::shared_ptr<const GameState> before = *connectm->NewGame(nullptr, 7, {"Ann", "Bo"});
  const PastDecision decision{.choice = {0, "drop", *json::Parse(R"({"column":3})"), {}}, .before = before};
  std::stop_source stop;
  stop.request_stop();
  const JudgedDecision judged =
      JudgeDecision(*connectm, decision, {.iterations = 1'000'000'000}, nullptr, stop.get_token()).value();
  for (const JudgedChoice& choice : judged.choices) EXPECT_LE(choice.visits, 2U);
}

TEST_F(AnalysisTest, SaysThatAScriptGivesNothingToPlayAheadFrom) {
  const std::unique_ptr<Game> game = search::GameWithRedeal("() => { throw new Error('x'); }");
  const std::shared_ptr<const GameState> before = *game->NewGame(nullptr, 7, {"Ann", "Bo"});
  const PastDecision decision{.choice = {0, "drop", *json::Parse(R"({"column":3})"), {}}, .before = before};
  const Result<JudgedDecision> judged = JudgeDecision(*game, decision, {.iterations = 50});
  ASSERT_FALSE(judged.has_value());
  EXPECT_EQ(judged.error(), NoSample(game->info()));
  EXPECT_EQ(judged.error().code, ErrorCode::kUnsupported);
}

TEST_F(AnalysisTest, NoChoiceIsBlamedWhereAllAreEqual) {
  RecordedMatch match(*rps_);
  const auto choices = ChoicesOf(**rps_->NewGame(nullptr, 7, {"Ann", "Bo"}), 0);
  for (int seat : {0, 1}) {
    const PlayedChoice& choice = choices[static_cast<std::size_t>(seat)].choice;
    match.Play(seat, choice.action, json::Write(choice.data));
  }
  const auto judged = match.Judge();
  ASSERT_TRUE(judged.has_value()) << judged.error().message;
  EXPECT_TRUE(judged->front().mixed);
  for (const JudgedDecision& decision : *judged) EXPECT_EQ(decision.mark, Mark::kNone);
}

TEST_F(AnalysisTest, WhatHasNoAlternativeIsNotJudged) {
  RecordedMatch match(*tictactoe_);
  const std::vector<std::pair<int, int>> draw = {{1, 1}, {0, 0}, {0, 1}, {2, 1}, {1, 0},
                                                 {1, 2}, {2, 0}, {0, 2}, {2, 2}};
  for (std::size_t i = 0; i < draw.size(); ++i) match.Mark(static_cast<int>(i % 2), draw[i].first, draw[i].second);
  const auto judged = match.Judge();
  ASSERT_TRUE(judged.has_value()) << judged.error().message;
  EXPECT_TRUE(judged->back().forced);
  EXPECT_FALSE(judged->front().forced);
  EXPECT_EQ(json::Write(ToJson(judged->back())),
            R"({"decision":8,"seat":0,"event":12,"phase":"end","forced":true,"choices":[],"taken":null,"best":null,)"
            R"("mixed":false,"value":null,"loss":null,"error":null,"mark":null,"line":[]})");
}

TEST_F(AnalysisTest, TextsAreNotJudged) {
  EXPECT_EQ(RecordedMatch(*narrative_).Judge().error().code, ErrorCode::kUnsupported);
}

TEST_F(AnalysisTest, MarksOnlyWhatTheBarsAllow) {
  EXPECT_EQ(MarkOf(0.3, 0), Mark::kBlunder);
  EXPECT_EQ(MarkOf(0.3, 0.06), Mark::kMistake);
  EXPECT_EQ(MarkOf(0.3, 0.12), Mark::kInaccuracy);
  EXPECT_EQ(MarkOf(0.3, 0.14), Mark::kNone);
  EXPECT_EQ(MarkOf(0.04, 0), Mark::kNone);
}

TEST_F(AnalysisTest, APuzzleHasOneAnswer) {
  const RecordedMatch match = LostByAnEdge();
  const AnalysisOptions options{.iterations = kEnough, .seed = 3};
  std::vector<std::uint64_t> puzzles;
  json::Object puzzle;
  const auto visited = VisitDecisions(TableId("test"), *tictactoe_, match.events(), [&](const PastDecision& decision) {
    const JudgedDecision judged = JudgeDecision(*tictactoe_, decision, options).value();
    if (!MayBePuzzle(judged, *tictactoe_)) return Result<void>();
    const Result<MatchSpec> fork = ForkAfter(TableId("test"), *tictactoe_, match.events(), decision.fork_event());
    const std::optional<json::Object> checked = CheckPuzzle(decision, judged, *fork, options);
    if (!checked) return Result<void>();
    puzzles.push_back(decision.number);
    puzzle = *checked;
    return Result<void>();
  });
  ASSERT_TRUE(visited.has_value());
  EXPECT_THAT(puzzles, ::testing::ElementsAre(6u)) << "before that, other choices also win, or all lose";
  EXPECT_EQ(json::Write(puzzle["answer"]), R"({"action":"move","data":{"position":[1,0]}})");
  EXPECT_EQ(puzzle["choices"].as_array().size(), 6u);
  EXPECT_EQ(puzzle["seat"], json::Value(0));
  EXPECT_EQ(puzzle["view"].at("board").at(1).at(0), json::Value(" ")) << "as it was before the answer";
  EXPECT_EQ(puzzle["offered"].as_array().size(), 3u);
  const json::Array& offered = puzzle["offered"].as_array();
  EXPECT_EQ(
      std::ranges::count_if(offered, [&](const json::Value& each) { return each.at("label") == puzzle["label"]; }), 1);
}

TEST_F(AnalysisTest, LessMakesAPuzzleWhereSomethingIsHidden) {
  const std::unique_ptr<Game> netrunner = games::MakeNetrunner();
  JudgedDecision judged{.best = 1};
  const auto add = [&judged](double value) {
    judged.choices.emplace_back();
    judged.choices.back().value = value;
    judged.choices.back().error = 0.02;
  };
  for (const double value : {0.4, 0.55, 0.3}) add(value);
  EXPECT_FALSE(MayBePuzzle(judged, *netrunner)) << "of three choices";
  add(0.1);
  EXPECT_TRUE(MayBePuzzle(judged, *netrunner));
  EXPECT_FALSE(MayBePuzzle(judged, *tictactoe_));
  judged.choices[1].value = 0.49;
  EXPECT_FALSE(MayBePuzzle(judged, *netrunner));
}

TEST_F(AnalysisTest, WritesWhatTheSchemaSays) {
  std::ifstream file(std::string(OPENSEAT_DOCS) + "/formats/analysis.schema.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto compiled = schema::Schema::Compile(*json::Parse(text));
  ASSERT_TRUE(compiled.has_value());
  const auto judged = LostByAnEdge().Judge();
  ASSERT_TRUE(judged.has_value());
  for (const JudgedDecision& decision : *judged) {
    json::Object line{{"game", 0}, {"table", "test"}, {"agent", "random"}};
    for (auto& member : ToJson(decision)) line[member.key()] = member.value();
    const auto violations = (*compiled)->Validate(line);
    EXPECT_TRUE(violations.empty()) << schema::Explain(violations);
  }
}

JudgedDecision WithLoss(SeatIndex seat, double loss, Phase phase = Phase::kOpening) {
  JudgedDecision decision{.seat = seat, .phase = phase, .taken = 0, .loss = loss, .mark = MarkOf(loss, 0)};
  return decision;
}

TEST(LossesTest, AveragesByAgentAndPhase) {
  Losses losses;
  losses.Add({"a", "b"}, {WithLoss(0, 0.1), WithLoss(1, 0.3), WithLoss(0, 0.1, Phase::kEnd)});
  losses.Add({"b", "a"}, {WithLoss(0, 0.5), WithLoss(1, 0), JudgedDecision{.seat = 0, .forced = true}});
  const std::vector<Losses::Agent> table = losses.Table();
  ASSERT_THAT(table, SizeIs(2));
  EXPECT_EQ(table[0].name, "a");
  EXPECT_EQ(table[0].all.choices, 3u);
  EXPECT_NEAR(table[0].all.mean, 0.2 / 3, 1e-12);
  EXPECT_NEAR(table[0].phases[2].mean, 0.1, 1e-12);
  EXPECT_EQ(table[0].marks[2], 2u);
  EXPECT_NEAR(table[1].all.mean, 0.4, 1e-12);
  // Off the mean by -0.1 and 0.1: a variance of 0.02 * 2 / 1 over 2 squared.
  EXPECT_NEAR(table[1].all.half_width.value(), 1.959964 * 0.1, 1e-6);
}

TEST(LossesTest, PeopleAreNotTheirOpponents) {
  Losses losses;
  losses.Add({"", "bot"}, {WithLoss(0, 0.3), WithLoss(1, 0.1)});
  const std::vector<Losses::Agent> table = losses.Table();
  ASSERT_THAT(table, SizeIs(2));
  EXPECT_EQ(table[0].name, "bot");
  EXPECT_NEAR(table[0].all.mean, 0.1, 1e-12);
  EXPECT_EQ(table[1].name, "a person");
}

TEST(LossesTest, ComparesTwoInTheSameGame) {
  Losses losses;
  losses.Add({"b", "b"}, {WithLoss(0, 0.9), WithLoss(1, 0.9)});
  for (int game = 0; game < 2; ++game) {
    const double shared = game * 0.5;
    losses.Add({"a", "b"}, {WithLoss(0, shared), WithLoss(1, shared + 0.1)});
  }
  // The two differ by the same in every game that they played against each other.
  EXPECT_EQ(losses.TellApart()->games_by_loss, 2);
}

TEST(LossesTest, SaysHowManyGamesTellTwoApart) {
  Losses losses;
  for (int game = 0; game < 20; ++game) {
    losses.Add({"a", "b"}, {WithLoss(0, 0.1), WithLoss(1, game % 2 == 0 ? 0.2 : 0.3)});
    GameLine line;
    line.seats = {"a", "b"};
    line.result = GameResult::kWin;
    line.winners = {static_cast<SeatIndex>(game % 4 == 0 ? 1 : 0)};
    losses.AddResult(line);
  }
  const auto apart = losses.TellApart();
  ASSERT_TRUE(apart.has_value());
  EXPECT_EQ(apart->better, "a");
  ASSERT_TRUE(apart->games_by_loss && apart->games_by_result);
  EXPECT_EQ(*apart->games_by_loss, 2);  // the fewest that have an interval
  EXPECT_NEAR(*apart->games_by_result, 1.959964 * 1.959964 * 0.789474 / 0.25, 0.01);
}

}  // namespace
}  // namespace openseat::arena
