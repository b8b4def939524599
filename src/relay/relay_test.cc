#include "relay/relay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "net/server.h"
#include "net/test_client.h"
#include "protocols/neuro/owner.h"
#include "relay/voice_pass.h"
#include "testing/memory_journal.h"

namespace openseat::relay {
namespace {

using net::ClientFrame;
using net::TestClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kTextFrame = 0x81;
constexpr int kBinaryFrame = 0x82;
constexpr int kPingFrame = 0x89;

// The backend, on a thread of its own: keeps what comes, and does what `react` says.
class Backend {
 public:
  using React = std::function<void(net::WebSocket& socket, const std::string& message, std::size_t number)>;

  explicit Backend(React react = nullptr) : react_(std::move(react)), shards_(1) {
    net::UpgradeOptions lenient;
    lenient.raw_text = true;
    for (const char* path : {"/", "/game/:name/voice"}) {
      router_.AddWebSocket(path, lenient,
                           [this](const net::HttpRequest&) -> Result<std::unique_ptr<net::WebSocketSession>> {
                             return std::make_unique<Session>(*this);
                           });
    }
    server_ = *net::Server::Listen(shards_, router_, {net::ListenAddress{}}, {});
    shards_.Start();
  }
  ~Backend() {
    shards_.Stop();
    server_.reset();
  }

  std::string url() const { return "ws://127.0.0.1:" + std::to_string(server_->port()) + "/"; }
  // Waits until so many messages came, and returns all.
  std::vector<std::string> Wait(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return messages_.size() >= count; });
    return messages_;
  }
  // Waits until a message came so often.
  void WaitFor(const std::string& message, std::ptrdiff_t times = 1) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return std::ranges::count(messages_, message) >= times; });
  }
  void WaitForConnections(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return connections_ >= count; });
  }
  std::vector<std::string> ended() {
    std::unique_lock lock(mutex_);
    return ended_;
  }
  void WaitForEnds(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_.size() >= count; });
  }
  // On the backend's thread, with the latest connection.
  void Do(const std::function<void(net::WebSocket&)>& work) {
    shards_.at(0).Post([this, work] {
      if (latest_) work(*latest_);
    });
  }

 private:
  class Session final : public net::WebSocketSession {
   public:
    explicit Session(Backend& backend) : backend_(backend) {}
    void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
      socket_ = backend_.latest_ = std::move(socket);
      const std::unique_lock lock(backend_.mutex_);
      ++backend_.connections_;
      backend_.changed_.notify_all();
    }
    void OnText(std::string_view message) override { Take(std::string(message)); }
    void OnBinary(std::string_view message) override { Take("binary:" + std::string(message)); }
    void OnClosed(const net::Closing& closing) override {
      const std::unique_lock lock(backend_.mutex_);
      backend_.ended_.push_back(std::to_string(closing.code) + " " + closing.reason);
      backend_.changed_.notify_all();
    }

   private:
    void Take(const std::string& message) {
      std::size_t number = 0;
      {
        const std::unique_lock lock(backend_.mutex_);
        backend_.messages_.push_back(message);
        number = backend_.messages_.size();
        backend_.changed_.notify_all();
      }
      if (backend_.react_) backend_.react_(*socket_, message, number);
    }
    Backend& backend_;
    std::shared_ptr<net::WebSocket> socket_;
  };

  const React react_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> messages_;
  std::vector<std::string> ended_;
  std::size_t connections_ = 0;
  std::shared_ptr<net::WebSocket> latest_;
  net::Shards shards_;
  net::Router router_;
  std::unique_ptr<net::Server> server_;
};

// The relay, on a thread of its own.
class RelayServer {
 public:
  explicit RelayServer(RelayOptions options, const BudgetLimits& limits = {})
      : shards_(1), budget_(limits, &metrics_), directory_({&shards_.at(0)}) {
    neuro::NeuroProfiles neuro;
    for (neuro::NeuroOptions& each : neuro.all) {
      each.relayed = true;
      each.startup_ack = false;
      each.reregister = neuro::NeuroOptions::Reregister::kNever;
    }
    server_ = std::make_unique<neuro::NeuroServer>(
        neuro, directory_, journal,
        neuro::RemoteAgents{.by_default = [](const std::string&) { return MakeUpstreamPlayer(); }, .make = {}});
    net::WebSocketClientOptions dial;
    dial.raw_text = true;
    relay_ =
        std::make_unique<Relay>(std::move(options), *server_, shards_.at(0), neuro::DialOverNetwork(dial), metrics_);
    relay_->AddRoutes(router_);
    listener_ = *net::Server::Listen(shards_, router_, {net::ListenAddress{}}, {}, &metrics_, &budget_);
    shards_.Start();
  }
  ~RelayServer() { Stop(); }

