// Nodes of a cluster, as real programs, that pass on what is about matches elsewhere: MCP, keys of
// accounts, lists, a story's events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cluster/nodes.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFar = "X-Forwarded-For: 203.0.113.7\r\n";

class ClusterPass : public ClusterNodes {
 protected:
  static net::TestClient::Answer PostTo(RealServer& node, const std::string& path, const json::Value& body,
                                        const std::string& headers = {}) {
    const std::string text = json::Write(body);
    return net::TestClient(node.port())
        .Request("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers +
                 "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
  }

  // --- MCP before 2026-07-28 ---

  static json::Object Rpc(const std::string& method, json::Object params) {
    return {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
  }
  static std::string Session(const std::string& id) { return "Mcp-Session-Id: " + id + "\r\n"; }
  // Begins a session.
  static std::string ShakeHands(RealServer& node) {
    const net::TestClient::Answer answer =
        PostTo(node, "/mcp",
               Rpc("initialize", {{"protocolVersion", "2025-11-25"},
                                  {"capabilities", json::Object()},
                                  {"clientInfo", json::Object{{"name", "test"}, {"version", "1"}}}}));
    EXPECT_EQ(answer.status, 200) << answer.body;
    const auto session = answer.headers.find("mcp-session-id");
    return session == answer.headers.end() ? std::string() : session->second;
  }
  static json::Object Call(const std::string& tool, json::Object arguments) {
    return {{"name", tool}, {"arguments", std::move(arguments)}};
  }
  static json::Value ResultOf(const net::TestClient::Answer& answer) {
    Result<json::Value> body = json::Parse(answer.body);
    const json::Value* result = body ? json::Find(*body, "result") : nullptr;
    EXPECT_TRUE(result != nullptr) << answer.status << " " << answer.body;
    return result == nullptr ? json::Value(json::Object()) : *result;
  }
  static json::Value CallTool(RealServer& node, const std::string& session, const std::string& tool,
                              json::Object arguments) {
    return ResultOf(PostTo(node, "/mcp", Rpc("tools/call", Call(tool, std::move(arguments))), Session(session)));
  }

  // --- MCP of 2026-07-28 ---

  static net::TestClient::Answer Modern(RealServer& node, const std::string& method, json::Object params,
                                        const std::string& name, json::Object capabilities = {},
                                        const std::string& headers = {}) {
    params["_meta"] = json::Object{{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                                   {"io.modelcontextprotocol/clientCapabilities", std::move(capabilities)}};
    return PostTo(
        node, "/mcp", Rpc(method, std::move(params)),
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + method + "\r\nMcp-Name: " + name + "\r\n" + headers);
  }

  // What the answer to a tool's call has for programs; fails the test if the tool failed.
  static json::Value Structured(const json::Value& result) {
    const json::Value* structured = json::Find(result, "structuredContent");
    EXPECT_TRUE(structured != nullptr && json::Find(result, "isError") == nullptr) << json::Write(result);
    return structured == nullptr ? json::Value(json::Object()) : *structured;
  }
  static std::string Text(const json::Value& object, std::string_view member) {
    const json::Value* text = json::Find(object, member);
    return text == nullptr || !text->is_string() ? std::string() : std::string(json::View(text->get_string()));
  }
  // Matches of this host against an agent; the tokens of its seats.
  static std::vector<std::string> Matches(RealServer& node, const std::string& session, int count) {
    std::vector<std::string> tokens;
    for (int i = 0; i < count; ++i) {
      const json::Value made = Structured(CallTool(
          node, session, "create_match", {{"game", "tictactoe"}, {"opponents", json::Array{"random:seed=7"}}}));
      tokens.push_back(Text(made, "token"));
    }
    return tokens;
  }
  // What `ask` returns once all nodes have answered in time.
  template <typename Ask>
  static json::Value WithAllNodes(const Ask& ask) {
    json::Value answer = ask();
    while (json::Find(answer, "unanswered") != nullptr) answer = ask();
    return answer;
  }
  static std::string TableOf(const std::string& token) { return token.substr(0, token.find('.')); }
  static void AwaitTables(RealServer& node, const std::vector<std::string>& tokens) {
    for (const std::string& token : tokens) AwaitMatch(node, {TableOf(token), {}, {}});
  }
  // Chooses what the seat is offered first.
  static json::Object FirstChoice(const std::string& token, const json::Value& view) {
    return {{"token", token},
            {"decision", view.at("decision").at("id")},
            {"choice", view.at("choices").at(0).at("id")},
            {"timeout_s", 0}};
  }
};

// A host's session and its seats are reached through any node, wherever they are; without its node the session is gone,
// and the seats are not.
TEST_F(ClusterPass, AnMcpHostPlaysThroughAnyNode) {
  const auto first = Start("one");
  const std::string session = ShakeHands(*first);
  EXPECT_THAT(session, ::testing::StartsWith("one."));
  const std::vector<std::string> tokens = Matches(*first, session, 8);
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  AwaitTables(*first, tokens);
  AwaitTables(*second, tokens);
  for (const std::string& token : tokens) {
    const json::Value view = Structured(CallTool(*first, session, "wait_for_turn", {{"token", token}}));
    EXPECT_EQ(view.at("status"), json::Value("your_turn"));
    // The session is known to the other node, too, and the choice reaches the node that has the match.
    const json::Value acted = Structured(CallTool(*second, session, "act", FirstChoice(token, view)));
    EXPECT_EQ(Text(acted, "table"), TableOf(token));
    const json::Value state = ResultOf(PostTo(
        *second, "/mcp", Rpc("resources/read", {{"uri", "openseat://seats/" + token + "/state"}}), Session(session)));
    EXPECT_EQ(state.at("contents").as_array().size(), 1u) << json::Write(state);
  }
  // A seat that is wrong is wrong at both nodes.
  std::string wrong = tokens.front();
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  for (RealServer* node : {first.get(), second.get()}) {
    EXPECT_NE(json::Find(CallTool(*node, session, "get_state", {{"token", wrong}}), "isError"), nullptr);
  }
  first->Kill();
  AwaitShards(*second, kShards);
  AwaitTables(*second, tokens);
  EXPECT_EQ(PostTo(*second, "/mcp", Rpc("ping", {}), Session(session)).status, 404);
  const std::string again = ShakeHands(*second);
  for (const std::string& token : tokens) {
    const json::Value view = Structured(CallTool(*second, again, "wait_for_turn", {{"token", token}}));
    EXPECT_EQ(view.at("status"), json::Value("your_turn"));
  }
}

// Also where every request stands alone; a wait that became a task is found through any node.
TEST_F(ClusterPass, ATaskIsFoundThroughAnyNode) {
  const auto first = Start("one");
  const std::string session = ShakeHands(*first);
  std::vector<std::string> tokens;
  for (int i = 0; i < 8; ++i) {
    // Nobody has joined: there is nothing to choose yet.
    tokens.push_back(Text(Structured(CallTool(*first, session, "create_match",
                                              {{"game", "tictactoe"}, {"opponents", json::Array{"open"}}})),
                          "token"));
  }
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  AwaitTables(*first, tokens);
  AwaitTables(*second, tokens);
  json::Object extensions;
  extensions["io.modelcontextprotocol/tasks"] = json::Object();
  const json::Object tasks{{"extensions", extensions}};
  for (const std::string& token : tokens) {
    const json::Value waits =
        ResultOf(Modern(*first, "tools/call", Call("wait_for_turn", {{"token", token}}), "wait_for_turn", tasks));
    ASSERT_EQ(Text(waits, "resultType"), "task") << json::Write(waits);
    const std::string task = Text(waits, "taskId");
    for (RealServer* node : {first.get(), second.get()}) {
      EXPECT_EQ(Text(ResultOf(Modern(*node, "tasks/get", {{"taskId", task}}, task, tasks)), "status"), "working");
    }
    // Another player comes through the other node: it is the first one's turn.
    Structured(ResultOf(Modern(*second, "tools/call", Call("join_table", {{"table", TableOf(token)}}), "join_table")));
    std::string status = "working";
    while (status == "working") {
      status = Text(ResultOf(Modern(*second, "tasks/get", {{"taskId", task}}, task, tasks)), "status");
    }
    EXPECT_EQ(status, "completed");
  }
}

// A whole URL as the target of a request is passed on as its path and query, and nothing else as a URL of a node.
TEST_F(ClusterPass, ATargetLeadsNowhereElse) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const std::string session = ShakeHands(*second);
  const Player player = Create(*second);
  AwaitMatch(*first, player);
  const auto ask = [](RealServer& node, const std::string& target, const std::string& headers) {
    return net::TestClient(node.port())
        .Request("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n")
        .status;
  };
  for (RealServer* node : {first.get(), second.get()}) {
    EXPECT_EQ(ask(*node, "http://localhost:1/api/v1/tables/" + player.match, ""), 200);
    EXPECT_EQ(ask(*node, "http://localhost:1/api/v1/tables", ""), 200);
    for (const char* target : {"8/://localhost/mcp", "@localhost:1/://localhost/mcp", "ftp://localhost/mcp"}) {
      EXPECT_EQ(ask(*node, target, Session(session)), 400) << target;
    }
  }
}

// A client plays one match at a time, wherever its matches are.
TEST_F(ClusterPass, AChimeraClientPlaysOneMatchAtATime) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  // A match is at the node that made it.
  std::vector<Player> players;
  for (int i = 0; i < 4; ++i) {
    for (RealServer* node : {first.get(), second.get()}) players.push_back(Create(*node));
  }
  for (const Player& player : players) AwaitMatch(*first, player);
  WireClient client(*first);
  const auto ask = [&client](const char* operation, json::Object params) {
    client.Send(json::Write(
        json::Object{{"type", "request"}, {"id", "ask"}, {"operation", operation}, {"params", std::move(params)}}));
    const json::Value answer = Answer(client);
    EXPECT_EQ(answer.at("id"), json::Value("ask"));
    const json::Value* error = json::Find(answer, "error");
    return error == nullptr ? std::int64_t{0} : error->at("code").as_int64();
  };
  constexpr std::int64_t kAlreadyInMatch = -40101;
  EXPECT_EQ(ask("join-match", Join(players[0])), 0);
  for (const Player& player : players) EXPECT_EQ(ask("join-match", Join(player)), kAlreadyInMatch);
  EXPECT_EQ(ask("create-match", {{"game", "tictactoe"}, {"player-name", "Alex"}}), kAlreadyInMatch);
  for (std::size_t next = 1; next < players.size(); ++next) {
    EXPECT_EQ(ask("forfeit-match", {{"match-id", players[next - 1].match}}), 0);
    EXPECT_EQ(ask("join-match", Join(players[next])), 0);
  }
}

// A story's key is one of the cluster, also after the node died that made it.
TEST_F(ClusterPass, AKeyMakesOneStoryWhicheverNodeItComesTo) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const auto begin = [](RealServer& node, int key) {
    net::TestClient::Answer answer;
    // While a story is made, or its shard moves, it is to ask again.
    for (int tries = 0; tries < 10'000 && (tries == 0 || answer.status == 503); ++tries) {
      answer = PostTo(node, "/api/games", json::Object{{"scenario", "whispering-woods"}, {"player", "Ana"}},
                      "Idempotency-Key: key " + std::to_string(key) + "\r\n");
    }
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.body;
  };
  std::vector<std::string> told;
  for (int key = 0; key < 8; ++key) {
    told.push_back(begin(key % 2 == 0 ? *first : *second, key));
    EXPECT_EQ(begin(key % 2 == 0 ? *second : *first, key), told.back());
  }
  first->Kill();
  AwaitShards(*second, kShards);
  for (int key = 0; key < 8; ++key) EXPECT_EQ(begin(*second, key), told[static_cast<std::size_t>(key)]);
}

