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
  void Record(const std::string& id, int choices, const std::string& opened) {
    std::vector<Event> events = {{EventKind::kOpened, {}, opened}};
    if (choices > 0) {
      events.push_back({EventKind::kJoined, {}, R"({"seat":0,"name":"Ann","token":"a"})"});
      events.push_back({EventKind::kJoined, {}, R"({"seat":1,"name":"Bo","token":"b"})"});
    }
    for (int i = 0; i < choices; ++i) {
      events.push_back(
          {EventKind::kPlayed,
           {},
           R"({"seat":)" + std::to_string(i % 2) + R"(,"action":"move","data":{"position":)" + kCells[i] + "}}"});
    }
    journal_.Append(TableId(id), 0, std::move(events), scheduler_, {});
  }
  std::string Ask(const std::string& method, const std::string& id, int status, const std::string& body = "") {
    net::TestClient client(server_.port());
    const auto answer = client.Request(
        method + " /api/v1/tables/" + id + "/analysis HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
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