  void Stop() {
    if (!listener_) return;
    shards_.Stop();
    listener_.reset();
    relay_.reset();
    server_.reset();
  }
  std::uint16_t port() const { return listener_->port(); }

  // Waits until the only channel's member has this value.
  void WaitFor(const std::string& member, const json::Value& value) const {
    for (;;) {
      const json::Value info = Info();
      const json::Array& channels = info.at("channels").as_array();
      if (channels.empty()) continue;
      const json::Value* found = json::Find(channels[0], member);
      if (found != nullptr && json::Equal(*found, value)) return;
    }
  }
  json::Value Info(const std::string& query = {}) const { return *json::Parse(Ask(query).body); }
  TestClient::Answer Ask(const std::string& query) const {
    TestClient client(port());
    return client.Request("GET /api/v1/relay" + query + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  }

  testing::MemoryJournal journal;

 private:
  Metrics metrics_;
  net::Shards shards_;
  Budget budget_;
  TableDirectory directory_;
  std::unique_ptr<neuro::NeuroServer> server_;
  std::unique_ptr<Relay> relay_;
  net::Router router_;
  std::unique_ptr<net::Server> listener_;
};

class Game {
 public:
  explicit Game(const RelayServer& relay) : client_(std::make_unique<TestClient>(relay.port())) {
    EXPECT_EQ(client_->Upgrade("/").status, 101);
  }
  void Send(std::string_view text, int first = kTextFrame) { client_->Send(ClientFrame(first, text)); }
  // The next message; answers pings.
  std::string Next() {
    for (;;) {
      const TestClient::Frame frame = client_->ReadFrame();
      if (frame.opcode == 9) {
        client_->Send(ClientFrame(0x8A, frame.payload));
      } else if (frame.opcode != 10) {
        return frame.opcode == 1 ? frame.payload : "opcode " + std::to_string(frame.opcode) + ": " + frame.payload;
      }
    }
  }
  // Reads until everything that was sent was read by the relay; returns the messages that came meanwhile.
  std::vector<std::string> Settle() {
    client_->Send(ClientFrame(kPingFrame, "settle"));
    std::vector<std::string> messages;
    for (;;) {
      const TestClient::Frame frame = client_->ReadFrame();
      if (frame.opcode == 9) client_->Send(ClientFrame(0x8A, frame.payload));
      if (frame.opcode == 1) messages.push_back(frame.payload);
      if (frame.opcode == 10 || frame.opcode == -1) return messages;
    }
  }
  void Leave() {
    client_->Send(net::ClientClose(1000, "bye"));
    while (client_->ReadFrame().opcode != -1) {
    }
  }

 private:
  std::unique_ptr<TestClient> client_;
};

std::string ContextOf(std::size_t number) {
  return R"({"command":"context","game":"A","data":{"message":")" + std::to_string(number) + R"(","silent":true}})";
}
std::size_t NumberOf(const std::string& context) {
  const Result<json::Value> parsed = json::Parse(context);
  return std::stoul(std::string(json::TextOf(parsed->at("data"), "message")));
}
constexpr char kRelayStartup[] = R"({"command":"startup","game":"A"})";

TEST(Relay, PassesEveryMessageUnchanged) {
  const std::vector<std::string> odd{
      kRelayStartup,
      "{ \"command\" : \"context\",\n\t\"game\":\"A\", \"data\":{\"message\":\"\xC3\xA9\",\"silent\":true}}",
      R"({"command":"action:result","game":"A","data":{"id":"x\x41"}})",
      "not JSON at all",
      "",
      "{\"bad\":\"\xFF\xFE\"}",
      R"({"command":"startup","game":"A"}{"command":"vendor/x","game":"B","data":{"n":1.0e5}})"};
  Backend backend;
  RelayServer relay({.upstream = backend.url()});
  Game game(relay);
  for (const std::string& text : odd) game.Send(text);
  game.Send(std::string("\x00\x01\xFF", 3), kBinaryFrame);
  std::vector<std::string> expected = odd;
  expected.push_back(std::string("binary:\x00\x01\xFF", 10));
  EXPECT_EQ(backend.Wait(odd.size() + 1), expected);

  const std::vector<std::string> back{R"({"command":"action","data":{"id":"1","name":"nope","data":"{\"a\": 1 }"}})",
                                      "{\"vendor\":\"\xFF\"}", "not JSON either"};
  backend.Do([back](net::WebSocket& socket) {
    for (const std::string& text : back) socket.SendText(text);
    socket.SendBinary("\x01\x02");
  });
  for (const std::string& text : back) EXPECT_EQ(game.Next(), text);
  EXPECT_EQ(game.Next(), "opcode 2: \x01\x02");
  game.Settle();
  relay.Stop();

  // The record is exact, too.
  const auto tables = *relay.journal.Tables(10);
  std::vector<std::string> received;
  std::vector<std::string> sent;
  for (const TableRecord& table : tables) {
    if (table.opened_payload.find("\"A\"") == std::string::npos) continue;
    const std::vector<StoredEvent> events = *relay.journal.Read(table.id, 0, 1000);
    for (const StoredEvent& event : events) {
      if (event.event.kind == EventKind::kReceived) received.push_back(event.event.payload);
      if (event.event.kind == EventKind::kSent) sent.push_back(event.event.payload);
    }
  }
  expected.back() = std::string("\x00\x01\xFF", 3);
  EXPECT_EQ(received, expected);
  std::vector<std::string> expected_sent = back;
  expected_sent.emplace_back("\x01\x02");
  EXPECT_EQ(sent, expected_sent);
}

