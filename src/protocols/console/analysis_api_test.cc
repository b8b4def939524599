#include "protocols/console/analysis_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "games/tictactoe/tictactoe.h"
#include "net/test_client.h"
#include "net/test_server.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::console {
namespace {

using ::testing::HasSubstr;

// A row for the first player, whom nobody stops.
constexpr const char* kCells[] = {"[0,0]", "[1,0]", "[0,1]", "[1,1]", "[0,2]"};

class AnalysisApiTest : public ::testing::Test {
 protected:
  AnalysisApiTest() {
    Record("over", 5, R"({"kind":"hosted","game":"tictactoe","seed":7})");
    Record("under-way", 4, R"({"kind":"hosted","game":"tictactoe","seed":7})");
    Record("secret", 5, R"({"kind":"hosted","game":"tictactoe","seed":7,"invite":"abc"})");
    Record("elsewhere", 0, R"({"kind":"remote","game":"Tic-Tac-Toe"})");
  }
  // `second`: who plays the second seat, if not a person.
  void Record(const std::string& id, int choices, const std::string& opened, const std::string& second = "") {
    std::vector<Event> events = {{EventKind::kOpened, {}, opened}};
    if (choices > 0) {
      const bool person = second.empty();
      const std::string agent = R"("agent":{"kind":")";
      events.push_back(
          {EventKind::kJoined, {}, R"({"seat":0,"name":"Ann",)" + (person ? R"("token":"a"})" : agent + "random\"}}")});
      events.push_back({EventKind::kJoined,
                        {},
                        R"({"seat":1,"name":"Bo",)" + (person ? R"("token":"b"})" : agent + second + "\"}}")});
    }
    journal_.Append(TableId(id), 0, std::move(events), scheduler_, {});
    for (int i = 0; i < choices; ++i) Play(id, i);
  }
  void Play(const std::string& id, int i) {
    const std::string seat = std::to_string(i % 2);
    const Event played{
        EventKind::kPlayed, {}, R"({"seat":)" + seat + R"(,"action":"move","data":{"position":)" + kCells[i] + "}}"};
    journal_.Append(TableId(id), journal_.Read(TableId(id), 0, 100)->back().seq, {played}, scheduler_, {});
  }
  std::string Ask(const std::string& method, const std::string& id, int status, const std::string& body = "") {
    return Ask(server_, method, id + "/analysis", status, body);
  }
  static std::string Ask(net::TestServer& server, const std::string& method, const std::string& path, int status,
                         const std::string& body = "") {
    net::TestClient client(server.port());
    const auto answer = client.Request(
        method + " /api/v1/tables/" + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
        (body.empty() ? ""
                      : "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n") +
        "\r\n" + body);
    EXPECT_EQ(answer.status, status) << answer.body;
    return answer.body;
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  std::unique_ptr<Game> game_ = games::MakeTicTacToe();
  AnalysisApi api_{journal_, [this](std::string_view id) { return id == "tictactoe" ? game_.get() : nullptr; }};
  net::TestServer server_{[this](net::Router& router) { api_.AddRoutes(router); }};
};

TEST_F(AnalysisApiTest, JudgesAMatchThatIsOver) {
  EXPECT_THAT(Ask("GET", "over", 200), HasSubstr(R"("status":"none")"));
  Ask("POST", "over", 202, R"({"iterations":20000})");
  std::string body;
  while (body.find(R"("decisions")") == std::string::npos) body = Ask("GET", "over", 200);
  EXPECT_THAT(body, HasSubstr(R"("status":"done","iterations":20000,"done":5,"of":5)"));
  const json::Value answer = *json::Parse(body);
  // Only the center answers a corner.
  EXPECT_EQ(answer.at("decisions").at(1).at("mark"), json::Value("blunder"));
  // What is known is not searched again.
  EXPECT_THAT(Ask("POST", "over", 202, R"({"iterations":500})"), HasSubstr(R"("status":"done")"));
}

TEST_F(AnalysisApiTest, SaysNothingOfAMatchThatGoesOn) {
  EXPECT_THAT(Ask("POST", "under-way", 409), HasSubstr("the match is not over"));
  EXPECT_THAT(Ask("GET", "under-way", 409), HasSubstr("the match is not over"));
}

TEST_F(AnalysisApiTest, FollowsAMatchInWhichNobodyCanLook) {
  constexpr const char* kOpened = R"({"kind":"hosted","game":"tictactoe","seed":7})";
  Record("agents", 2, kOpened, "random");
  Record("outside", 2, kOpened, "external");
  AnalysisApi api(journal_, [this](std::string_view) { return game_.get(); },
                  {.iterations = 20'000, .plays_here = [](const AgentSpec& agent) { return agent.kind == "random"; }});
  net::TestServer server([&api](net::Router& router) { api.AddRoutes(router); });
  constexpr const char* kNone = R"({"status":"none"})";
  EXPECT_EQ(Ask(server, "GET", "under-way/analysis?live=true", 200), kNone) << "people play";
  EXPECT_EQ(Ask(server, "GET", "outside/analysis?live=true", 200), kNone);
  EXPECT_EQ(Ask(server, "GET", "elsewhere/analysis?live=true", 200), kNone);
  EXPECT_EQ(Ask(server_, "GET", "agents/analysis?live=true", 200), kNone) << "unless the server wants it";
  Ask(server, "GET", "nowhere/analysis?live=true", 404);
  Ask(server, "GET", "agents/analysis?live=perhaps", 400);
  for (const char* method : {"GET", "POST"}) {
    EXPECT_THAT(Ask(server, method, "agents/analysis", 409), HasSubstr("the match is not over"));
  }
  const auto judged = [&](int choices) {
    const std::string wanted = R"("done":)" + std::to_string(choices) + R"(,"of":)" + std::to_string(choices);
    std::string body;
    while (body.find(wanted) == std::string::npos) body = Ask(server, "GET", "agents/analysis?live=true", 200);
    EXPECT_THAT(body, HasSubstr(R"("status":"live")"));
    return json::Parse(body)->at("decisions");
  };
  const json::Value two = judged(2);
  EXPECT_EQ(two.at(1).at("mark"), json::Value("blunder"));
  Play("agents", 2);
  const json::Value three = judged(3);
  EXPECT_EQ(three.at(0), two.at(0));
  EXPECT_EQ(three.at(1), two.at(1));
  Play("agents", 3);
  Play("agents", 4);
  EXPECT_EQ(Ask(server, "GET", "agents/analysis?live=true", 200), kNone) << "it is over";
  Ask(server, "POST", "agents/analysis", 202);
}

TEST_F(AnalysisApiTest, RefusesWhatItCannotOrMayNotDo) {
  Ask("GET", "nowhere", 404);
  Ask("POST", "secret.wrong", 404);
  Ask("POST", "elsewhere", 501);
  EXPECT_THAT(Ask("POST", "over", 400, R"({"iterations":20001})"), HasSubstr("iterations must be 16 to 20000"));
  EXPECT_THAT(Ask("POST", "over", 400, R"({"iterations":"many"})"), HasSubstr("iterations must be"));
  EXPECT_LT(Ask("POST", "over", 400, R"({"iterations":")" + std::string(1000, '9') + "\"}").size(), 300u);
}

}  // namespace
}  // namespace openseat::console