// A client that got no answer sends its request again, to another node.
TEST_F(ClusterPass, ARepeatedRequestActsOnceAfterItsNodeDied) {
  const auto first = Start("one");
  const json::Value made =
      first->Post("/api/v1/matches",
                  json::Object{{"game", "tictactoe"},
                               {"seats", json::Array{json::Object{{"agent", json::Object{{"kind", "external"}}}},
                                                     json::Object{{"agent", json::Object{{"kind", "external"}}}}}}});
  const std::string key = Text(made.at("seats").at(0), "api-key");
  const auto mark = [&key](RealServer& node, const std::string& retry, json::Array position) {
    const json::Object request{{"command", "move"}, {"args", json::Object{{"position", std::move(position)}}}};
    net::TestClient::Answer answer;
    do {
      answer = PostTo(node, "/game/action", request, "X-JNet-API: " + key + "\r\nIdempotency-Key: " + retry + "\r\n");
    } while (answer.status == 503);
    return answer;
  };
  const std::string answered = mark(*first, "one", {1, 1}).body;
  EXPECT_THAT(answered, HasSubstr("success"));
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  first->Kill();
  AwaitMatch(*second, {Text(made, "match-id"), {}, {}});
  EXPECT_EQ(mark(*second, "one", {1, 1}).body, answered);
  EXPECT_EQ(mark(*second, "one", {0, 0}).status, 400) << "the key is for another request";
  EXPECT_EQ(mark(*second, "two", {1, 1}).status, 500) << "it is another request, and the place is taken";
}

