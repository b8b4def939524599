#include "app/transcript_text.h"

#include <gtest/gtest.h>

namespace openseat::app {
namespace {

std::string Show(EventKind kind, std::string payload, std::size_t max_text = 0) {
  return EventLine({7, {kind, Time(std::chrono::milliseconds(1234)), std::move(payload)}}, max_text);
}

TEST(TranscriptText, ShowsEachKindOfEvent) {
  EXPECT_EQ(Show(EventKind::kOpened, R"({"kind":"remote","game":"Chess"})"),
            "00:00:01.234  table   \"Chess\" opened (remote)");
  EXPECT_EQ(Show(EventKind::kReceived,
                 R"({"command":"actions/force","game":"Chess","data":{"query":"Go","action_names":["a"]}})"),
            "00:00:01.234  game ▸   actions/force \"Go\" of [\"a\"]");
  EXPECT_EQ(Show(EventKind::kSent, R"({"command":"action","data":{"id":"x-1","name":"a","data":"{}"}})"),
            "00:00:01.234      ▸ game  action a {} (id x-1)");
  EXPECT_EQ(
      Show(EventKind::kReceived, R"({"command":"action/result","data":{"id":"x-1","success":false,"message":"no"}})"),
      "00:00:01.234  game ▸   action/result failure (id x-1): no");
  EXPECT_EQ(Show(EventKind::kDecision, R"({"decision":2,"attempt":2,"actions":["a","b"]})"),
            "00:00:01.234  decide  #2 of a, b, attempt 2");
  EXPECT_EQ(Show(EventKind::kChoice, R"({"action":"a","data":{"x":1},"agent":"random"})"),
            "00:00:01.234  choice  a {\"x\":1} (by random)");
  EXPECT_EQ(Show(EventKind::kHandedOver, R"({"seat":1,"agent":{"kind":"external","token_sha256":"ab"}})"),
            "00:00:01.234  agent   external plays seat 1 from now on");
  EXPECT_EQ(Show(EventKind::kVerdict, R"({"verdict":"refused","message":"no"})"), "00:00:01.234  verdict refused: no");
}

TEST(TranscriptText, KeepsToOneLineWhateverCame) {
  EXPECT_EQ(Show(EventKind::kReceived, "no\njson\x01\xFF"), "00:00:01.234  game ▸   no json\\x01\xEF\xBF\xBD");
  EXPECT_EQ(Show(EventKind::kReceived,
                 "\xC2\x9b"
                 "31m"),
            "00:00:01.234  game ▸   \\x9b31m");
  EXPECT_EQ(Show(EventKind::kNote, R"({"text":"a\u001b]52;c;eA==\u0007\u009b2J"})"),
            "00:00:01.234  note    a\\x1b]52;c;eA==\\x07\\x9b2J");
  EXPECT_EQ(Show(EventKind::kNote, R"({"text":"0123456789"})", 4), "00:00:01.234  note    0123…");
  EXPECT_EQ(Show(static_cast<EventKind>(99), "{}"), "00:00:01.234  event   kind 99: {}");
}

TEST(TranscriptText, ShowsWhatAViewerSaw) {
  const auto show = [](const char* step) { return StepLines(json::Parse(step)->as_object(), 30); };
  EXPECT_EQ(show(R"({"time":"1970-01-01T00:00:01.234Z","kind":"joined","payload":{"seat":0,"name":"A\u001bx"}})"),
            "00:00:01.234  joined  \"A\\x1bx\" takes seat 0");
  EXPECT_EQ(show(R"({"time":"1970-01-01T00:00:01.234Z","kind":"handed-over","payload":{"seat":0,"name":"A",
                    "agent":"llm"}})"),
            "00:00:01.234  agent   llm plays seat 0 from now on, for \"A\"");
  EXPECT_EQ(show(R"({"time":"1970-01-01T00:00:01.234Z","kind":"gap","payload":{"lost":3,"since":"S"}})"),
            "00:00:01.234  gap     3 events since S are missing");
  EXPECT_EQ(show(R"({"time":"1970-01-01T00:00:01.234Z","kind":"played","payload":{"seat":0,"action":"a","data":{"x":1},
                    "result":{},"event":"update","state":{"turn":"X"}}})"),
            "00:00:01.234  played  a {\"x\":1}: {}\n00:00:01.234  update  {\"turn\":\"X\"}");
  EXPECT_EQ(show(R"({"time":"1970-01-01T00:00:01.234Z","kind":"ended","payload":{"event":"end","state":{},
                    "winner":null,"reason":"nothing happened"}})"),
            "00:00:01.234  end     {}\n00:00:01.234  ended   a draw: nothing happened");
}

TEST(TranscriptText, AGameWithALogReadsLikeAReport) {
  ReportWriter report(200);
  const auto lines = [&](const char* step) { return report.Lines(json::Parse(step)->as_object()); };
  EXPECT_EQ(lines(R"({"time":"1970-01-01T00:00:01.234Z","kind":"joined","payload":{"seat":1,"name":"B","event":"start",
                      "state":{"log":[],"log-count":0}}})"),
            "00:00:01.234  joined  \"B\" takes seat 1");
  EXPECT_EQ(lines(R"({"time":"1970-01-01T00:00:02.234Z","kind":"played","payload":{"seat":0,"action":"a","data":{},
                      "event":"update","state":{"log":["Corp starts their turn with 5 [Credits] and 5 cards in hand.",
                      "Corp draws."],"log-count":2}}})"),
            "\n00:00:02  Corp starts their turn with 5 credits and 5 cards in hand.\n00:00:02    Corp draws.");
  EXPECT_EQ(lines(R"({"time":"1970-01-01T00:00:03.234Z","kind":"update","payload":{"event":"update",
                      "state":{"log":["Corp draws."],"log-count":2}}})"),
            "")
      << "nothing new";
  EXPECT_EQ(lines(R"({"time":"1970-01-01T00:00:04.234Z","kind":"ended","payload":{"event":"end","winner":"B",
                      "reason":"agenda points","state":{"log":["Runner wins the game."],"log-count":3}}})"),
            "00:00:04    Runner wins the game.\n\n00:00:04  B wins: agenda points");
}

}  // namespace
}  // namespace openseat::app
