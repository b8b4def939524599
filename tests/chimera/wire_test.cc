// Hosted matches as Chimera clients see them on the wire, on the real program: input that is nonsense, too much or too
// slow, players who come and go, who is told what, and what a replay shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "support/real_server.h"

namespace openseat::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Wire : public ::testing::Test {
 protected:
  // `config`: TOML.
  void Start(const std::string& config = {}) {
    const std::string file = data_.path() + "/openseat.toml";
    WriteTextFile(file, config);
    server_ = std::make_unique<RealServer>(data_.path(), std::vector<std::string>{"--config", file});
  }
  struct Made {
    std::string id;
    std::string token;  // of the first player
  };
  Made Create(WireClient& client, const std::string& game) {
    const json::Value answer = client.Ask("create-match", json::Object{{"game", game}, {"player-name", "Alex"}});
    return {answer.at("result").at("match-id").as_string().c_str(), answer.at("token").as_string().c_str()};
  }
  static json::Value Join(WireClient& client, const std::string& game, const Made& made, const std::string& name,
                          const std::string& token = {}) {
    json::Object params{{"game", game}, {"match-id", made.id}, {"player-name", name}};
    if (!token.empty()) params["token"] = token;
    return client.Ask("join-match", params);
  }
  static json::Value Spectate(WireClient& client, const std::string& game, const Made& made) {
    return client.Ask("spectate-match",
                      json::Object{{"game", game}, {"match-id", made.id}, {"spectator-name", nullptr}});
  }
  static json::Value Act(WireClient& client, const Made& made, const char* action, const char* data) {
    return client.Ask("game-action",
                      json::Object{{"match-id", made.id}, {"action", action}, {"data", *json::Parse(data)}});
  }
  static std::string EventOf(const json::Value& message) {
    return message.is_object() && message.get_object().contains("event") ? message.at("event").as_string().c_str()
                                                                         : "none: " + json::Write(message);
  }
  std::string Status(const Made& made) {
    return server_->Get("/api/v1/tables/" + made.id).at("status").as_string().c_str();
  }
  std::string Transcript(const Made& made, const std::string& query = {}) {
    return json::Write(server_->Get("/api/v1/tables/" + made.id + "/transcript" + query));
  }
  // What `openseat replay` prints; its exit code must be `code`.
  std::string ReplayTool(const std::vector<std::string>& arguments, int code = 0) {
    std::vector<std::string> all{"replay", "--data-dir", data_.path()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    Process process(OPENSEAT_BINARY, all, {}, data_.path() + "/errors");
    std::string out = process.ReadAll();
    EXPECT_EQ(process.Wait(), code);
    return out + ReadTextFile(data_.path() + "/errors");
  }

  const TemporaryDirectory data_;
  std::unique_ptr<RealServer> server_;
};

TEST_F(Wire, NonsenseIsAnsweredAndTheConnectionGoesOn) {
  Start();
  WireClient client(*server_);
  const std::vector<std::pair<std::string, int>> cases{
      {"", -32700},
      {"nonsense", -32700},
      {"\"text\"", -32600},
      {"[{\"type\":\"request\"}]", -32600},
      {"null", -32600},
      {R"({"type":7,"id":1,"operation":"list-games"})", -32600},
      {R"({"type":"request","id":null,"operation":"list-games"})", -32600},
      {R"({"type":"request","id":1,"operation":7})", -32600},
      {R"({"type":"request","id":1,"operation":"create-match"})", -32602},
      {R"({"type":"request","id":1,"operation":"create-match","params":null})", -32602},
      {R"({"type":"request","id":1,"operation":"join-match","params":{"game":[],"match-id":"m","player-name":"A"}})",
       -32602},
      {R"({"type":"request","id":1,"operation":"spectate-match","params":{"game":"rps","match-id":"m"}})", -32602},
      {R"({"type":"request","id":1,"operation":"game-action","params":{"match-id":"m","action":"a","data":[]}})",
       -32602},
      {std::string(100, '['), -32700},
      {R"({"type":"request","id":1,"operation":"list-games","params":)" + std::string(100, '[') +
           std::string(100, ']') + "}",
       -32600},
  };
  for (const auto& [text, code] : cases) {
    client.Send(text);
    const json::Value answer = client.Next();
    ASSERT_TRUE(answer.is_object()) << text;
    EXPECT_EQ(answer.at("error").at("code"), json::Value(code)) << text;
    EXPECT_FALSE(answer.at("error").at("data").at("details").as_string().empty()) << text;
  }
  // Unknown members are ignored everywhere.
  client.Send(
      R"({"type":"request","x":1,"id":1,"operation":"create-match","params":{"game":"rps","player-name":"A","x":[]}})");
  EXPECT_THAT(json::Write(client.Next()), HasSubstr("match-id"));
}

TEST_F(Wire, AThousandRequestsInOneWriteAreAnsweredInOrder) {
  Start();
  WireClient client(*server_);
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    const std::string request =
        i % 3 == 0   ? R"("operation":"list-games")"
        : i % 3 == 1 ? R"("operation":"join-match","params":{"game":"rps","match-id":"m","player-name":"A"})"
                     : R"("operation":"dance")";
    bytes += net::ClientFrame(0x81, R"({"type":"request","id":)" + std::to_string(i) + "," + request + "}");
  }
  client.raw().Send(bytes);
  for (int i = 0; i < 1000; ++i) {
    const json::Value answer = client.Next();
    ASSERT_TRUE(answer.is_object());
    ASSERT_EQ(answer.at("id"), json::Value(i));
    EXPECT_EQ(answer.get_object().contains("result"), i % 3 == 0);
  }
}