// A client that says that a node passes its call on needs a token like any other.
TEST_F(ClusterPass, AForgedHeaderOpensNoTools) {
  const auto node = Start("one");
  const auto status = [&node](const std::string& headers) {
    return Modern(*node, "tools/call", Call("list_games", {}), "list_games", {}, headers).status;
  };
  EXPECT_EQ(status(""), 200);
  EXPECT_EQ(status(kFar), 401);
  for (const char* forged : {"", "local", " local", "- local", "aaaaaaaaaaaaaaaaaaaaaaaaaa local"}) {
    EXPECT_EQ(status(std::string(kFar) + "X-Openseat-Passed-On: " + forged + "\r\n"), 401) << forged;
  }
}

// An account's key plays its newest game, whichever node it is sent to and whichever node has the game.
TEST_F(ClusterPass, AnAccountsKeyPlaysThroughAnyNode) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const json::Value account = first->Post("/api/v1/accounts", json::Object{{"name", "Alex"}});
  const json::Value key = first->Post("/api/v1/keys", json::Object{{"account", account.at("id")}});
  // Until the other node has answered in time, too.
  const auto ask = [secret = Text(key, "secret")](RealServer& node, const std::string& query = {}) {
    for (;;) {
      net::TestClient::Answer answer =
          net::TestClient(node.port())
              .Request("GET /game/state" + query + " HTTP/1.1\r\nHost: localhost\r\nX-JNet-API: " + secret +
                       "\r\n\r\n");
      if (answer.status != 503) return answer;
    }
  };
  EXPECT_THAT(ask(*second).body, HasSubstr("No game for this key"));
  std::vector<std::string> matches;
  for (RealServer* maker : {first.get(), second.get()}) {
    const json::Value made = maker->Post(
        "/api/v1/matches",
        json::Object{
            {"game", "tictactoe"},
            {"seats",
             json::Array{json::Object{{"agent", json::Object{{"kind", "external"}, {"account", account.at("id")}}}},
                         json::Object{{"agent", json::Object{{"kind", "random"}, {"seed", 7}}}}}}});
    matches.push_back(Text(made, "match-id"));
    for (RealServer* node : {first.get(), second.get()}) {
      // The newest one.
      const std::string newest = Text(made, "gameid");
      net::TestClient::Answer answer = ask(*node);
      while (answer.status == 404) answer = ask(*node);
      EXPECT_EQ(answer.status, 200) << answer.body;
      EXPECT_THAT(answer.body, HasSubstr(newest));
      // The one that is named.
      for (const std::string& match : matches) EXPECT_EQ(ask(*node, "?gameid=" + match).status, 200) << match;
      EXPECT_EQ(ask(*node, "?gameid=no-such-match").status, 403);
    }
  }
  // Clients cannot use the route that nodes ask each other with.
  EXPECT_EQ(first->Status("/game/seat"), 404);
  EXPECT_EQ(net::TestClient(first->port())
                .Request("GET /game/seat HTTP/1.1\r\nHost: localhost\r\nX-JNet-API: " + Text(key, "secret") +
                         "\r\nX-Openseat-Passed-On: local local\r\n\r\n")
                .status,
            404);
}

