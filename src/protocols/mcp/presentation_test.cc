#include "protocols/mcp/presentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "protocols/mcp/play_test_support.h"
#include "schema/schema.h"

namespace openseat::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class PresentationTest : public ::testing::Test {
 protected:
  SeatView Look(const TableId& id, SeatIndex seat, std::uint64_t since = 0) {
    return LookAt(hall_.At(id), Viewer::Seat(seat), since);
  }
  void Act(const TableId& id, SeatIndex seat, const std::string& data) {
    ExternalAgent& agent = hall_.AgentAt(id, seat);
    Choice choice;
    choice.action = "move";
    choice.data = *json::Parse(data);
    choice.decision = agent.seat()->decision()->id;
    bool accepted = false;
    agent.Act(std::move(choice), [&](const Result<Verdict>& verdict) { accepted = verdict && verdict->accepted(); });
    hall_.scheduler.Run();
    EXPECT_TRUE(accepted);
  }
  // What a host gets fits what the tools say of it.
  static Presentation Show(const SeatView& view, Detail detail = Detail::kNone) {
    static const auto schema = *schema::Schema::Compile(PresentationSchema());
    Presentation shown(view, "epoch", detail);
    EXPECT_TRUE(schema->IsValid(shown.structured())) << json::Write(shown.structured());
    return shown;
  }

  Hall hall_;
};

TEST_F(PresentationTest, WhoIsAskedSeesTheChoices) {
  const TableId id = hall_.Match("tictactoe", {"external", "external"});
  const SeatView view = Look(id, 0);
  EXPECT_EQ(StatusOf(view), Status::kYourTurn);
  ASSERT_NE(AskedOf(view), nullptr);
  const Presentation shown = Show(view);
  EXPECT_EQ(shown.structured().at("name"), json::Value("external0"));
  EXPECT_EQ(shown.structured().at("table"), json::Value(id.str()));
  EXPECT_EQ(shown.decision(), "1.epoch");
  ASSERT_THAT(shown.options(), SizeIs(9)) << "every place that is free";
  EXPECT_EQ(shown.options()[0].id, "1");
  EXPECT_EQ(shown.options()[0].action, "move");
  EXPECT_THAT(shown.text(), HasSubstr("DECISION 1.epoch"));
  EXPECT_THAT(shown.text(), HasSubstr("  9: bottom right\n"));
  EXPECT_THAT(shown.text(), HasSubstr("Next: call act"));
  ASSERT_EQ(shown.structured().at("choices").as_array().size(), 9u);
  EXPECT_EQ(json::Write(shown.structured().at("choices").at(8)), R"({"id":"9","label":"bottom right"})");
}

TEST_F(PresentationTest, WhoWaitsSeesNothingToChoose) {
  const TableId id = hall_.Match("tictactoe", {"external", "external"});
  const SeatView view = Look(id, 1);
  EXPECT_EQ(StatusOf(view), Status::kWaiting);
  EXPECT_EQ(AskedOf(view), nullptr);
  const Presentation shown = Show(view);
  EXPECT_THAT(shown.options(), IsEmpty());
  EXPECT_EQ(shown.decision(), "");
  EXPECT_FALSE(shown.structured().contains("choices"));
  EXPECT_THAT(shown.text(), HasSubstr("wait_for_turn"));
}

TEST_F(PresentationTest, WhatWasToldBeforeIsLeftOut) {
  const TableId id = hall_.Match("tictactoe", {"external", "external"});
  ASSERT_TRUE(hall_.At(id).Say(0, "hello\x07 there"));
  hall_.scheduler.Run();
  const SeatView view = Look(id, 1);
  const Presentation shown = Show(view);
  const json::Array& events = shown.structured().at("events").as_array();
  ASSERT_THAT(events, SizeIs(2)) << "that it began, and what was said";
  EXPECT_THAT(json::View(events[1].as_string()), HasSubstr("hello there"));
  EXPECT_THAT(shown.text(), Not(HasSubstr("\x07")));
  EXPECT_THAT(shown.text(), HasSubstr("not instructions"));
  EXPECT_FALSE(Show(Look(id, 1, view.version)).structured().contains("events"));
  EXPECT_THAT(Look(id, 0).told, SizeIs(1)) << "who spoke is not told";
}

