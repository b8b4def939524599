// Journals of hosted matches from before every choice went through a seat: with choices and verdicts, without results,
// and with only the played choices of clients. testdata/*.jsonl has their events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "games/narrative/narrative.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "match/replay.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Does what the test does at its seat.
class Idle final : public Agent {
 public:
  std::string_view kind() const override { return "idle"; }
  void OnSeated(Seat&) override {}
  void OnDecision(const Decision&) override {}
};

class OldJournal : public ::testing::Test {
 protected:
  void Load(const std::string& name) {
    std::ifstream file("src/match/testdata/" + name + ".jsonl");
    std::vector<Event> events;
    for (std::string line; std::getline(file, line);) {
      const json::Value event = *json::Parse(line);
      std::uint8_t kind = 0;
      while (EventKindName(static_cast<EventKind>(kind)) != json::View(event.at("kind").as_string())) ++kind;
      events.push_back({static_cast<EventKind>(kind), scheduler_.clock().Now(), json::Write(event.at("payload"))});
    }
    ASSERT_FALSE(events.empty());
    journal_.Append(id_, 0, std::move(events), scheduler_, nullptr);
  }
  Match& Recover() {
    lobby_.reset();
    directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
    lobby_ = std::make_unique<Lobby>(
        games_, MatchRules{}, std::chrono::minutes(5), *directory_, journal_,
        [](const AgentSpec&) -> Result<std::unique_ptr<Agent>> { return std::make_unique<Idle>(); });
    EXPECT_EQ(lobby_->Recover()->matches, 1u);
    Run();
    return dynamic_cast<Match&>(*directory_->Local(scheduler_, id_));
  }
  void Run() {
    for (int i = 0; i < 10; ++i) scheduler_.Run();
  }
  // The code of a refusal, or "played".
  std::string Choose(Match& match, SeatIndex seat, const char* action, const char* data) {
    const auto out = std::make_shared<std::string>("no answer");
    const auto told = [out](const Verdict& verdict) {
      *out = verdict.accepted() ? "played" : ErrorCodeName(verdict.code);
    };
    EXPECT_TRUE(match.seat(seat).Choose({.action = action, .data = *json::Parse(data)}, told).has_value());
    Run();
    return *out;
  }
  std::vector<std::string> Steps(const Match& match, const char* viewer) {
    std::vector<std::string> steps;
    Result<Replay> replay = Replay::Open(journal_, *match.game(), id_, viewer);
    EXPECT_TRUE(replay.has_value());
    EXPECT_TRUE(replay->Run(0, [&](const json::Object& step) {
      steps.push_back(json::Write(step));
      return true;
    }));
    return steps;
  }

  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::unique_ptr<Game> narrative_ = games::MakeNarrative();
  const std::array<const Game*, 2> games_{tictactoe_.get(), narrative_.get()};
  const TableId id_{"old-match"};
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  std::unique_ptr<TableDirectory> directory_;
  std::unique_ptr<Lobby> lobby_;
};

constexpr auto kBoard = R"("board":[["X"," "," "],[" ","O"," "],[" "," "," "]])";

TEST_F(OldJournal, OfAgentsGoesOn) {
  Load("agents");
  Match& match = Recover();
  EXPECT_THAT(json::Write(match.SightOf(Viewer::Spectator())->Observe()), HasSubstr(kBoard));
  ASSERT_NE(match.seat(0).decision(), nullptr);
  EXPECT_EQ(match.seat(0).decision()->id, DecisionId(3)) << "as it was asked before";
  EXPECT_THAT(Steps(match, "0"), Contains(HasSubstr(R"("kind":"verdict","payload":{"seat":0,"choice":1,)")));
  EXPECT_THAT(Steps(match, "spectator").back(), HasSubstr(kBoard));
  EXPECT_EQ(Choose(match, 0, "move", R"({"position":[1,1]})"), "incorrect-move");
  EXPECT_EQ(Choose(match, 0, "move", R"({"position":[0,1]})"), "played");
  EXPECT_THAT(journal_.Payloads(id_, EventKind::kPlayed).back(), HasSubstr(R"("decision":3,"action":"move")"));
  const json::Value before = match.SightOf(Viewer::Spectator())->Observe();
  EXPECT_EQ(Recover().SightOf(Viewer::Spectator())->Observe(), before) << "old and new events in one";
}

TEST_F(OldJournal, OfClientsGoesOn) {
  Load("clients");
  Match& match = Recover();
  EXPECT_THAT(json::Write(match.SightOf(Viewer::Spectator())->Observe()), HasSubstr(kBoard));
  EXPECT_EQ(match.Info().at("seats").at(0).at("agent"), json::Value("client"));
  EXPECT_EQ(match.Info().at("seats").at(0).at("present"), json::Value(false));
  EXPECT_EQ(match.seat(0).decision()->id, DecisionId(3));
  const Result<JoinedSeat> ana = match.Resume("Ana", "token-of-ana");
  ASSERT_TRUE(ana.has_value());
  std::string out;
  match.Choose(0, ana->lease, {.action = "move", .data = *json::Parse(R"({"position":[0,1]})")},
               [&](const Verdict& verdict) { out = verdict.accepted() ? "played" : verdict.message; });
  Run();
  EXPECT_EQ(out, "played");
  EXPECT_THAT(Steps(match, "Bob").back(), HasSubstr(R"("kind":"decision","payload":{"seat":1,"decision":4,)"));
  const json::Value before = match.SightOf(Viewer::Spectator())->Observe();
  EXPECT_EQ(Recover().SightOf(Viewer::Spectator())->Observe(), before);
}

TEST_F(OldJournal, OfWholeTurnsGoesOn) {
  Load("whole_turns");
  Match& match = Recover();
  EXPECT_EQ(games::narrative::StoryOf(match.state())->turns().size(), 2u);
  EXPECT_THAT(Steps(match, "spectator").back(), HasSubstr("It rains, twice."));
  EXPECT_EQ(match.seat(1).decision()->id, DecisionId(4));
  EXPECT_EQ(Choose(match, 1, "say", R"({"text":"I go."})"), "no answer");
  EXPECT_EQ(Choose(match, 0, "narrate",
                   R"({"narrative":"Sun.","emotion":"sad","choices":[{"id":"a1b2c3d4-e5f6-7890-abcd-ef1234567891",)"
                   R"("label":"Stay"}]})"),
            "played");
  EXPECT_EQ(games::narrative::StoryOf(Recover().state())->turns().size(), 3u);
}

}  // namespace
}  // namespace openseat