// What is asked of a node that hangs is answered soon, in the form of the path.
TEST_F(ClusterPass, AFrozenNodeHoldsUpNobody) {
  const auto first = Start("one");
  const std::string session = ShakeHands(*first);
  const std::vector<std::string> tokens = Matches(*first, session, 8);
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  AwaitTables(*second, tokens);
  first->Signal(SIGSTOP);
  const net::TestClient::Answer gone = PostTo(*second, "/mcp", Rpc("ping", {}), Session(session));
  EXPECT_THAT(gone.status, ::testing::AnyOf(503, 404));
  EXPECT_THAT(gone.body, HasSubstr("\"jsonrpc\""));
  for (const std::string& token : tokens) {
    const net::TestClient::Answer answer =
        net::TestClient(second->port())
            .Request("GET /game/state HTTP/1.1\r\nHost: localhost\r\nX-JNet-API: " + token + "\r\n\r\n");
    EXPECT_THAT(answer.status, ::testing::AnyOf(200, 503)) << answer.body;
    if (answer.status != 503) continue;
    EXPECT_TRUE(json::Parse(answer.body)->at("message").is_string()) << answer.body;
    EXPECT_EQ(answer.headers.count("retry-after"), 1u);
  }
  // Its matches go on.
  AwaitTables(*second, tokens);
  first->Kill();
}

