#include "protocols/registry_api/registry_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "games/netrunner/deck_lists.h"
#include "net/percent.h"
#include "net/test_client.h"
#include "net/test_server.h"
#include "testing/memory_registry.h"

namespace openseat::registry_api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RegistryApiTest : public ::testing::Test {
 protected:
  // `who`: the account of who has signed in; "": the operator asks.
  net::TestClient::Answer Ask(const std::string& line, const std::string& body = {}, const std::string& who = {}) {
    net::TestClient client(server_.port());
    return client.Request(line + " HTTP/1.1\r\nHost: localhost\r\nX-Who: " + who +
                          "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  net::TestClient::Answer Post(const std::string& path, const std::string& body) { return Ask("POST " + path, body); }
  static std::string IdIn(const net::TestClient::Answer& answer) {
    return std::string(json::TextOf(*json::Parse(answer.body), "id"));
  }

  const SystemClock clock_;
  testing::MemoryRegistry registry_{clock_};
  std::optional<RegistryApi> api_;
  net::TestServer server_{[this](net::Router& router) {
    api_.emplace(registry_, server_.shards.at(0), std::vector<const DeckRules*>{&games::NetrunnerDecks()},
                 [](const net::HttpRequest& request) {
                   const std::string who(request.headers.Get("X-Who"));
                   return Caller{AccountId(who), !who.empty()};
                 });
    api_->AddRoutes(router);
  }};
};

TEST_F(RegistryApiTest, ACountOfCardsIsAWholeNumberHoweverItIsWritten) {
  const auto deck = [](const std::string& count) {
    return R"({"name":"d","side":"corp","cards":{"30075":)" + count + "}}";
  };
  const std::string written = Post("/api/v1/decks/validate", deck("3")).body;
  EXPECT_THAT(written, HasSubstr(R"("cards":{"30075":3})"));
  EXPECT_EQ(Post("/api/v1/decks/validate", deck("3.0")).body, written);
  EXPECT_EQ(Post("/api/v1/decks/validate", deck("3e0")).body, written);
  for (const char* count :
       {"0", "-1", "2.5", "100", "100.0", "1001", "1e300", "18446744073709551615", "\"3\"", "null", "[3]"}) {
    EXPECT_EQ(Post("/api/v1/decks/validate", deck(count)).status, 400) << count;
  }
}

TEST_F(RegistryApiTest, AHundredCopiesOfACardAreRefusedInEveryForm) {
  struct Case {
    const char* body;
    const char* message;
    const char* path;
  };
  for (const Case& refused :
       {Case{R"({"cards":{"30075":100}})", "must be at most 99; got 100", R"("path":"cards)"},
        Case{R"({"cards":{"30075":50,"Hedge Fund":50}})", "a deck has 1 to 99 copies of a card; got 100 of",
             R"("path":"cards")"},
        Case{R"({"text":"100x Hedge Fund"})", "line 1: 100 copies of", R"("path":"text")"},
        Case{R"({"text":"60x Hedge Fund\n40 hedge fund"})", "line 2: 100 copies of", R"("path":"text")"},
        Case{R"({"netrunnerdb":{"cards":{"30075":100}}})", "must be from 0 to 99; got 100", R"("path":"netrunnerdb")"},
        Case{R"({"netrunnerdb":{"cards":{"30075":50,"hedge_fund":50}}})",
             "a deck has 1 to 99 copies of a card; got 100 of", R"("path":"netrunnerdb")"}}) {
    for (const char* line : {"POST /api/v1/decks", "POST /api/v1/decks/validate", "PUT /api/v1/decks/d-none"}) {
      const net::TestClient::Answer answer = Ask(line, refused.body);
      EXPECT_EQ(answer.status, 400) << line << " " << refused.body;
      EXPECT_THAT(answer.body, HasSubstr(refused.message)) << line;
      EXPECT_THAT(answer.body, HasSubstr(refused.path)) << line;
    }
  }
  EXPECT_THAT(Ask("GET /api/v1/decks").body, HasSubstr(R"("decks":[])"));
  EXPECT_THAT(Post("/api/v1/decks/validate", R"({"identity":"30035","cards":{"30075":99}})").body,
              HasSubstr("the Corp's deck may have 3 of Hedge Fund; got 99"));
}

TEST_F(RegistryApiTest, ADeckThatWasSavedBeforeCopiesHadTheirLimitIsShownWithItsFaults) {
  StoredDeck former;
  former.id = DeckId("d-former");
  former.list = {.name = "Former",
                 .game = "netrunner",
                 .side = "corp",
                 .format = "system-gateway",
                 .identity = "30035",
                 .cards = {},
                 .notes = {}};
  for (const json::Value& card : games::NetrunnerDecks().Cards()) {
    if (json::TextOf(card, "type") != "Identity") former.list.cards[std::string(json::TextOf(card, "code"))] = 1000;
  }
  const std::string size = std::to_string(former.list.cards.size() * 1000);
  server_.On(0, [&] { registry_.KeepDeck(former); });
  for (const char* line : {"GET /api/v1/decks?limit=1000", "GET /api/v1/decks/d-former"}) {
    const net::TestClient::Answer answer = Ask(line);
    EXPECT_EQ(answer.status, 200) << line;
    EXPECT_THAT(answer.body, HasSubstr("\"size\":" + size + ",")) << line;
    EXPECT_THAT(answer.body, HasSubstr("the Corp's deck has 40 to 60 cards; got " + size)) << line;
    EXPECT_THAT(answer.body, HasSubstr("the Corp's deck may have 3 of Hedge Fund; got 1000")) << line;
  }
  EXPECT_THAT(Ask("GET /api/v1/decks/d-former/text").body, HasSubstr("1000x Hedge Fund\n"));
  EXPECT_EQ(Ask("PUT /api/v1/decks/d-former", R"({"name":"Now","cards":{"30075":3}})").status, 200);
  EXPECT_EQ(Ask("DELETE /api/v1/decks/d-former").status, 200);
}

TEST_F(RegistryApiTest, WhoHasSignedInHasDecksOfTheirOwn) {
  const std::string ana = IdIn(Post("/api/v1/accounts", R"({"name":"ana"})"));
  const std::string eve = IdIn(Post("/api/v1/accounts", R"({"name":"eve"})"));
  const std::string body = R"({"name":"Anas","side":"corp","cards":{"30075":3}})";
  const net::TestClient::Answer saved = Ask("POST /api/v1/decks", body, ana);
  ASSERT_EQ(saved.status, 201) << saved.body;
  EXPECT_THAT(saved.body, HasSubstr("\"account\":\"" + ana + "\""));
  const std::string path = "/api/v1/decks/" + IdIn(saved);
  const std::string operators = "/api/v1/decks/" + IdIn(Post("/api/v1/decks", body));
  // Nobody saves under another's name.
  const std::string forged = R"({"name":"Forged","side":"corp","account":")" + ana + R"(","cards":{"30075":3}})";
  EXPECT_THAT(Ask("POST /api/v1/decks", forged, eve).body, HasSubstr("\"account\":\"" + eve + "\""));
  for (const std::string& deck : {path, operators}) {
    EXPECT_EQ(Ask("GET " + deck, {}, eve).status, 404);
    EXPECT_EQ(Ask("GET " + deck + "/text", {}, eve).status, 404);
    EXPECT_EQ(Ask("PUT " + deck, body, eve).status, 404);
    EXPECT_EQ(Ask("DELETE " + deck, {}, eve).status, 404);
    EXPECT_EQ(Ask("GET " + deck).status, 200) << "the operator sees all";
  }
  EXPECT_THAT(Ask("GET /api/v1/decks", {}, eve).body, Not(HasSubstr("Anas")));
  EXPECT_THAT(Ask("GET /api/v1/decks?account=" + ana, {}, eve).body, Not(HasSubstr("Anas")));
  EXPECT_THAT(Ask("GET /api/v1/decks", {}, ana).body, HasSubstr("Anas"));
  EXPECT_EQ(Ask("PUT " + path, body, ana).status, 200);
  EXPECT_EQ(Ask("DELETE " + path, {}, ana).status, 200);
}

TEST_F(RegistryApiTest, APageOfDecksEndsAfterAMebibyte) {
  // Each byte of the notes takes six in JSON.
  const std::string notes(16'384, '\x01');
  for (int i = 0; i < 25; ++i) {
    const json::Object deck{
        {"name", "d" + std::to_string(10 + i)}, {"cards", json::Object{{"30075", 3}}}, {"notes", notes}};
    ASSERT_EQ(Post("/api/v1/decks", json::Write(deck)).status, 201);
  }
  std::vector<std::string> names;
  std::string next;
  for (int pages = 0; pages == 0 || !next.empty(); ++pages) {
    ASSERT_LT(pages, 4);
    const net::TestClient::Answer answer =
        Ask("GET /api/v1/decks?limit=1000" + (next.empty() ? "" : "&cursor=" + net::PercentEncode(next)));
    EXPECT_LT(answer.body.size(), (1u << 20) + 1000);
    const json::Value page = *json::Parse(answer.body);
    for (const json::Value& deck : page.at("decks").as_array()) names.emplace_back(json::TextOf(deck, "name"));
    next = json::TextOf(page, "next");
  }
  ASSERT_EQ(names.size(), 25u);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST_F(RegistryApiTest, AnAccountHas200DecksHoweverManyAreSavedAtOnce) {
  const std::string ana = IdIn(Post("/api/v1/accounts", R"({"name":"ana"})"));
  const std::string body = R"({"name":"One","side":"corp","cards":{"30075":3}})";
  const std::string first = IdIn(Ask("POST /api/v1/decks", body, ana));
  for (int i = 1; i < 199; ++i) ASSERT_EQ(Ask("POST /api/v1/decks", body, ana).status, 201);
  // All requests have come before the first is answered.
  const std::string request = "POST /api/v1/decks HTTP/1.1\r\nHost: localhost\r\nX-Who: " + ana +
                              "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  std::vector<std::unique_ptr<net::TestClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<net::TestClient>(server_.port()));
    clients.back()->Send(request);
  }
  int saved = 0;
  for (const auto& client : clients) {
    const net::TestClient::Answer answer = client->ReadAnswer();
    if (answer.status == 201) {
      ++saved;
    } else {
      EXPECT_THAT(answer.body, HasSubstr("an account has at most 200 decks"));
    }
  }
  EXPECT_EQ(saved, 1);
  EXPECT_EQ(Ask("PUT /api/v1/decks/" + first, body, ana).status, 200);
}

}  // namespace
}  // namespace openseat::registry_api