// Ten thousand messages each way, while the upstream goes away in the middle of them, and the game's connection breaks.
TEST(Relay, KeepsTheOrderOverReconnectionsOnBothSides) {
  constexpr std::size_t kMessages = 10'000;
  constexpr std::size_t kChunk = 500;
  std::size_t answers = 0;
  Backend backend([&answers](net::WebSocket& socket, const std::string&, std::size_t number) {
    ++answers;
    socket.SendText(ContextOf(answers));
    // More is on its way.
    if (number % 1'130 == 0) socket.Close(net::close_code::kGoingAway, "back soon");
  });
  RelayServer relay({.upstream = backend.url(), .hold_messages = 2 * kMessages, .keep = std::chrono::minutes(1)});
  std::vector<std::string> seen;
  const auto add = [&seen](std::vector<std::string> messages) {
    for (std::string& message : messages) seen.push_back(std::move(message));
  };
  auto game = std::make_unique<Game>(relay);
  for (std::size_t sent = 0; sent < kMessages; sent += kChunk) {
    for (std::size_t i = 1; i <= kChunk; ++i) game->Send(ContextOf(sent + i));
    add(game->Settle());
    if (sent % (4 * kChunk) != 3 * kChunk) continue;
    game.reset();
    relay.WaitFor("game_connected", false);
    game = std::make_unique<Game>(relay);
  }
  backend.WaitFor(ContextOf(kMessages));
  const std::vector<std::string> got = backend.Wait(kMessages);
  std::size_t last = 0;
  std::size_t again = 0;
  for (const std::string& message : got) {
    const std::size_t number = NumberOf(message);
    if (number <= last) {
      ++again;  // sent again, because it was unknown whether it had arrived
      continue;
    }
    ASSERT_EQ(number, last + 1);
    last = number;
  }
  EXPECT_EQ(last, kMessages);
  EXPECT_EQ(got.size(), kMessages + again);

  // Those of the backend: what it sent before it closed a connection arrived; each comes in its order.
  backend.Do([&answers](net::WebSocket& socket) { socket.SendText(ContextOf(answers + 1)); });
  const std::size_t answered = got.size();
  while (seen.empty() || NumberOf(seen.back()) <= answered) seen.push_back(game->Next());
  last = 0;
  for (const std::string& message : seen) {
    const std::size_t number = NumberOf(message);
    if (number <= last) continue;
    ASSERT_EQ(number, last + 1);
    last = number;
  }
}

TEST(Relay, HoldsWhatIsSaidWhileTheUpstreamIsAwayAndTellsItAgainWhatStands) {
  const std::string registered =
      R"({"command":"actions/register","game":"A","data":{"actions":[{"name":"pass","description":"Passes."}]}})";
  const std::string force = R"({"command":"actions/force","game":"A","data":{"query":"?","action_names":["pass"]}})";
  Backend backend;
  RelayServer relay({.upstream = backend.url()});
  Game game(relay);
  game.Send(kRelayStartup);
  game.Send(registered);
  game.Send(force);
  game.Send(ContextOf(1));
  backend.Wait(4);
  relay.WaitFor("held_for_upstream", 0);
  game.Settle();
  backend.Do([](net::WebSocket& socket) { socket.Close(net::close_code::kGoingAway, "restarts"); });
  backend.WaitForConnections(2);
  game.Send(ContextOf(2));
  backend.WaitFor(ContextOf(2));
  backend.WaitFor(force, 2);
  // What it had read is not told again, but for what it has to know; the first context may have been on its way.
  std::vector<std::string> got = backend.Wait(8);
  got.erase(got.begin(), got.begin() + 4);
  std::erase(got, ContextOf(1));
  EXPECT_THAT(got, ::testing::AnyOf(ElementsAre(kRelayStartup, registered, force, ContextOf(2)),
                                    ElementsAre(kRelayStartup, registered, ContextOf(2), force)));
  game.Leave();
  relay.Stop();
  std::string notes;
  const TableId table = relay.journal.Tables(1)->front().id;
  const std::vector<StoredEvent> events = *relay.journal.Read(table, 0, 1000);
  for (const StoredEvent& event : events) {
    if (event.event.kind == EventKind::kNote) notes += event.event.payload + "\n";
  }
  EXPECT_THAT(notes,
              HasSubstr("is out of reach: the connection was closed (1001, restarts); what the game sends is held"));
  EXPECT_THAT(notes, HasSubstr("the upstream is here again"));
}

TEST(Relay, ListsItsChannelsInPages) {
  RelayServer relay({.upstream = "ws://127.0.0.1:1/?key=secret"});
  std::vector<std::unique_ptr<Game>> games;
  for (const char* name : {"A", "B", "C"}) {
    games.push_back(std::make_unique<Game>(relay));
    games.back()->Send(std::string(R"({"command":"startup","game":")") + name + "\"}");
    games.back()->Settle();
  }
  const auto names = [](const json::Value& page) {
    std::string text;
    for (const json::Value& channel : page.at("channels").as_array()) text += json::Write(channel.at("games"));
    return text;
  };
  const json::Value all = relay.Info();
  EXPECT_EQ(names(all), R"(["A"]["B"]["C"])");
  EXPECT_EQ(json::TextOf(all, "upstream"), "ws://127.0.0.1:1/");
  EXPECT_EQ(json::Find(all, "next"), nullptr);
  const json::Value first = relay.Info("?limit=2");
  EXPECT_EQ(names(first), R"(["A"]["B"])");
  games.erase(games.begin());  // what is away does not shift the others
  const json::Value second = relay.Info("?limit=2&cursor=" + std::string(json::TextOf(first, "next")));
  EXPECT_EQ(names(second), R"(["C"])");
  EXPECT_EQ(json::Find(second, "next"), nullptr);
  for (const char* wrong : {"?limit=0", "?cursor=x", "?cursor=1x", "?cursor=-1"}) {
    EXPECT_EQ(relay.Ask(wrong).status, 400) << wrong;
  }
}

TEST(Relay, VoicePassesThrough) {
  EXPECT_EQ(VoiceUrl("ws://h:1", "A B"), "ws://h:1/game/A%20B/voice");
  EXPECT_EQ(VoiceUrl("ws://h:1/?token=t", "A"), "ws://h:1/game/A/voice?token=t");
  EXPECT_EQ(VoiceUrl("ws://h:1/x/game/", "A"), "ws://h:1/x/game/A/voice");
  EXPECT_EQ(VoiceUrl("ws://h:1/game/A", "A"), "ws://h:1/game/A/voice");
  EXPECT_EQ(VoiceUrl("ws://game/other", "A"), "ws://game/other/game/A/voice");

  Backend backend;
  RelayServer relay({.upstream = backend.url()});
  TestClient game(relay.port());
  ASSERT_EQ(game.Upgrade("/game/A/voice").status, 101);
  game.Send(ClientFrame(kTextFrame, R"({"command":"voice/start","game":"A"})"));
  game.Send(ClientFrame(kBinaryFrame, std::string("\x01\x00\x07\x00\x00\x00\x00\x3F", 8)));
  EXPECT_THAT(backend.Wait(2), ElementsAre(R"({"command":"voice/start","game":"A"})",
                                           std::string("binary:\x01\x00\x07\x00\x00\x00\x00\x3F", 15)));
  backend.Do([](net::WebSocket& socket) { socket.SendBinary("pcm!"); });
  EXPECT_EQ(game.ReadFrame().payload, "pcm!");
}

TEST(Relay, WithoutVoiceUpstreamTheGameIsToldAndStays) {
  RelayServer relay({.upstream = "ws://127.0.0.1:1/"});
  TestClient game(relay.port());
  ASSERT_EQ(game.Upgrade("/game/A/voice").status, 101);
  game.Send(ClientFrame(kTextFrame, R"({"command":"voice/start","game":"A"})"));
  EXPECT_THAT(game.ReadFrame().payload, HasSubstr("voice/unavailable"));
}

TEST(Relay, TheEndIsPassedOn) {
  Backend backend;
  RelayServer relay({.upstream = backend.url()});
  Game game(relay);
  game.Send(kRelayStartup);
  game.Leave();
  backend.WaitForEnds(1);
  EXPECT_THAT(backend.ended(), ElementsAre("1000 bye"));
  EXPECT_EQ(backend.Wait(1).size(), 1u);
}

TEST(Relay, AGameThatSaysNothingAtFirstIsConnectedToo) {
  Backend backend;
  RelayServer relay({.upstream = backend.url()});
  Game game(relay);
  backend.WaitForConnections(1);
  backend.Do([](net::WebSocket& socket) { socket.SendText(R"({"command":"actions/reregister_all"})"); });
  EXPECT_EQ(game.Next(), R"({"command":"actions/reregister_all"})");
}

TEST(Relay, WhatTheUpstreamSaysMeanwhileReachesAGameThatComesBack) {
  Backend backend;
  RelayServer relay({.upstream = backend.url(), .silent_after = std::chrono::milliseconds(20)});
  auto game = std::make_unique<Game>(relay);
  game->Send(kRelayStartup);
  backend.Wait(1);
  game->Settle();
  game.reset();
  relay.WaitFor("game_connected", false);
  backend.Do([](net::WebSocket& socket) { socket.SendText("one"); });
  relay.WaitFor("held_for_game", 1);
  Game silent(relay);
  EXPECT_EQ(silent.Next(), "one") << "it is the only one that waits";
  EXPECT_EQ(backend.ended().size(), 0u);
}

TEST(Relay, AnotherRunOfTheGameGetsNothingOld) {
  Backend backend;
  RelayServer relay({.upstream = backend.url()});
  auto game = std::make_unique<Game>(relay);
  game->Send(kRelayStartup);
  backend.Wait(1);
  game->Settle();
  game.reset();
  relay.WaitFor("game_connected", false);
  backend.Do([](net::WebSocket& socket) { socket.SendText("old"); });
  relay.WaitFor("held_for_game", 1);
  Game next(relay);
  next.Send(kRelayStartup);
  backend.Wait(2);
  backend.Do([](net::WebSocket& socket) { socket.SendText("new"); });
  EXPECT_EQ(next.Next(), "new");
}

TEST(Relay, TooMuchForAnUpstreamThatIsNotThere) {
  RelayServer relay({.upstream = "ws://127.0.0.1:1/", .hold_messages = 10});
  Game game(relay);
  game.Send(kRelayStartup);
  for (std::size_t i = 1; i <= 20; ++i) game.Send(ContextOf(i));
  game.Settle();
  const json::Value info = relay.Info();
  EXPECT_EQ(info.at("channels").at(0).at("dropped"), 11) << "the oldest context";
  EXPECT_EQ(info.at("channels").at(0).at("held_for_upstream"), 10);
  for (std::size_t i = 0; i < 20; ++i) {
    game.Send(R"({"command":"actions/force","game":"A","data":{"query":"?","action_names":["x"]}})");
  }
  EXPECT_THAT(game.Next(), HasSubstr("--hold"));
}

TEST(Relay, WhatIsHeldCountsForWhoSentIt) {
  BudgetLimits limits;
  limits.loopback.max_waiting_items = 5;
  RelayServer relay({.upstream = "ws://127.0.0.1:1/"}, limits);
  Game game(relay);
  game.Send(kRelayStartup);
  for (std::size_t i = 1; i <= 20; ++i) game.Send(ContextOf(i));
  game.Settle();
  EXPECT_EQ(relay.Info().at("channels").at(0).at("held_for_upstream"), 5);
  for (std::size_t i = 0; i < 5; ++i) {
    game.Send(R"({"command":"actions/force","game":"A","data":{"query":"?","action_names":["x"]}})");
  }
  EXPECT_THAT(game.Next(), HasSubstr("max_waiting_items"));
}

}  // namespace
}  // namespace openseat::relay