// While NATS hangs, nodes do not hear each other; that is no reason to send clients away.
TEST_F(ClusterPass, AClientStaysWhileNatsIsFrozen) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const Player player = Create(*first);
  AwaitMatch(*second, player);
  WireClient client(*second);
  ASSERT_TRUE(Succeeded(client.Ask("join-match", Join(player))));
  nats_->Freeze();
  while (second->Metric("openseat_cluster_nodes") != 1) {
  }
  // It looks around once a second.
  const auto date = [&second] {
    return net::TestClient(second->port())
        .Request("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .headers.at("date");
  };
  std::set<std::string> seconds;
  while (seconds.size() < 4) seconds.insert(date());
  nats_->Thaw();
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  AwaitMatch(*first, player);
  AwaitMatch(*second, player);
  const json::Array seats{json::Object{{"match-id", player.match}, {"player-name", "Alex"}, {"token", player.token}}};
  client.Send(json::Write(json::Object{{"type", "request"},
                                       {"id", "seats"},
                                       {"operation", "list-seats"},
                                       {"params", json::Object{{"match-id", player.match}, {"seats", seats}}}}));
  EXPECT_TRUE(Succeeded(Answer(client)));
}

// Every node lists the tables of all, each once, in pages, live ones first and newest first.
TEST_F(ClusterPass, AnyNodeListsTheTablesOfAll) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  std::vector<std::string> made;
  for (int i = 0; i < 5; ++i) {
    made.insert(made.begin(), Create(*first).match);
    made.insert(made.begin(), Create(*second).match);
  }
  for (RealServer* node : {first.get(), second.get()}) {
    for (const char* recorded : {"", "&recorded=true"}) {
      std::vector<std::string> listed;
      std::string cursor;
      do {
        const json::Value page = WithAllNodes([&] {
          return node->Get("/api/v1/tables?limit=3" + std::string(recorded) +
                           (cursor.empty() ? "" : "&cursor=" + cursor));
        });
        EXPECT_LE(page.at("tables").as_array().size(), 3u);
        for (const json::Value& table : page.at("tables").as_array()) {
          EXPECT_EQ(json::Find(table, "after"), nullptr);
          listed.push_back(Text(table, "id"));
        }
        cursor = Text(page, "next");
      } while (!cursor.empty());
      EXPECT_EQ(listed, made) << recorded;
    }
  }
  // So do MCP hosts.
  for (RealServer* node : {first.get(), second.get()}) {
    const std::string session = ShakeHands(*node);
    const json::Value all = WithAllNodes([&] { return Structured(CallTool(*node, session, "list_tables", {})); });
    std::vector<std::string> listed;
    for (const json::Value& table : all.at("tables").as_array()) {
      EXPECT_EQ(json::Find(table, "after"), nullptr);
      listed.push_back(Text(table, "id"));
    }
    EXPECT_EQ(listed, made);
  }
  // A transcript of any of them is at both.
  for (const std::string& match : made) {
    for (RealServer* node : {first.get(), second.get()}) {
      EXPECT_EQ(Text(node->Get("/api/v1/tables/" + match + "/transcript"), "table"), match);
    }
  }
}

