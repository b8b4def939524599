#include "protocols/mcp/board_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/mcp/play.h"
#include "protocols/mcp/play_test_support.h"
#include "protocols/mcp/test_exchange.h"

namespace openseat::mcp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDraws =
    R"({"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}})";

class BoardToolsTest : public ::testing::Test {
 protected:
  BoardToolsTest() {
    play_.AddTo(server_);
    session_->version = "2025-11-25";
    session_->capabilities = UsedCapabilities(json::Parse(kDraws)->as_object());
  }
  json::Object Ask(const std::string& method, json::Object params) {
    const json::Object message{
        {"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", std::move(params)}};
    auto decoded = DecodeMessage(json::Write(message));
    auto envelope = ReadEnvelope(*decoded, nullptr);
    auto heard = std::make_shared<Heard>();
    server_.Handle({std::move(*decoded), std::move(*envelope), session_, std::nullopt, {}}, heard);
    for (int i = 0; i < 600 && heard->answer.empty(); ++i) hall_.scheduler.Advance(std::chrono::milliseconds(100));
    return json::Parse(heard->answer)->at("result").as_object();
  }
  json::Object Call(const std::string& tool, json::Object arguments) {
    return Ask("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
  }
  static json::Object Structured(const json::Object& result) { return result.at("structuredContent").as_object(); }
  static std::string TextOf(const json::Object& result) {
    return std::string(json::View(result.at("content").at(0).at("text").as_string()));
  }
  static std::string TokenIn(const json::Object& result) {
    return std::string(json::View(Structured(result).at("token").as_string()));
  }

  Hall hall_;
  Reads reads_{hall_.scheduler};
  Play play_{
      PlayWorld{.home = hall_.scheduler,
                .lobby = hall_.lobby,
                .directory = hall_.directory,
                .journal = hall_.journal,
                .kinds = Hall::Kinds(),
                .reads = reads_,
                .board = {.html = "<!doctype html><p>board</p>", .cards = [](std::string_view game) -> json::Value {
                            if (game != "netrunner") return nullptr;
                            return json::Object{{"cards", json::Array{"a card"}}};
                          }}}};
  Server server_{{"openseat", "Openseat", "1", PlayInstructions()}};
  std::shared_ptr<Session> session_ = std::make_shared<Session>();
  std::int64_t last_id_ = 0;
};

TEST_F(BoardToolsTest, OnlyHostsThatDrawViewsSeeItsTools) {
  EXPECT_THAT(json::Write(Ask("tools/list", {})), HasSubstr("board_look"));
  for (const char* other :
       {"{}", R"({"extensions":{"io.modelcontextprotocol/ui":{}}})",
        R"({"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}})",
        R"({"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":7}}})", R"({"extensions":[]})"}) {
    session_->capabilities = UsedCapabilities(json::Parse(other)->as_object());
    EXPECT_THAT(json::Write(Ask("tools/list", {})),
                AllOf(Not(HasSubstr("board_look")), HasSubstr(R"("resourceUri":"ui://openseat/board")")))
        << other;
  }
}

TEST_F(BoardToolsTest, IsOneDocumentThatLoadsNothing) {
  const json::Object read = Ask("resources/read", {{"uri", "ui://openseat/board"}});
  const json::Value& content = read.at("contents").at(0);
  EXPECT_EQ(content.at("mimeType"), "text/html;profile=mcp-app");
  EXPECT_EQ(content.at("text"), "<!doctype html><p>board</p>");
  EXPECT_EQ(json::Write(content.at("_meta").at("ui").at("csp").at("connectDomains")), "[]");
}

TEST_F(BoardToolsTest, APersonChoosesForTheModelsSeatAndTheModelIsTold) {
  const std::string token = TokenIn(Call("create_match", {{"game", "tictactoe"}, {"name", "Ada"}}));
  json::Object drawn = Structured(Call("board_look", {{"token", token}}));
  EXPECT_EQ(drawn.at("game"), "tictactoe");
  EXPECT_EQ(drawn.at("status"), "your_turn");
  EXPECT_EQ(drawn.at("actions").at(0).at("name"), "move");
  ASSERT_TRUE(drawn.at("state").is_object());
  const json::Object chosen = Call("board_act", {{"token", token},
                                                 {"decision", drawn.at("decision").at("id")},
                                                 {"action", "move"},
                                                 {"data", json::Object{{"position", json::Array{1, 1}}}}});
  EXPECT_EQ(Structured(chosen).at("state").at("board").at(1).at(1), "X");
  // It does not wait, and repeating it changes nothing.
  const std::string told = TextOf(Call("get_state", {{"token", token}}));
  EXPECT_THAT(told, AllOf(HasSubstr("A person has chosen for your seat"), HasSubstr(R"(move {"position":[1,1]})")));
  EXPECT_THAT(TextOf(Call("get_state", {{"token", token}})), Not(HasSubstr("A person has chosen")));
}

TEST_F(BoardToolsTest, ARefusalOfAPersonsChoiceLeavesTheModelItsNews) {
  const std::string token = TokenIn(Call("create_match", {{"game", "tictactoe"}}));
  const json::Object before = Structured(Call("board_look", {{"token", token}}));
  const auto choose = [&](int row) {
    return Call("board_act", {{"token", token},
                              {"decision", before.at("decision").at("id")},
                              {"action", "move"},
                              {"data", json::Object{{"position", json::Array{row, 1}}}}});
  };
  choose(1);
  const json::Object refused = choose(2);
  EXPECT_TRUE(refused.at("isError").as_bool());
  EXPECT_THAT(TextOf(refused), ::testing::StartsWith("The decision"));
  EXPECT_THAT(TextOf(Call("get_state", {{"token", token}})), HasSubstr("A person has chosen for your seat"));
}

TEST_F(BoardToolsTest, WhatIsIllegalChangesNothing) {
  const std::string token = TokenIn(Call("create_match", {{"game", "tictactoe"}}));
  const json::Object before = Structured(Call("board_look", {{"token", token}}));
  const json::Object refused = Call("board_act", {{"token", token},
                                                  {"decision", before.at("decision").at("id")},
                                                  {"action", "move"},
                                                  {"data", json::Object{{"position", json::Array{9, 9}}}}});
  EXPECT_TRUE(refused.at("isError").as_bool());
  EXPECT_EQ(Structured(Call("board_look", {{"token", token}})).at("state"), before.at("state"));
  EXPECT_THAT(TextOf(Call("get_state", {{"token", token}})), Not(HasSubstr("A person has chosen")));
}

TEST_F(BoardToolsTest, APersonTakesTheOpenSeatOnceAndSeesOnlyTheirOwn) {
  const std::string token =
      TokenIn(Call("create_match", {{"game", "netrunner"}, {"role", "corp"}, {"opponents", json::Array{"open"}}}));
  const json::Object waiting = Structured(Call("board_look", {{"token", token}, {"watch", true}}));
  EXPECT_EQ(waiting.at("open_seats"), 1);
  EXPECT_EQ(waiting.at("roles").at(1), "Runner");
  EXPECT_THAT(TextOf(Call("get_state", {{"token", token}})),
              HasSubstr("open seats are taken (join_table takes one): Runner"));
  const json::Object sat = Call("board_sit", {{"token", token}, {"name", "Bo"}});
  const std::string guest = TokenIn(sat);
  EXPECT_NE(guest, token);
  EXPECT_EQ(TokenIn(Call("board_sit", {{"token", token}})), guest);
  EXPECT_TRUE(Structured(Call("board_look", {{"token", token}, {"watch", true}})).at("guest").as_bool());
  const json::Object mine = Structured(Call("board_look", {{"token", guest}}));
  EXPECT_EQ(mine.at("seat"), 1);
  EXPECT_EQ(mine.at("names").at(1), "Bo");
  // Nothing is open any more.
  const std::string other = TokenIn(Call("create_match", {{"game", "tictactoe"}}));
  EXPECT_TRUE(Call("board_sit", {{"token", other}}).at("isError").as_bool());
}

TEST_F(BoardToolsTest, ReadsCardsAndRefusesWrongTokens) {
  EXPECT_EQ(json::Write(Structured(Call("board_cards", {{"game", "netrunner"}}))), R"({"cards":["a card"]})");
  EXPECT_TRUE(Call("board_cards", {{"game", "tictactoe"}}).at("isError").as_bool());
  for (const char* tool : {"board_look", "board_sit"}) {
    EXPECT_TRUE(Call(tool, {{"token", "nowhere.0.secret"}}).at("isError").as_bool());
  }
}

TEST(RecentTest, ForgetsWhatWasNamedLongestAgo) {
  Recent<int> recent(2);
  recent.At("a") = 1;
  recent.At("b") = 2;
  recent.At("a") += 10;
  recent.At("c") = 3;
  EXPECT_EQ(recent.size(), 2u);
  EXPECT_EQ(recent.Find("b"), nullptr);
  EXPECT_EQ(*recent.Find("a"), 11);
  recent.Erase("a");
  EXPECT_EQ(recent.size(), 1u);
}

}  // namespace
}  // namespace openseat::mcp
