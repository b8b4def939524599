// Strangers without access: matches that they were not invited to, games and consoles that need a token, secrets that
// they guess. Requests from elsewhere come through a proxy on this machine, which marks them.
#include <algorithm>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_by_requests.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DoorsAttack : public OwnedAttack {
 protected:
  net::TestClient::Answer Upgrade(const std::string& path, const std::string& headers) {
    return net::TestClient(server().port()).Request(UpgradeHead(path, headers));
  }
  static json::Object Match(std::string_view name) {
    return {{"game", "tictactoe"}, {"match-id", name}, {"player-name", "Eve"}, {"spectator-name", nullptr}};
  }
  // The answer, with `name` removed from its text.
  static std::string Told(WireClient& client, std::string_view operation, const std::string& name) {
    std::string text = json::Write(client.Ask(operation, Match(name)));
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name)) text.erase(at, name.size());
    return text;
  }
  std::string Audit() { return ReadTextFile(data_dir() + "/audit.log"); }
};

std::string TextAt(const json::Value& value, std::string_view member) {
  const json::Value* text = json::Find(value, member);
  return text != nullptr && text->is_string() ? std::string(json::View(text->get_string())) : std::string();
}

// Who goes on with a match learns what was hidden in it, and a judgment takes much work: both are for the operator.
TEST_F(DoorsAttack, ThePastIsForTheOwner) {
  StartAlone();
  const json::Value random = json::Object{{"agent", json::Object{{"kind", "random"}}}};
  const json::Value made =
      server().Post("/api/v1/matches",
                    json::Object{{"game", "tictactoe"}, {"private", true}, {"seats", json::Array{random, random}}});
  const std::string id = TextAt(made, "match-id");
  WaitUntilDone(id);
  const std::string wrong = id + "." + std::string(TextAt(made, "invite").size(), 'a');
  const std::string body = json::Write(json::Object{{"decision", 2}, {"seats", json::Array{random, random}}});
  for (const std::string what : {"fork", "analysis"}) {
    EXPECT_EQ(Ask("POST /api/v1/tables/" + id + "/" + what, std::string(kElsewhere), body).status, 401) << what;
    EXPECT_EQ(Ask("POST /api/v1/tables/" + wrong + "/" + what, {}, body).status, 404) << what;
  }
  EXPECT_EQ(Ask("GET /api/v1/tables/" + id + "/analysis", std::string(kElsewhere)).status, 401);
  EXPECT_EQ(Ask("GET /api/v1/tables/" + wrong + "/analysis").status, 404);
  // Others cannot find a fork of it either.
  const json::Value forked = *json::Parse(Ask("POST /api/v1/tables/" + id + "/fork", {}, body).body);
  EXPECT_GE(TextAt(forked, "invite").size(), 20u);
}

TEST_F(DoorsAttack, APrivateMatchIsNotToBeFound) {
  StartAlone();
  const json::Value made = server().Post("/api/v1/matches", json::Object{{"game", "tictactoe"}, {"private", true}});
  const std::string id = TextAt(made, "match-id");
  const std::string invite = TextAt(made, "invite");
  ASSERT_GE(invite.size(), 20u) << "a hundred bits, five per letter";
  const std::string name = id + "." + invite;
  WireClient eve(server());
  std::string wrong = name;
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  for (const char* operation : {"join-match", "spectate-match"}) {
    const std::string nobody = Told(eve, operation, "no-such-match");
    EXPECT_THAT(nobody, HasSubstr("-40102"));
    for (const std::string& guess : {id, wrong, id + ".", name + "a"}) {
      EXPECT_EQ(Told(eve, operation, guess), nobody) << operation << " " << guess;
    }
  }
  EXPECT_EQ(Ask("GET /api/v1/tables/" + wrong).status, 404);
  EXPECT_EQ(Ask("GET /api/v1/tables/" + wrong + "/transcript").status, 404);
  EXPECT_EQ(Ask("GET /api/v1/tables/" + name).status, 200);
  EXPECT_EQ(Ask("GET /api/v1/tables/" + name + "/transcript").status, 200);
  EXPECT_THAT(Ask("GET /api/v1/tables/" + id + "/transcript").body, Not(HasSubstr(invite)));

  // The invitation survives a kill.
  server().Kill();
  StartAlone();
  WireClient guest(server());
  EXPECT_EQ(TextAt(guest.Ask("spectate-match", Match(id)).at("error"), "message"), "Unknown match");
  EXPECT_TRUE(guest.Ask("spectate-match", Match(name)).as_object().contains("result"));
  EXPECT_TRUE(guest.Ask("join-match", Match(name)).as_object().contains("result"));
  EXPECT_THAT(server().Log(), Not(HasSubstr(invite)));
}