// A page at any node is told of all tables, and follows those that it chooses, wherever they are.
TEST_F(ClusterPass, AnyNodeTellsWhatHappensAtAll) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const Player there = Create(*first);
  const Player here = Create(*second);
  WireClient page(*second, "/api/v1/live");
  page.Send(R"({"op":"tables"})");
  std::set<std::string> tables;
  while (tables.size() < 2) {
    const json::Value told = page.Next();
    ASSERT_TRUE(told.is_object());
    if (told.at("type") == json::Value("table")) tables.insert(Text(told.at("table"), "id"));
    if (told.at("type") != json::Value("tables")) continue;
    // It is the whole list: nothing that came before counts.
    tables.clear();
    for (const json::Value& table : told.at("tables").as_array()) tables.insert(Text(table, "id"));
  }
  EXPECT_THAT(tables, ::testing::UnorderedElementsAre(there.match, here.match));
  // A later one of the other node.
  const Player later = Create(*first);
  const auto told_of = [&page](const std::string& type, const std::string& table) {
    for (json::Value told = page.Next(); told.is_object(); told = page.Next()) {
      const json::Value* about = json::Find(told, "table");
      if (Text(told, "type") != type || about == nullptr) continue;
      if (table == (about->is_object() ? Text(*about, "id") : Text(told, "table"))) return told;
    }
    return json::Value();
  };
  EXPECT_TRUE(told_of("table", later.match).is_object());
  for (const Player& player : {there, here}) {
    page.Send(json::Write(json::Object{{"op", "subscribe"}, {"table", player.match}}));
    // Only what spectators may see, unless it asks for more.
    EXPECT_EQ(Text(told_of("subscribed", player.match), "viewer"), "spectator");
    Mark(*first, player);
    EXPECT_TRUE(told_of("changed", player.match).is_object());
    page.Send(json::Write(json::Object{{"op", "subscribe"}, {"table", player.match}, {"viewer", "all"}, {"after", 0}}));
    EXPECT_TRUE(told_of("events", player.match).is_object());
  }
  // When a node dies, the page comes back and is told everything again.
  first->Kill();
  json::Value last = page.Next();
  while (last.is_object()) last = page.Next();
  AwaitMatch(*second, there);
  WireClient again(*second, "/api/v1/live");
  again.Send(json::Write(json::Object{{"op", "subscribe"}, {"table", there.match}}));
  EXPECT_EQ(Text(again.Next(), "type"), "subscribed");
}