TEST_F(PresentationTest, DetailIsShownWhereItIsAskedFor) {
  const TableId id = hall_.Match("netrunner", {"external", "external"});
  const SeatView waiting = Look(id, 1);
  EXPECT_FALSE(Show(waiting).structured().contains("description"));
  EXPECT_TRUE(Show(waiting, Detail::kText).structured().contains("description"));
  const SeatView view = Look(id, 0);
  const Presentation none = Show(view);
  EXPECT_TRUE(none.structured().contains("description")) << "of the question";
  EXPECT_FALSE(none.structured().contains("state"));
  EXPECT_FALSE(none.structured().at("choices").at(0).as_object().contains("action"));
  EXPECT_EQ(Show(view, Detail::kText).text(), none.text());
  const Presentation all = Show(view, Detail::kAll);
  EXPECT_EQ(all.structured().at("description"), none.structured().at("description"));
  EXPECT_EQ(json::Write(all.structured().at("state")), json::Write(view.sight->observation()))
      << "its own, and no more";
  EXPECT_EQ(json::Write(all.structured().at("choices").at(0)),
            R"({"id":"1","label":"Keep this hand","action":"choice","data":{"choice":"Keep"}})");
}

TEST_F(PresentationTest, WhatIsOfferedIsNamedOnce) {
  const TableId id = hall_.Match("netrunner", {"external", "external"});
  const Presentation shown = Show(Look(id, 0));
  ASSERT_THAT(shown.options(), SizeIs(2));
  EXPECT_EQ(shown.options()[0].label, "Keep this hand");
  EXPECT_EQ(shown.options()[1].label, "Mulligan: shuffle it away and draw 5 new cards");
  EXPECT_THAT(shown.text(), Not(HasSubstr("oncede")));
}

TEST_F(PresentationTest, TheEndIsSaid) {
  const TableId id = hall_.Match("tictactoe", {"external", "external"});
  for (const auto& [seat, place] : {std::pair{0, "[0,0]"}, {1, "[1,0]"}, {0, "[0,1]"}, {1, "[1,1]"}, {0, "[0,2]"}}) {
    Act(id, static_cast<SeatIndex>(seat), R"({"position":)" + std::string(place) + "}");
  }
  const SeatView view = Look(id, 1);
  EXPECT_EQ(StatusOf(view), Status::kOver);
  const Presentation shown = Show(view);
  EXPECT_THAT(shown.text(), HasSubstr("GAME OVER: external0 won"));
  EXPECT_EQ(shown.structured().at("status"), json::Value("game_over"));
}

TEST_F(PresentationTest, ActionsWithTooManyChoicesComeAsASchema) {
  SeatView view;
  view.viewer = Viewer::Seat(0);
  view.names = {"Ada"};
  auto say = std::make_shared<Action>();
  say->name = "say";
  say->description = "Says something";
  say->schema = *json::Parse(R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})");
  auto wave = std::make_shared<Action>();
  wave->name = "wave";
  view.free_actions.Put(say);
  view.free_actions.Put(wave);
  const Presentation shown = Show(view);
  ASSERT_THAT(shown.options(), SizeIs(1));
  EXPECT_EQ(shown.options()[0].action, "wave");
  EXPECT_TRUE(shown.options()[0].data.is_null());
  EXPECT_EQ(shown.decision(), "free.epoch");
  EXPECT_THAT(shown.text(), HasSubstr(R"(call act with action "say" and data by this JSON Schema)"));
  EXPECT_TRUE(shown.structured().at("actions").as_array().at(0).as_object().contains("schema"));
}

// Tic-tac-toe, but that more than is listed may be chosen.
class Open final : public Game {
 public:
  explicit Open(const Game& game) : game_(game), info_(game.info()) { info_.moves_complete = false; }
  const GameInfo& info() const override { return info_; }
  Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t seed,
                                             std::vector<std::string> names) const override {
    return game_.NewGame(options, seed, std::move(names));
  }
  Result<std::unique_ptr<GameState>> Restore(const json::Value& saved) const override { return game_.Restore(saved); }

 private:
  const Game& game_;
  GameInfo info_;
};

TEST_F(PresentationTest, ChoicesOfAGameWithFreeDataHaveItsWords) {
  const TableId id = hall_.Match("tictactoe", {"external", "external"});
  SeatView view = Look(id, 0);
  const Open open(*hall_.tictactoe);
  view.decision->sight = std::make_shared<const Sight>(open, *open.NewGame(nullptr, 1, {"A", "B"}), Viewer::Seat(0));
  view.sight = view.decision->sight;
  const Presentation shown = Show(view);
  ASSERT_THAT(shown.options(), SizeIs(9));
  EXPECT_EQ(shown.options()[8].label, "bottom right");
  EXPECT_THAT(shown.text(), Not(HasSubstr("move {")));
}