TEST_F(DoorsAttack, WhatIsMadeFromElsewhereIsPrivate) {
  Start();
  const std::string admin = std::string(kElsewhere) + "Authorization: Bearer " + std::string(kToken) + "\r\n";
  const auto made = [&](const std::string& body) {
    return TextAt(*json::Parse(Ask("POST /api/v1/matches", admin, body).body), "invite");
  };
  EXPECT_NE(made(R"({"game":"tictactoe"})"), "");
  EXPECT_EQ(made(R"({"game":"tictactoe","private":false})"), "");
  const json::Value story = *json::Parse(
      Ask("POST /api/games", admin, R"({"scenario":"whispering-woods","narrator":{"kind":"external"}})").body);
  const json::Value* data = json::Find(story, "data");
  ASSERT_NE(data, nullptr) << json::Write(story);
  EXPECT_NE(TextAt(*data, "invite"), "");
  WireClient alex(server(), "/chimera?token=" + std::string(kToken), kElsewhere);
  EXPECT_THAT(TextAt(alex.Ask("create-match", Match("x")).at("result"), "match-id"), HasSubstr("."));
  WireClient local(server());
  EXPECT_THAT(TextAt(local.Ask("create-match", Match("x")).at("result"), "match-id"), Not(HasSubstr(".")));
}

TEST_F(DoorsAttack, WhatAGameElsewhereTellsItsPlayerIsPrivate) {
  Start();
  WireGame game(server(), "Poker");
  game.client().Send(R"({"command":"context","game":"Poker","data":{"message":"You hold two aces","silent":true}})");
  const std::string uri = "openseat://tables/" + TableOf("Poker") + "/transcript";
  Process create(OPENSEAT_BINARY, {"key", "create", "--data-dir", data_dir(), "--label", "guest"}, {}, "/dev/null");
  std::string key;
  ASSERT_TRUE(create.ReadLine(key));
  EXPECT_EQ(create.Wait(), 0);
  const auto read = [&](std::string_view token) {
    const std::string meta =
        R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
    return Ask("POST /mcp",
               std::string(kElsewhere) + "Authorization: Bearer " + std::string(token) +
                   "\r\nContent-Type: application/json\r\nAccept: application/json\r\nMCP-Protocol-Version: "
                   "2026-07-28\r\nMcp-Method: resources/read\r\n"
                   "Mcp-Name: " +
                   uri + "\r\n",
               R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":")" + uri + "\"," + meta + "}}")
        .body;
  };
  EXPECT_THAT(read(key), HasSubstr("only the server's operator may read the record of a game elsewhere"));
  // Once it is recorded.
  while (read(kToken).find("two aces") == std::string::npos) {
  }
}