TEST_F(Wire, AClientThatNeverReadsIsDroppedAndTheOthersPlayOn) {
  Start("[limits]\nmax_outbox_bytes = 262144\n");
  WireClient alex(*server_);
  WireClient sam(*server_);
  WireClient deaf(*server_);
  const Made made = Create(alex, "tictactoe");
  Spectate(deaf, "tictactoe", made);
  Join(sam, "tictactoe", made, "Sam");
  EXPECT_EQ(EventOf(sam.Next()), "start");
  EXPECT_EQ(EventOf(alex.Next()), "start");
  // It keeps asking and reads nothing, until the server cuts it.
  std::string many;
  for (int i = 0; i < 200; ++i) many += net::ClientFrame(0x81, R"({"type":"request","id":1,"operation":"list-games"})");
  bool cut = false;
  for (int i = 0; i < 2000 && !cut; ++i) {
    std::size_t sent = 0;
    while (sent < many.size() && !cut) {
      const ssize_t n = ::send(deaf.raw().descriptor(), many.data() + sent, many.size() - sent, MSG_NOSIGNAL);
      cut = n <= 0;
      if (!cut) sent += static_cast<std::size_t>(n);
    }
    if (i % 10 != 0) continue;
    // Meanwhile the others are served.
    EXPECT_THAT(json::Write(alex.Ask("list-games", json::Object())), HasSubstr("tictactoe"));
  }
  EXPECT_TRUE(cut) << "the server never cut it";
  for (const auto& [who, position] : std::vector<std::pair<WireClient*, const char*>>{
           {&alex, "[0,0]"}, {&sam, "[1,0]"}, {&alex, "[0,1]"}, {&sam, "[1,1]"}, {&alex, "[0,2]"}}) {
    EXPECT_THAT(json::Write(Act(*who, made, "move", ("{\"position\":" + std::string(position) + "}").c_str())),
                HasSubstr("updated"));
    const std::string event = std::string(position) == "[0,2]" ? "end" : "update";
    EXPECT_EQ(EventOf(alex.Next()), event);
    EXPECT_EQ(EventOf(sam.Next()), event);
  }
}