// Who follows a story at any node hears of its turns.
TEST_F(ClusterPass, AStoryIsFollowedAtAnyNode) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const net::TestClient::Answer made = PostTo(
      *first, "/api/games",
      json::Object{
          {"scenario", "whispering-woods"}, {"player", "Ana"}, {"narrator", json::Object{{"kind", "storyteller"}}}});
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string story = Text(json::Parse(made.body)->at("data"), "id");
  net::TestClient listener(second->port());
  listener.Send("GET /api/games/" + story + "/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(listener.ReadUntil("event: status"), HasSubstr("text/event-stream"));
  EXPECT_EQ(PostTo(*second, "/api/games/" + story + "/turns", json::Object{{"text", "I look around."}}).status, 200);
  EXPECT_THAT(listener.ReadUntil("event: turn\n"), HasSubstr("event: turn\n"));
  EXPECT_EQ(second->Status("/api/games/no-such-story/events"), 404);
}

// Where games need a token, that of a match opens any node, and so does the code that gives a seat to another device.
TEST_F(ClusterPass, ATokenOfAMatchOpensAnyNode) {
  const std::string config = data_.path() + "/openseat.toml";
  WriteTextFile(config, "[access]\ngames = \"token\"\nwrong_burst = 3\nwrong_per_minute = 1\n");
  const auto first = Start("one", {"--config", config});
  const auto second = Start("two", {"--config", config});
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const auto opens = [](RealServer& node, const std::string& token) {
    return net::TestClient(node.port())
        .Request("GET /chimera?token=" + token +
                 " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        .status;
  };
  for (int i = 0; i < 4; ++i) {
    const json::Value made = first->Post(
        "/api/v1/matches",
        json::Object{{"game", "tictactoe"}, {"seats", json::Array{json::Object(), json::Object()}}, {"private", true}});
    const std::string match = Text(made, "match-id") + "." + Text(made, "invite");
    for (RealServer* node : {first.get(), second.get()}) EXPECT_EQ(opens(*node, match), 101);
    WireClient tab(*second, "/chimera?token=" + match);
    const json::Value joined = tab.Ask("join-match", Join({match, {}, "tictactoe"}));
    ASSERT_TRUE(Succeeded(joined)) << json::Write(joined);
    const std::string token = Text(joined, "token");
    for (RealServer* node : {first.get(), second.get()}) EXPECT_EQ(opens(*node, TableOf(match) + "." + token), 101);
    tab.Send(json::Write(json::Object{{"type", "request"},
                                      {"id", "code"},
                                      {"operation", "hand-on"},
                                      {"params", json::Object{{"match-id", match}, {"token", token}}}}));
    const json::Value answer = Answer(tab);
    ASSERT_TRUE(Succeeded(answer)) << json::Write(answer);
    const std::string code = Text(answer.at("result"), "code");
    RealServer& other = i % 2 == 0 ? *first : *second;
    WireClient phone(other, "/chimera?token=" + code);
    const json::Value taken = phone.Ask("take-on", json::Object{{"code", code}});
    ASSERT_TRUE(Succeeded(taken)) << json::Write(taken);
    EXPECT_EQ(Text(taken, "token"), token);
  }
  // No right token was a wrong guess; a wrong one is, wherever the match is.
  const json::Value made = first->Post(
      "/api/v1/matches",
      json::Object{{"game", "tictactoe"}, {"seats", json::Array{json::Object(), json::Object()}}, {"private", true}});
  for (RealServer* node : {first.get(), second.get()}) {
    EXPECT_EQ(opens(*node, Text(made, "match-id") + ".wrong"), 401);
    EXPECT_EQ(opens(*node, Text(made, "match-id") + "." + Text(made, "invite")), 101);
  }
}

}  // namespace
}  // namespace openseat::tests
