// A Neuro game with nearly 1 MB of actions, which are five times as long once they are written: who reads them again
// and again, or is told of them, holds nobody up.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_of_games.h"
#include "attack/attacks_over_mcp.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

// Accepts webhooks, one at a time.
class HookReceiver {
 public:
  HookReceiver() : thread_([this] { Run(); }) {}
  ~HookReceiver() {
    over_ = true;
    const net::TestClient wakes(listener_.port());
    thread_.join();
  }
  HookReceiver(const HookReceiver&) = delete;
  HookReceiver& operator=(const HookReceiver&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.port()) + "/"; }
  // How many bytes came in all before one had this text, itself included; 0 if none comes for a minute.
  std::size_t BytesUntil(std::string_view text) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < deadline) {
      {
        const std::lock_guard lock(mutex_);
        for (; read_ < bodies_.size(); ++read_) {
          bytes_ += bodies_[read_].size();
          if (std::exchange(bodies_[read_], {}).find(text) != std::string::npos) return bytes_;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return 0;
  }

 private:
  void Run() {
    constexpr std::string_view kLength = "content-length: ";
    while (!over_) {
      const std::unique_ptr<net::TestClient> connection = listener_.Accept();
      if (over_) return;
      std::string head = connection->ReadUntil("\r\n\r\n");
      for (char& c : head) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      const std::size_t at = head.find(kLength);
      if (at == std::string::npos) continue;
      std::string body = connection->Read(std::stoul(head.substr(at + kLength.size())));
      connection->Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      const std::lock_guard lock(mutex_);
      bodies_.push_back(std::move(body));
    }
  }

  net::TestListener listener_;
  std::atomic<bool> over_ = false;
  std::mutex mutex_;
  std::vector<std::string> bodies_;
  std::size_t read_ = 0;   // of them
  std::size_t bytes_ = 0;  // of these
  std::thread thread_;     // last: it uses the others
};

class LongActions : public Attack {
 protected:
  // The game's seat is played by this agent; what the server says of it.
  json::Value Seat(const json::Object& agent) {
    return server().Post("/api/v1/tables/" + TableOf("Attacker") + "/seats/0/agent", agent);
  }
  static std::string Get(const std::string& path, const std::string& key) {
    return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nX-JNet-API: " + key + "\r\n\r\n";
  }
  // The game's seat is played from outside, and has all actions; its token.
  std::string TakeSeat() {
    const json::Value seat = Seat(json::Object{{"kind", "external"}});
    std::string token(json::TextOf(seat, "token"));
    net::TestClient client(server().port());
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (client.Request(Get("/game/actions", token)).body.find("go_499") == std::string::npos) {
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("the actions are not there");
    }
    return token;
  }
  static json::Object ForceOf(const json::Array& names) { return {{"query", "Choose."}, {"action_names", names}}; }
  // Connects them when it begins.
  std::vector<std::unique_ptr<net::TestClient>> Clients(std::size_t count) {
    std::vector<std::unique_ptr<net::TestClient>> clients;
    for (std::size_t i = 0; i < count; ++i) clients.push_back(std::make_unique<net::TestClient>(server().port()));
    return clients;
  }
  void ExpectPeace() {
    ExpectUnnoticed(20);
    ExpectNoStall();
    ExpectMemoryBelow(300 * kMiB);
  }
};

TEST_F(LongActions, PollsOverTheAgentApi) {
  Start();
  WireGame game(server(), "Attacker");
  RegisterLongActions(game);
  const std::string key = TakeSeat();
  const auto clients = Clients(8);
  for (std::size_t round = 0; round < Scaled(10); ++round) {
    // Other actions than before.
    game.Register("more_" + std::to_string(round), nullptr);
    for (const auto& client : clients) client->Send(Get("/game/actions", key) + Get("/game/state", key));
    for (const auto& client : clients) {
      const net::TestClient::Answer actions = client->ReadAnswer();
      EXPECT_EQ(actions.status, 200);
      EXPECT_TRUE(actions.body.ends_with("}") && actions.body.find("go_499") != std::string::npos) << "all of them";
      EXPECT_THAT(client->ReadAnswer().body, HasSubstr("too-long"));
    }
  }
  ExpectPeace();
}

// A few bytes of the game wake them all.
TEST_F(LongActions, WaitersOverTheAgentApi) {
  Start();
  WireGame game(server(), "Attacker");
  RegisterLongActions(game);
  const std::string key = TakeSeat();
  const auto clients = Clients(16);
  net::TestClient first(server().port());
  for (std::size_t round = 0; round < Scaled(10); ++round) {
    const auto now = json::Parse(first.Request(Get("/game/state", key)).body);
    ASSERT_TRUE(now);
    const std::string since = json::Write(now->at("version"));
    for (const auto& client : clients) client->Send(Get("/game/state?wait=30&since=" + since, key));
    Talk(game, 1, 50);
    for (const auto& client : clients) EXPECT_EQ(client->ReadAnswer().status, 200);
  }
  ExpectPeace();
}

TEST_F(LongActions, ToldByWebhooks) {
  Start();
  HookReceiver receiver;
  WireGame game(server(), "Attacker");
  const json::Array names = RegisterLongActions(game);
  Seat(json::Object{{"kind", "webhook"}, {"url", receiver.url()}, {"key", "secret"}});
  const auto say = [&](const std::string& message) {
    game.Send("context", json::Object{{"message", message}, {"silent", true}});
  };
  for (std::size_t round = 0; round < Scaled(10); ++round) {
    const std::string mark = "of round " + std::to_string(round) + ".";
    // Each change is told, and each force.
    game.Register("more_" + std::to_string(round), nullptr);
    game.Send("actions/force", ForceOf(names));
    for (int i = 0; i < 200; ++i) say("This is the context number " + std::to_string(i) + " of two hundred");
    say("the last " + mark);
    const std::size_t bytes = receiver.BytesUntil("the last " + mark);
    EXPECT_GT(bytes, 0u);
    EXPECT_LT(bytes, (round + 1) * 500'000) << "the actions are not repeated";
  }
  ExpectPeace();
}

TEST_F(LongActions, StatesOverMcp) {
  Start();
  WireGame game(server(), "Attacker");
  const json::Array names = RegisterLongActions(game);
  const std::string seat = R"({"token":")" + TakeSeat() + '"';
  game.Send("actions/force", ForceOf(names));
  const auto clients = Clients(4);
  for (std::size_t round = 0; round < Scaled(5); ++round) {
    for (const auto& client : clients) {
      client->Send(mcp::Call("get_state", seat + "}") + mcp::Call("wait_for_turn", seat + R"(,"timeout_s":1})") +
                   mcp::Call("act", seat + R"(,"decision":"none","choice":"1"})"));
    }
    for (const auto& client : clients) {
      const std::string state = client->ReadAnswer().body;
      EXPECT_THAT(state, HasSubstr(R"("more_actions":true)"));
      EXPECT_LT(state.size(), 500'000u);
      EXPECT_LT(client->ReadAnswer().body.size(), 500'000u);
      EXPECT_LT(client->ReadAnswer().body.size(), 500'000u);
    }
    // As many as one address may have written at once.
    for (const auto& client : clients) client->Send(mcp::Call("get_state", seat + R"(,"detail":"full"})"));
    for (const auto& client : clients) EXPECT_GT(client->ReadAnswer().body.size(), 5'000'000u);
  }
  ExpectPeace();
}

}  // namespace
}  // namespace openseat::tests