TEST_F(Wire, AMatchGoesFromStatusToStatusAndADroppedPlayerComesBack) {
  Start();
  auto alex = std::make_unique<WireClient>(*server_);
  WireClient sam(*server_);
  const Made made = Create(*alex, "tictactoe");
  EXPECT_EQ(Status(made), "awaiting-players");
  EXPECT_THAT(json::Write(Join(sam, "tictactoe", made, "Sam")), HasSubstr(R"("result":{},"token":")"));
  const json::Value start = sam.Next();
  EXPECT_EQ(EventOf(start), "start");
  EXPECT_EQ(start.at("data").at("match-status"), json::Value("in-progress"));
  EXPECT_EQ(Status(made), "in-progress");
  Act(*alex, made, "move", R"({"position":[0,0]})");
  EXPECT_EQ(EventOf(sam.Next()), "update");

  alex.reset();
  WireClient thief(*server_);
  EXPECT_EQ(Join(thief, "tictactoe", made, "Alex", "not-the-token").at("error").at("code"), json::Value(-40102));
  WireClient again(*server_);
  EXPECT_EQ(json::Write(Join(again, "tictactoe", made, "Alex", made.token)),
            R"({"type":"response","id":"r","result":{}})");
  const json::Value now = again.Next();
  EXPECT_EQ(EventOf(now), "update");
  EXPECT_THAT(json::Write(now.at("data").at("game-state")), HasSubstr(R"([["X"," "," "])"));
  for (const auto& [who, data] : std::vector<std::pair<WireClient*, const char*>>{{&sam, R"({"position":[1,0]})"},
                                                                                  {&again, R"({"position":[0,1]})"},
                                                                                  {&sam, R"({"position":[1,1]})"},
                                                                                  {&again, R"({"position":[0,2]})"}}) {
    EXPECT_THAT(json::Write(Act(*who, made, "move", data)), HasSubstr("updated"));
    again.Next();
    const json::Value told = sam.Next();
    if (EventOf(told) != "end") continue;
    EXPECT_EQ(told.at("data").at("match-status"), json::Value("done"));
    EXPECT_EQ(told.at("data").at("match-winner"), json::Value("Alex"));
  }
  EXPECT_EQ(Status(made), "done");
  EXPECT_EQ(Act(sam, made, "move", R"({"position":[2,2]})").at("error").at("code"), json::Value(-40105));
}

TEST_F(Wire, WhoDoesNotComeBackInTimeHasLost) {
  Start("[match]\ngrace = 1\n");
  auto alex = std::make_unique<WireClient>(*server_);
  WireClient sam(*server_);
  WireClient eve(*server_);
  const Made made = Create(*alex, "connectm");
  Spectate(eve, "connectm", made);
  Join(sam, "connectm", made, "Sam");
  EXPECT_EQ(EventOf(sam.Next()), "start");
  EXPECT_EQ(EventOf(eve.Next()), "start");
  alex.reset();
  for (WireClient* each : {&sam, &eve}) {
    const json::Value end = each->Next();
    EXPECT_EQ(EventOf(end), "end");
    EXPECT_EQ(end.at("data").at("match-winner"), json::Value("Sam"));
    EXPECT_EQ(end.at("data").at("match-reason"), json::Value("Alex left and did not come back"));
  }
  EXPECT_THAT(Transcript(made), HasSubstr(R"("kind":"ended")"));
}

TEST_F(Wire, AnIdleMatchEndsForAll) {
  Start("[match]\nidle = 1\n");
  WireClient alex(*server_);
  WireClient sam(*server_);
  WireClient eve(*server_);
  const Made made = Create(alex, "tictactoe");
  Spectate(eve, "tictactoe", made);
  Join(sam, "tictactoe", made, "Sam");
  for (WireClient* each : {&alex, &sam, &eve}) {
    EXPECT_EQ(EventOf(each->Next()), "start");
    const json::Value end = each->Next();
    EXPECT_EQ(EventOf(end), "end");
    EXPECT_EQ(end.at("data").at("match-winner"), json::Value(nullptr));
    EXPECT_EQ(end.at("data").at("match-reason"), json::Value("nothing happened for too long"));
  }
}

// Two games with secret choices: only the player learns its own before both are in. Nobody else learns it from a
// notification, a transcript or the replay tool.
TEST_F(Wire, NobodyIsToldASecretChoice) {
  Start();
  struct Case {
    const char* game;
    const char* action;
    const char* data;
    const char* secret;
  };
  for (const Case& each :
       {Case{"rps", "throw", R"({"hand":"paper"})", "paper"}, Case{"chicken", "move", R"({"swerve":true})", "true"}}) {
    WireClient alex(*server_);
    WireClient sam(*server_);
    WireClient eve(*server_);
    const Made made = Create(alex, each.game);
    Spectate(eve, each.game, made);
    Join(sam, each.game, made, "Sam");
    EXPECT_EQ(EventOf(alex.Next()), "start");
    sam.Next();
    eve.Next();
    EXPECT_THAT(json::Write(Act(alex, made, each.action, each.data)), HasSubstr("result"));
    WireClient late(*server_);
    Spectate(late, each.game, made);
    EXPECT_THAT(json::Write(late.Next()), Not(HasSubstr(each.secret)));
    for (const char* query : {"", "?viewer=spectator", "?viewer=Sam", "?viewer=1"}) {
      EXPECT_THAT(Transcript(made, query), Not(HasSubstr(each.secret))) << query;
    }
    EXPECT_THAT(json::Write(server_->Get("/api/v1/tables/" + made.id)), Not(HasSubstr(R"("hand")")));
    EXPECT_THAT(Transcript(made, "?viewer=Alex"), HasSubstr(each.secret)) << "its own";
    EXPECT_THAT(Transcript(made, "?viewer=all"), HasSubstr(each.secret)) << "asked for";
    EXPECT_THAT(ReplayTool({made.id}), Not(HasSubstr(each.secret)));
    EXPECT_THAT(ReplayTool({made.id, "--as", "Sam", "--json"}), Not(HasSubstr(each.secret)));
    EXPECT_THAT(ReplayTool({made.id, "--as", "0"}), HasSubstr(each.secret));
    EXPECT_THAT(json::Write(Act(sam, made, each.action, each.data)), HasSubstr("result"));
    for (WireClient* client : {&alex, &sam, &eve}) {
      EXPECT_THAT(json::Write(client->Next()), AllOf(HasSubstr(R"("event":"update")"), HasSubstr(each.secret)))
          << "now both are in, and nobody was told about half a round";
    }
    EXPECT_THAT(Transcript(made), HasSubstr(each.secret));
  }
}

TEST_F(Wire, AReplaySaysWhomItCanShow) {
  Start();
  WireClient alex(*server_);
  const Made made = Create(alex, "rps");
  EXPECT_THAT(ReplayTool({made.id, "--as", "Eve"}, 2), HasSubstr("spectator, 0 (Alex)"));
  EXPECT_THAT(ReplayTool({"no-match", "--as", "Eve"}, 2), HasSubstr("no-match"));
  const std::string whole = ReplayTool({made.id, "--as", "all", "--json"});
  EXPECT_THAT(whole, HasSubstr(R"("seed":)"));
  EXPECT_THAT(ReplayTool({made.id, "--json"}), Not(HasSubstr(R"("seed":)")));
  net::TestClient http(server_->port());
  const auto answer =
      http.Request("GET /api/v1/tables/" + made.id + "/transcript?viewer=Eve HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("spectator, 0 (Alex)"));
}

// Published clients connect without a path; other clients find the main port's path on Chimera's own port too.
TEST(OwnPort, ServesBothPaths) {
  const TemporaryDirectory data;
  Process server(OPENSEAT_BINARY, {"serve", "--listen", "127.0.0.1:0", "--chimera-listen", "127.0.0.1:0", "--data-dir",
                                   data.path(), "--log-level", "warn"});
  std::string line;
  while (line.find("Chimera clients connect to") == std::string::npos) ASSERT_TRUE(server.ReadLine(line));
  const auto port = static_cast<std::uint16_t>(std::stoul(line.substr(line.rfind(':') + 1)));
  const auto knock = [port](const std::string& path, const std::string& origin) {
    return net::TestClient(port)
        .Request("GET " + path +
                 " HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                 origin + "\r\n")
        .status;
  };
  for (const char* path : {"/", "/chimera"}) {
    EXPECT_EQ(knock(path, ""), 101) << path;
    EXPECT_EQ(knock(path, "Origin: https://evil.example\r\n"), 403) << path << ": a page of another site";
  }
  EXPECT_EQ(knock("/elsewhere", ""), 404);
}

TEST(Bench, PlaysMatchesAtAServerOfItsOwn) {
  for (const char* game : {"tictactoe", "rps"}) {
    Process bench(OPENSEAT_BINARY, {"bench", "chimera", "--matches", "5", "--seconds", "1", "--rate", "500", "--game",
                                    game, "--memory", "--json"});
    const Result<json::Value> report = json::Parse(bench.ReadAll());
    EXPECT_EQ(bench.Wait(), 0);
    ASSERT_TRUE(report.has_value());
    EXPECT_GT(report->at("actions_per_second").to_number<double>(), 0);
    EXPECT_GT(report->at("p99_us").to_number<double>(), 0);
    EXPECT_TRUE(report->get_object().contains("match_bytes"));
  }
  Process refused(OPENSEAT_BINARY, {"bench", "chimera", "--game", "netrunner"});
  EXPECT_EQ(refused.Wait(), 2) << "its games cannot be drawn in advance";
}

}  // namespace
}  // namespace openseat::tests
