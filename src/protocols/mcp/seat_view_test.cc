#include "protocols/mcp/seat_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/mcp/play_test_support.h"
#include "schema/schema.h"

namespace openseat::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class SeatViewTest : public ::testing::Test {
 protected:
  SeatView Look(const TableId& id, SeatIndex seat, std::uint64_t since = 0, Detail detail = Detail::kNone) {
    return LookAtSeat(hall_.At(id), hall_.AgentAt(id, seat), since, detail);
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
  static Presentation Show(const SeatView& view) {
    static const auto schema = *schema::Schema::Compile(PresentationSchema());
    Presentation shown(view, "epoch");
    EXPECT_TRUE(schema->IsValid(shown.structured())) << json::Write(shown.structured());
    return shown;
  }

  Hall hall_;
};

TEST_F(SeatViewTest, WhoIsAskedSeesTheChoices) {
  const TableId id = hall_.Match("tictactoe", {"external", "external"});
  const SeatView view = Look(id, 0);
  EXPECT_EQ(view.status, SeatView::Status::kYourTurn);
  EXPECT_EQ(view.name, "external0");
  EXPECT_EQ(view.table, id.str());
  ASSERT_TRUE(view.decision);
  const Presentation shown = Show(view);
  EXPECT_EQ(shown.decision(), "1.epoch");
  ASSERT_THAT(shown.options(), SizeIs(9)) << "every place that is free";
  EXPECT_EQ(shown.options()[0].id, "1");
  EXPECT_EQ(shown.options()[0].action, "move");
  EXPECT_THAT(shown.text(), HasSubstr("DECISION 1.epoch"));
  EXPECT_THAT(shown.text(), HasSubstr(R"(  9: move {"position":[2,2]})"));
  EXPECT_THAT(shown.text(), HasSubstr("Next: call act"));
  EXPECT_EQ(shown.structured().at("actions").as_array().at(0).at("choices").as_array().size(), 9u);
}

TEST_F(SeatViewTest, WhoWaitsSeesNothingToChoose) {
  const TableId id = hall_.Match("tictactoe", {"external", "external"});
  const SeatView view = Look(id, 1);
  EXPECT_EQ(view.status, SeatView::Status::kWaiting);
  const Presentation shown = Show(view);
  EXPECT_THAT(shown.options(), IsEmpty());
  EXPECT_EQ(shown.decision(), "");
  EXPECT_FALSE(shown.structured().contains("actions"));
  EXPECT_THAT(shown.text(), HasSubstr("wait_for_turn"));
}

TEST_F(SeatViewTest, WhatWasToldBeforeIsLeftOut) {
  const TableId id = hall_.Match("tictactoe", {"external", "external"});
  dynamic_cast<Match&>(hall_.At(id)).Say(0, "hello\x07 there");
  hall_.scheduler.Run();
  const SeatView view = Look(id, 1);
  ASSERT_THAT(view.events, SizeIs(2)) << "that it began, and what was said";
  EXPECT_THAT(view.events[1], HasSubstr("hello there"));
  EXPECT_THAT(view.events[1], Not(HasSubstr("\x07")));
  EXPECT_THAT(Show(view).text(), HasSubstr("no instructions"));
  EXPECT_THAT(Look(id, 1, view.version).events, IsEmpty());
  EXPECT_THAT(Look(id, 0).events, SizeIs(1)) << "who spoke is not told";
}

TEST_F(SeatViewTest, DetailIsShownWhereItIsAskedFor) {
  const TableId id = hall_.Match("netrunner", {"external", "external"});
  const SeatView none = Look(id, 0);
  EXPECT_EQ(none.description, "");
  EXPECT_TRUE(none.observation.is_null());
  const SeatView text = Look(id, 0, 0, Detail::kText);
  EXPECT_NE(text.description, "");
  EXPECT_TRUE(text.observation.is_null());
  const SeatView all = Look(id, 0, 0, Detail::kAll);
  EXPECT_TRUE(all.observation.is_object());
  EXPECT_TRUE(Show(all).structured().contains("state"));
  EXPECT_EQ(json::Write(all.observation), json::Write(*hall_.At(id).Look(Viewer::Seat(0)))) << "its own, and no more";
}

TEST_F(SeatViewTest, TheEndIsSaid) {
  const TableId id = hall_.Match("tictactoe", {"external", "external"});
  for (const auto& [seat, place] : {std::pair{0, "[0,0]"}, {1, "[1,0]"}, {0, "[0,1]"}, {1, "[1,1]"}, {0, "[0,2]"}}) {
    Act(id, static_cast<SeatIndex>(seat), R"({"position":)" + std::string(place) + "}");
  }
  const SeatView view = Look(id, 1);
  EXPECT_EQ(view.status, SeatView::Status::kOver);
  EXPECT_THAT(view.outcome, HasSubstr("external0 won"));
  const Presentation shown = Show(view);
  EXPECT_THAT(shown.text(), HasSubstr("GAME OVER: external0 won"));
  EXPECT_EQ(shown.structured().at("status"), json::Value("game_over"));
}

TEST_F(SeatViewTest, ActionsWithTooManyChoicesComeAsASchema) {
  SeatView view;
  view.status = SeatView::Status::kMayAct;
  auto say = std::make_shared<Action>();
  say->name = "say";
  say->description = "Says something";
  say->schema = *json::Parse(R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})");
  auto wave = std::make_shared<Action>();
  wave->name = "wave";
  view.actions = {say, wave};
  const Presentation shown = Show(view);
  ASSERT_THAT(shown.options(), SizeIs(1));
  EXPECT_EQ(shown.options()[0].action, "wave");
  EXPECT_TRUE(shown.options()[0].data.is_null());
  EXPECT_EQ(shown.decision(), "free.epoch");
  EXPECT_THAT(shown.text(), HasSubstr(R"(call act with action "say" and data by this JSON Schema)"));
  EXPECT_TRUE(shown.structured().at("actions").as_array().at(0).as_object().contains("schema"));
}

TEST(CleanText, TakesOutWhatIsNoText) {
  EXPECT_EQ(CleanText("a\x1b[31m\tb\nc\x7f", 100), "a[31m\tb\nc");
  EXPECT_LE(CleanText(std::string(100, 'x'), 20).size(), 23u);
}

}  // namespace
}  // namespace openseat::mcp