TEST_F(DoorsAttack, FromElsewhereGamesWantAToken) {
  Start();
  Process key(OPENSEAT_BINARY, {"key", "create", "--data-dir", data_dir(), "--label", "game"}, {}, "/dev/null");
  std::string secret;
  ASSERT_TRUE(key.ReadLine(secret));
  EXPECT_EQ(key.Wait(), 0);
  EXPECT_THAT(Audit(), HasSubstr(R"("what":"openseat key create k-)"));
  EXPECT_THAT(Audit(), Not(HasSubstr(secret)));
  const json::Value made = server().Post("/api/v1/matches", json::Object{{"game", "tictactoe"}, {"private", true}});
  const std::string invitation = TextAt(made, "match-id") + "." + TextAt(made, "invite");
  const std::string elsewhere(kElsewhere);
  for (const std::string path : {"/", "/game", "/game/x", "/neuro", "/chimera"}) {
    const auto answer = Upgrade(path, elsewhere);
    EXPECT_EQ(answer.status, 401) << path;
    EXPECT_TRUE(answer.headers.contains("www-authenticate")) << path;
    EXPECT_EQ(Upgrade(path + "?token=wrong", elsewhere).status, 401) << path;
    EXPECT_EQ(Upgrade(path + "?token=" + secret, elsewhere).status, 101) << path;
    EXPECT_EQ(Upgrade(path, elsewhere + "Authorization: Bearer " + secret + "\r\n").status, 101) << path;
    const auto protocol = Upgrade(path, elsewhere + "Sec-WebSocket-Protocol: openseat.bearer." + secret + "\r\n");
    EXPECT_EQ(protocol.status, 101) << path;
    EXPECT_THAT(protocol.head, Not(HasSubstr(secret))) << path;
    EXPECT_EQ(Upgrade(path + "?token=" + std::string(kToken), elsewhere).status, 101) << path;
    EXPECT_EQ(Upgrade(path + "?token=" + invitation, elsewhere).status, path == "/chimera" ? 101 : 401) << path;
    EXPECT_EQ(Upgrade(path, "").status, 101) << path << ", on this machine";
  }
  // A request without an upgrade also learns that a token is needed.
  EXPECT_EQ(Ask("GET /chimera", elsewhere).status, 401);
  EXPECT_EQ(Ask("GET /chimera").status, 426);

  EXPECT_EQ(Ask("GET /api/v1/tables", elsewhere).status, 401);
  EXPECT_EQ(Ask("GET /api/v1/tables", elsewhere + "Authorization: Bearer wrong\r\n").status, 401);
  EXPECT_EQ(Ask("GET /api/v1/tables", elsewhere + "Authorization: Bearer " + secret + "\r\n").status, 403);
  EXPECT_TRUE(Ask("GET /api/v1/tables", elsewhere).headers.contains("www-authenticate"));
}

TEST_F(DoorsAttack, ACodeForASeatIsGoodOnceAndGuessingItIsRecorded) {
  StartAlone("[access]\nwrong_per_minute = 1\nwrong_burst = 20\n");
  WireClient ann(server());
  const json::Value made = ann.Ask("create-match", json::Object{{"game", "tictactoe"}, {"player-name", "Ann"}});
  const std::string match = TextAt(made.at("result"), "match-id");
  const std::string token = TextAt(made, "token");
  const json::Value passed = ann.Ask("hand-on", json::Object{{"match-id", match}, {"token", token}});
  const std::string code = TextAt(passed.at("result"), "code");
  ASSERT_GE(code.size(), 20u) << "a hundred bits, five per letter";
  const std::string elsewhere(kElsewhere);
  EXPECT_EQ(Upgrade("/?token=" + code, elsewhere).status, 401) << "not for the Neuro API";
  WireClient phone(server(), "/chimera?token=" + code, elsewhere);
  EXPECT_EQ(TextAt(phone.Ask("take-on", json::Object{{"code", code}}), "token"), token);
  EXPECT_EQ(Upgrade("/chimera?token=" + code, elsewhere).status, 401) << "it is used up";
  EXPECT_EQ(Upgrade("/chimera?token=" + match + "." + token, elsewhere).status, 101);
  // Codes without end do not push out what else is in the log.
  for (int i = 0; i < 300; ++i) ann.Ask("hand-on", json::Object{{"match-id", match}, {"token", token}});
  EXPECT_THAT(GuessSeatCodes(phone, Scaled(60)).back(), HasSubstr("wrong_per_minute"));
  EXPECT_GE(server().Metric(R"(openseat_refused_total{budget="access.wrong_per_minute"})"), 1);
  EXPECT_THAT(json::Write(ann.Ask("hand-on", json::Object{{"match-id", match}, {"token", "guess"}})),
              HasSubstr("-40102"));
  server().Stop();
  EXPECT_THAT(Audit(), HasSubstr(R"("event":"player","what":"seat code used","from":"203.0.113.9")"));
  EXPECT_THAT(Audit(), HasSubstr(R"("event":"left-out")"));
  EXPECT_LT(std::ranges::count(Audit(), '\n'), 300);
  EXPECT_THAT(Audit(), HasSubstr(R"("what":"seat code","from":"203.0.113.9")"));
  for (const std::string& secret : {code, token, std::string("guess")}) EXPECT_THAT(Audit(), Not(HasSubstr(secret)));
  EXPECT_THAT(server().Log(), Not(HasSubstr(code)));
}

TEST_F(DoorsAttack, NoOtherHostSetsTheCookieOfWhoSignedIn) {
  const auto forgets = [&](const std::string& public_url) {
    StartAlone("[sign_in]\nissuer = \"http://127.0.0.1:9\"\nclient_id = \"openseat\"\npublic_url = \"" + public_url +
               "\"\n");
    const std::string cookie = Ask("POST /auth/logout", "", "{}").headers["set-cookie"];
    server().Stop();
    return cookie;
  };
  EXPECT_EQ(forgets("https://play.example"),
            "__Host-openseat_person=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
  EXPECT_EQ(forgets("http://127.0.0.1:8000"), "openseat_person=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
}

TEST_F(DoorsAttack, NobodySignsInAsAnother) {
  StartAlone(
      "[access]\nwrong_per_minute = 1\nwrong_burst = 20\n[sign_in]\nissuer = \"http://127.0.0.1:9\"\n"
      "client_id = \"openseat\"\npublic_url = \"http://127.0.0.1:8000\"\n");
  const std::string elsewhere(kElsewhere);
  // A cookie that the server did not make opens nothing.
  for (const std::string forged : {"x", "x.y", "eyJhY2NvdW50IjoiYSIsInVudGlsIjo5OTk5OTk5OTk5fQ.YQ"}) {
    const std::string cookie = elsewhere + "Cookie: openseat_person=" + forged + "\r\n";
    EXPECT_EQ(Upgrade("/chimera", cookie).status, 401);
    EXPECT_EQ(Ask("GET /api/v1/decks", cookie).status, 401);
    EXPECT_THAT(Ask("GET /auth/me", cookie).body, Not(HasSubstr("account")));
  }
  // A state that this browser did not begin with, and one that nobody did.
  EXPECT_EQ(Ask("GET /auth/callback?code=c&state=s", elsewhere).status, 403);
  EXPECT_EQ(Ask("GET /auth/callback?code=c&state=s", elsewhere + "Cookie: openseat_attempt=t\r\n").status, 403);
  EXPECT_EQ(Ask("GET /auth/callback?code=c&state=s", elsewhere + "Cookie: openseat_attempt=s\r\n").status, 403);
  EXPECT_EQ(Ask("GET /auth/callback?error=no&state=s", elsewhere + "Cookie: openseat_attempt=s\r\n").status, 403);
  std::vector<int> told = GuessSignIns(server(), kElsewhere, Scaled(60));
  EXPECT_GE(std::count(told.begin(), told.end(), 429), 20);
  // Attempts cost the provider something, too.
  told = BeginSignIns(server(), "X-Forwarded-For: 203.0.113.10\r\n", Scaled(60));
  EXPECT_GE(std::count(told.begin(), told.end(), 429), 20);
  EXPECT_EQ(std::count(told.begin(), told.end(), 302), 0) << "the provider does not answer";
  server().Stop();
  EXPECT_THAT(Audit(), HasSubstr(R"("what":"sign-in state","from":"203.0.113.9")"));
}

TEST_F(DoorsAttack, GamesAreOpenedOrClosedByTheConfiguration) {
  StartAlone("[access]\ngames = \"token\"\n");
  EXPECT_EQ(Upgrade("/", "").status, 401);
  EXPECT_EQ(Upgrade("/chimera", "").status, 401);
  EXPECT_EQ(Upgrade("/?token=" + std::string(kToken), "").status, 101);
  server().Kill();
  StartAlone("", {"--open-games"});
  EXPECT_EQ(Upgrade("/", std::string(kElsewhere)).status, 101);
  EXPECT_EQ(Upgrade("/chimera", std::string(kElsewhere)).status, 101);
}

// Nobody needs a token there, but the operator's finds private matches.
TEST_F(DoorsAttack, AnOpenDoorIsNoPlaceToGuess) {
  StartAlone("[access]\nwrong_per_minute = 1\nwrong_burst = 20\n", {"--open-games"});
  const json::Value made = server().Post("/api/v1/matches", json::Object{{"game", "tictactoe"}, {"private", true}});
  const auto from = [](int number) { return "X-Forwarded-For: 203.0.113." + std::to_string(number) + "\r\n"; };
  const auto finds = [&](const std::string& address) {
    WireClient client(server(), "/chimera?token=" + std::string(kToken), address);
    return client.Ask("spectate-match", Match(TextAt(made, "match-id"))).as_object().contains("result");
  };
  EXPECT_TRUE(finds(from(1)));
  for (std::size_t i = 0; i < Scaled(60); ++i) {
    EXPECT_EQ(Upgrade("/chimera?token=guess" + std::to_string(i), from(2)).status, 101);
  }
  EXPECT_FALSE(finds(from(2))) << "who guesses is not heard for a while";
  EXPECT_TRUE(finds(from(3)));
  server().Stop();
  EXPECT_THAT(Audit(), HasSubstr(R"("what":"admin token","from":"203.0.113.2")"));
  EXPECT_THAT(Audit(), Not(HasSubstr("guess")));
  EXPECT_LT(std::ranges::count(Audit(), '\n'), 40) << "guesses beyond the limit are not recorded";
}

TEST_F(DoorsAttack, WhoGuessesIsSlowedDownAndRecorded) {
  Start("[access]\nwrong_per_minute = 1\nwrong_burst = 20\n");
  const std::size_t guesses = Scaled(60);
  const auto count = [&](const auto& guess) {
    std::vector<int> told;
    for (std::size_t i = 0; i < guesses; ++i) told.push_back(guess(std::to_string(i)));
    return std::count(told.begin(), told.end(), 429);
  };
  const auto from = [](int number) { return "X-Forwarded-For: 203.0.113." + std::to_string(number) + "\r\n"; };
  EXPECT_GE(count([&](const std::string& i) {
              return Ask("GET /api/v1/tables", from(1) + "Authorization: Bearer guess" + i + "\r\n").status;
            }),
            30);
  EXPECT_EQ(Ask("GET /api/v1/tables", from(1) + "Authorization: Bearer " + std::string(kToken) + "\r\n").status, 429);
  EXPECT_EQ(Ask("GET /api/v1/tables", from(2) + "Authorization: Bearer " + std::string(kToken) + "\r\n").status, 200);
  EXPECT_GE(count([&](const std::string& i) { return Upgrade("/?token=guess" + i, from(3)).status; }), 30);
  EXPECT_GE(count([&](const std::string& i) {
              return Ask("GET /game/state", from(4) + "X-JNet-API: osk_guess" + i + "\r\n").status;
            }),
            30);
  EXPECT_GE(count([&](const std::string& i) {
              return Ask("POST /mcp",
                         from(5) + "Content-Type: application/json\r\nAuthorization: Bearer guess" + i + "\r\n", "{}")
                  .status;
            }),
            30);
  WireClient eve(server());
  std::string last;
  for (std::size_t i = 0; i < guesses; ++i)
    last = json::Write(eve.Ask("join-match", Match("guess-" + std::to_string(i))));
  EXPECT_THAT(last, HasSubstr("wrong_per_minute"));
  // Sending the header that the proxy does not set does not help either: all such requests count as one address.
  EXPECT_GE(count([&](const std::string& i) {
              return Ask("GET /api/v1/tables", "X-Real-IP: 203.0.113.7\r\nX-Forwarded-For: 198.51.100." + i +
                                                   "\r\nAuthorization: Bearer guess" + i + "\r\n")
                  .status;
            }),
            30);
  // One program on this machine cannot lock out the others.
  const std::string open = TextAt(server().Post("/api/v1/matches", json::Object{{"game", "tictactoe"}}), "match-id");
  EXPECT_TRUE(eve.Ask("spectate-match", Match(open)).as_object().contains("result"));
  ExpectUnnoticed(5);
  server().Stop();
  const std::string audit = Audit();
  for (const char* line :
       {R"("what":"admin token","from":"203.0.113.1")", R"("what":"token of a game","from":"203.0.113.3")",
        R"("what":"key of a seat","from":"203.0.113.4")", R"("what":"token of /mcp","from":"203.0.113.5")",
        R"("what":"match","from":"127.0.0.1")",
        R"("event":"admin","what":"POST /api/v1/matches","from":"127.0.0.1","who":"this machine")"}) {
    EXPECT_THAT(audit, HasSubstr(line));
  }
  EXPECT_THAT(audit, Not(HasSubstr("guess")));
  EXPECT_LT(std::count(audit.begin(), audit.end(), '\n'), 130) << "guesses beyond the limit are not recorded";
}

}  // namespace
}  // namespace openseat::tests
