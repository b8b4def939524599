// For tests: a server with hosted games, whose seats are played over the Agent API.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agents/external/seat_token.h"
#include "agents/make_agent.h"
#include "base/clock.h"
#include "games/netrunner/netrunner.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "net/http_client.h"
#include "net/server.h"
#include "protocols/agent_api/agent_api.h"
#include "protocols/agent_api/webhook_agent.h"
#include "testing/memory_journal.h"
#include "testing/memory_registry.h"

namespace openseat::agent_api {

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;
  json::Value body;

  std::string message() const {
    const json::Value* text = json::Find(body, "message");
    return text != nullptr && text->is_string() ? std::string(json::View(text->get_string())) : "none";
  }
};

struct Hook {
  std::string event;
  std::uint64_t sequence = 0;
  std::string id;
  json::Value body;
};

// A server with hosted games, driven from outside, and a receiver of webhooks next to it.
class AgentApiTest : public ::testing::Test {
 protected:
  explicit AgentApiTest(RateLimit limit = {.per_second = 1e6, .burst = 1e6})
      : guesses_(limit, clock_, [](std::string_view, std::string_view, std::string_view) {}),
        api_(directory_, registry_, clock_, limit, &guesses_) {
    api_.AddRoutes(router_);
    // The way games connect.
    router_.AddWebSocket("/game/:name", {},
                         [](const net::HttpRequest&) -> Result<std::unique_ptr<net::WebSocketSession>> {
                           return Fail(ErrorCode::kUnsupported, "not here");
                         });
    hook_router_.Add(net::Method::kPost, "/hook", {}, [this](const net::HttpRequest& request, net::HttpReply reply) {
      Result<json::Value> body = json::Parse(request.body);
      const std::lock_guard lock(mutex_);
      hooks_.push_back({std::string(request.headers.Get("X-Event-Type")),
                        std::stoull(std::string(request.headers.Get("X-Openseat-Sequence"))),
                        std::string(request.headers.Get("webhook-id")), body ? *std::move(body) : json::Value()});
      EXPECT_EQ(request.headers.Get("X-Agent-API-Key"), "secret");
      EXPECT_EQ(hooks_.back().body.at("event"), json::Value(hooks_.back().event));
      std::move(reply).Send(net::HttpResponse::Text(200, ""));
    });
    server_ = *net::Server::Listen(shards_, router_, {net::ListenAddress{}}, {});
    hook_server_ = *net::Server::Listen(shards_, hook_router_, {net::ListenAddress{}}, {});
    shards_.Start();
  }
  // What lives on the shards is destroyed when they have stopped.
  void TearDown() override {
    shards_.Stop();
    hook_server_.reset();
    server_.reset();
  }

  template <typename T>
  T OnShard(const std::function<void(std::promise<T>&)>& run) {
    std::promise<T> promise;
    shards_.at(0).Post([&] { run(promise); });
    return promise.get_future().get();
  }

