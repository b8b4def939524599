// Calls that wait: for news, and at tables that go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "agents/external/external_agent.h"
#include "net/test_client.h"
#include "protocols/agent_api/seat_answers.h"
#include "protocols/agent_api/test_api.h"

namespace openseat::agent_api {
namespace {

using ::testing::HasSubstr;

using AgentApiWaits = AgentApiTest;

TEST_F(AgentApiWaits, ALongPollIsAnsweredWhenSomethingHappens) {
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  WaitForTurn(seats[0].key);
  const json::Value state = Get("state", seats[1].key).body;
  const std::string version = json::Write(state.at("version"));
  EXPECT_EQ(state.at("phase"), json::Value("waiting"));
  std::promise<void> asking;
  auto polled = std::async(std::launch::async, [&] {
    asking.set_value();
    return Get("state?wait=60&since=" + version, seats[1].key);
  });
  asking.get_future().wait();
  EXPECT_EQ(Post("action", seats[0].key, R"({"command":"move","args":{"position":[0,0]}})").status, 200);
  const Answer woken = polled.get();
  EXPECT_EQ(woken.status, 200);
  EXPECT_GT(woken.body.at("version").to_number<std::uint64_t>(), state.at("version").to_number<std::uint64_t>());
  EXPECT_EQ(Get("state?wait=60&since=0", seats[1].key).status, 200) << "it knows less than there is";
}

TEST_F(AgentApiWaits, SoManyCallsWaitForASeatAndTheNextIsToldWhenToRetry) {
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  WaitForTurn(seats[0].key);
  const std::string version = json::Write(Get("state", seats[1].key).body.at("version"));
  const std::string poll = "GET /game/state?wait=60&since=" + version +
                           " HTTP/1.1\r\nHost: localhost\r\nX-JNet-API: " + seats[1].key + "\r\n\r\n";
  std::vector<std::unique_ptr<net::TestClient>> waiting;
  for (std::size_t i = 0; i < ExternalAgent::kMostCallers; ++i) {
    waiting.push_back(std::make_unique<net::TestClient>(server_->port()));
    waiting.back()->Send(poll);
    Get("state", seats[1].key);  // by then it waits
  }
  net::TestClient client(server_->port());
  const net::TestClient::Answer refused = client.Request(poll);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_THAT(refused.body, HasSubstr(R"({"message":"the fixed limit seat.calls is reached: 16 calls)"));
  EXPECT_EQ(Post("action", seats[0].key, R"({"command":"move","args":{"position":[0,0]}})").status, 200);
  for (const auto& each : waiting) EXPECT_EQ(each->ReadAnswer().status, 200);
}

TEST_F(AgentApiWaits, WhoWaitsIsNotToldWhatItsKeyOpensNoMore) {
  account_ = Account("ana");
  const CreatedKey account_key = Key(account_);
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "account"});
  WaitForTurn(seats[0].key);
  const auto poll = [&](const std::string& key) {
    const std::string version = json::Write(Get("state", key).body.at("version"));
    auto client = std::make_unique<net::TestClient>(server_->port());
    client->Send("GET /game/state?wait=60&since=" + version + " HTTP/1.1\r\nHost: localhost\r\nX-JNet-API: " + key +
                 "\r\n\r\n");
    Get("state", key);  // by then the other call waits
    return client;
  };
  const auto revoked = poll(account_key.secret);
  OnShard<int>([&](std::promise<int>& done) {
    registry_.RevokeKey(account_key.key.id, shards_.at(0), [&](const Result<ApiKey>&) { done.set_value(0); });
  });
  const auto replaced = poll(seats[1].key);
  // Another agent from outside, with its own secrets.
  OnShard<int>([&](std::promise<int>& done) {
    json::Object options;
    MintSeat(options);
    directory_.Local(shards_.at(0), TableId(match_))
        ->seat(1)
        .SetAgent(std::make_unique<ExternalAgent>(*ParseExternalAgentOptions(options)));
    done.set_value(0);
  });
  const net::TestClient::Answer first = revoked->ReadAnswer();
  EXPECT_EQ(first.status, 403);
  EXPECT_THAT(first.body, HasSubstr("revoked"));
  const net::TestClient::Answer second = replaced->ReadAnswer();
  EXPECT_EQ(second.status, 404);
  EXPECT_THAT(second.body, HasSubstr("Unknown X-JNet-API key"));
}

TEST_F(AgentApiWaits, WhoWaitsAtATableThatGoesAwayIsToldToAskAgain) {
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  WaitForTurn(seats[0].key);
  const std::string version = json::Write(Get("state", seats[1].key).body.at("version"));
  net::TestClient client(server_->port());
  client.Send("GET /game/state?wait=60&since=" + version +
              " HTTP/1.1\r\nHost: localhost\r\nX-JNet-API: " + seats[1].key + "\r\n\r\n");
  Get("state", seats[1].key);  // by then the other call waits
  OnShard<int>([&](std::promise<int>& done) {
    lobby_.Leave([](const TableId&) { return true; }, [&done] { done.set_value(0); });
  });
  const net::TestClient::Answer answer = client.ReadAnswer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  EXPECT_THAT(answer.body, HasSubstr("ask again"));
}

TEST_F(AgentApiWaits, ASeatThatGoesAwayLeavesOpenWhetherTheActionCounted) {
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  WaitForTurn(seats[0].key);
  const auto answer = OnShard<SeatAnswer>([&](std::promise<SeatAnswer>& done) {
    Table& table = *directory_.Local(shards_.at(0), TableId(match_));
    ActAtSeat("action", table, *ExternalAt(table, 0), R"({"command":"move","args":{"position":[0,0]}})", {},
              [&done](const SeatAnswer& told) { done.set_value(told); });
    table.seat(0).SetAgent(nullptr);
  });
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(json::Write(answer.body), HasSubstr("whether the action counted is not known"));
}

}  // namespace
}  // namespace openseat::agent_api