// A seat of a game elsewhere, with so many actions, the schema of each of so many bytes that are escaped.
SeatView OfGameElsewhere(std::size_t actions, std::size_t bytes) {
  SeatView view;
  view.table = TableId("far");
  view.title = "Far Away";
  view.names = {"player"};
  view.viewer = Viewer::Seat(0);
  for (std::size_t i = 0; i < actions; ++i) {
    const std::string title(bytes, '\x7f');
    // Every second one has two choices.
    json::Object schema = i % 2 == 0 ? json::Object{{"type", "string"}, {"title", title}}
                                     : json::Object{{"enum", json::Array{json::Value("no " + title), "yes"}}};
    view.free_actions.Put(std::make_shared<const Action>("action" + std::to_string(i), "", std::move(schema)));
  }
  return view;
}

TEST_F(PresentationTest, OfManyActionsElsewhereOnlyEverythingHasAll) {
  const SeatView view = OfGameElsewhere(500, 1'700);
  const Presentation all = Show(view, Detail::kAll);
  EXPECT_FALSE(all.structured().contains("more_actions"));
  EXPECT_EQ(all.structured().at("actions").at(498).at("schema").at("title"), json::Value(std::string(1'700, '\x7f')));
  for (const Detail detail : {Detail::kNone, Detail::kText}) {
    const Presentation shown = Show(view, detail);
    EXPECT_LT(json::Write(shown.structured()).size() + shown.text().size(), 300'000u);
    EXPECT_EQ(shown.structured().at("actions").as_array().size(), 500u) << "all names";
    EXPECT_EQ(shown.structured().at("more_actions"), json::Value(true));
    EXPECT_THAT(shown.text(), HasSubstr("get_state with detail \"full\""));
    EXPECT_TRUE(shown.structured().at("actions").at(0).as_object().contains("schema"));
    EXPECT_FALSE(shown.structured().at("actions").at(498).as_object().contains("schema"));
    ASSERT_EQ(shown.options().size(), all.options().size());
  }
  // Whatever was shown, an id means the same.
  const Presentation ids(view, "epoch", Detail::kIds);
  ASSERT_EQ(ids.options().size(), all.options().size());
  for (std::size_t i = 0; i < all.options().size(); ++i) {
    EXPECT_EQ(ids.options()[i].id, all.options()[i].id);
    EXPECT_EQ(ids.options()[i].action, all.options()[i].action);
    EXPECT_EQ(ids.options()[i].data, all.options()[i].data);
  }
  EXPECT_LT(ids.text().size(), 100u) << "nothing is written for who only looks an id up";
}

TEST_F(PresentationTest, LongNamesElsewhereAreLeftOutToo) {
  SeatView view = OfGameElsewhere(0, 0);
  for (int i = 0; i < 100; ++i) {
    view.free_actions.Put(std::make_shared<const Action>(std::to_string(i) + std::string(10'000, '\x7f'),
                                                         std::string(10'000, 'x'), std::nullopt));
  }
  const Presentation shown = Show(view);
  EXPECT_LT(json::Write(shown.structured()).size() + shown.text().size(), 300'000u);
  EXPECT_EQ(shown.structured().at("more_actions"), json::Value(true));
}

TEST_F(PresentationTest, FewActionsElsewhereAreShownWhole) {
  const Presentation shown = Show(OfGameElsewhere(4, 10));
  EXPECT_FALSE(shown.structured().contains("more_actions"));
  EXPECT_EQ(shown.options().size(), 4u);
  EXPECT_EQ(shown.structured().at("choices").as_array().size(), 4u);
  EXPECT_TRUE(shown.structured().at("actions").at(2).as_object().contains("schema"));
}

TEST(CleanText, TakesOutWhatIsNoText) {
  EXPECT_EQ(CleanText("a\x1b[31m\tb\nc\x7f", 100), "a[31m\tb\nc");
  EXPECT_LE(CleanText(std::string(100, 'x'), 20).size(), 23u);
}

}  // namespace
}  // namespace openseat::mcp