  struct MadeSeat {
    std::string token;
    std::string key;
  };
  // kinds: "external", "webhook", "account" (played by the account's key), "random", "" for an open seat.
  std::vector<MadeSeat> Match(const std::string& game, const std::vector<std::string>& kinds) {
    std::vector<PlannedSeat> seats;
    std::vector<SeatSecrets> secrets(kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      PlannedSeat& seat = seats.emplace_back();
      if (kinds[i].empty()) continue;
      seat.name = kinds[i] + std::to_string(i);
      seat.agent.kind = kinds[i] == "account" ? "external" : kinds[i];
      if (kinds[i] == "account") seat.agent.options["account"] = account_;
      if (kinds[i] == "webhook") seat.agent.options["url"] = HookUrl();
      if (kinds[i] == "webhook") seat.agent.options["key"] = "secret";
      if (kinds[i] != "random") secrets[i] = MintSeat(seat.agent.options);
    }
    match_ = OnShard<std::string>([&](std::promise<std::string>& made) {
      lobby_.Create(shards_.at(0), game, nullptr, seats, [&](const Result<MatchRef>& match) {
        ASSERT_TRUE(match) << match.error().message;
        made.set_value(match->id.str());
      });
    });
    std::vector<MadeSeat> out;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const auto seat = static_cast<SeatIndex>(i);
      out.push_back({SeatToken{TableId(match_), seat, secrets[i].token}.Text(),
                     SeatToken{TableId(match_), seat, secrets[i].key}.Text()});
    }
    return out;
  }
  std::string HookUrl() const { return "http://127.0.0.1:" + std::to_string(hook_server_->port()) + "/hook"; }
  std::string Account(const std::string& name) {
    return OnShard<std::string>([&](std::promise<std::string>& made) {
      registry_.CreateAccount(name, shards_.at(0),
                              [&](const Result<openseat::Account>& account) { made.set_value(account->id.str()); });
    });
  }
  CreatedKey Key(const std::string& account) {
    return OnShard<CreatedKey>([&](std::promise<CreatedKey>& made) {
      registry_.CreateKey({.label = "", .account = AccountId(account)}, shards_.at(0),
                          [&](const Result<CreatedKey>& key) { made.set_value(*key); });
    });
  }

  Answer Ask(const std::string& method, const std::string& path, const std::string& key, const std::string& body = "",
             const std::string& header = "") {
    net::TestClient client(server_->port());
    const net::TestClient::Answer got = client.Request(
        method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + (key.empty() ? "" : "X-JNet-API: " + key + "\r\n") +
        (header.empty() ? "" : header + "\r\n") + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    Answer answer{got.status, got.headers, nullptr};
    if (Result<json::Value> value = json::Parse(got.body)) answer.body = *std::move(value);
    return answer;
  }
  Answer Get(const std::string& what, const std::string& key) { return Ask("GET", "/game/" + what, key); }
  Answer Post(const std::string& what, const std::string& key, const std::string& body,
              const std::string& header = "") {
    return Ask("POST", "/game/" + what, key, body, header);
  }
  // A waiting agent may be asked a moment later.
  json::Value WaitForTurn(const std::string& key) {
    for (;;) {
      Answer state = Get("state?wait=20", key);
      const json::Value* actions = json::Find(state.body, "available-actions");
      if (state.status != 200 || actions == nullptr) return state.body;
      const bool over = state.body.at("phase") == json::Value("game-over");
      if (over || actions->at("can-act") == json::Value(true)) return state.body;
    }
  }
  // Everything that was delivered once a game has ended.
  std::vector<Hook> HooksToTheEnd() {
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (!hooks_.empty() && hooks_.back().event == "game-ended") return hooks_;
      }
      std::this_thread::yield();
    }
  }

  const SystemClock clock_;
  net::Shards shards_{1};
  net::HttpClients http_{shards_};
  testing::MemoryRegistry registry_{clock_};
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&shards_.at(0)}};
  WebhookWorld webhooks_{directory_, registry_, http_, {}};
  const std::unique_ptr<Game> netrunner_ = games::MakeNetrunner();
  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::array<const Game*, 2> games_{netrunner_.get(), tictactoe_.get()};
  Lobby lobby_{games_,
               MatchRules{},
               std::chrono::seconds(300),
               directory_,
               journal_,
               [this](const AgentSpec& spec) -> Result<std::unique_ptr<Agent>> {
                 if (spec.kind == "external") {
                   return std::make_unique<ExternalAgent>(*ParseExternalAgentOptions(spec.options));
                 }
                 if (spec.kind != "webhook") return MakeLocalAgent(spec);
                 return std::make_unique<WebhookAgent>(*ParseWebhookAgentOptions(spec.options, {}), webhooks_);
               }};
  Guesses guesses_;
  AgentApi api_;
  net::Router router_;
  net::Router hook_router_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::Server> hook_server_;
  std::string account_;
  std::string match_;
  std::mutex mutex_;
  std::vector<Hook> hooks_;
};

}  // namespace openseat::agent_api
