#include "checker/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/secure_random.h"
#include "base/text.h"
#include "protocols/neuro/diagnostics.h"

namespace openseat::checker {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A hostile name that tries to be taken for something else.
constexpr std::string_view kEvil =
    "::error::x\n::set-output name=a::b\r\n##[add-path]/x | `code` <b>&amp;</b> ]]> --> \"'%0A%25 \x01\x1b[31m\x7f "
    "\xef\xbf\xbf \xff [a](http://b) *c* _d_ ~e~ #f $g$ \\|";

CheckResult Passed() {
  CheckResult result;
  result.run_id = "77";
  result.game = "Tic-Tac-Toe";
  result.started = Time(std::chrono::seconds(1'790'000'000));
  result.ended = result.started + std::chrono::milliseconds(2500);
  CheckedAction& action = result.actions.emplace_back();
  action.name = "move";
  action.id = "a-1";
  action.data = R"({"x":1})";
  action.scripted = true;
  action.outcome = CheckedAction::Outcome::kSucceeded;
  action.message = "well done";
  action.took = std::chrono::milliseconds(12);
  result.log_file = "/tmp/vicky.log";
  result.actions_store = "/tmp/actions.json";
  return result;
}

void Add(CheckResult& result, Level level, std::string message, std::string key) {
  ++result.counts[static_cast<std::size_t>(level)];
  result.findings.push_back(
      {.time = result.started, .level = level, .message = std::move(message), .key = std::move(key)});
  if (level >= Level::kError) result.exit_code = 1;
  const neuro::DiagnosticInfo* rule = neuro::FindDiagnostic(result.findings.back().key);
  if (rule == nullptr) return;
  const auto known = std::ranges::find(result.rules, rule->diagnostic, &FoundRule::rule);
  if (known != result.rules.end()) {
    ++known->count;
  } else {
    result.rules.push_back({rule->diagnostic, level, 1, result.findings.back().message});
  }
}

std::size_t CountIn(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

TEST(MarkdownSummaryTest, SaysThatItPassed) {
  const std::string text = MarkdownSummary(Passed());
  EXPECT_THAT(text, StartsWith("## ✅ Neuro API check: passed\n"));
  EXPECT_THAT(text, HasSubstr("**Tic-Tac-Toe**: no problems; 1 of 1 action succeeded, in 2.5 s.\n"));
  EXPECT_THAT(text, HasSubstr("| <code>move</code> | <code>&#123;\"x\"&#58;1&#125;</code> | script | ✅ succeeded | "
                              "well done | 12 ms |\n"));
  EXPECT_THAT(text, HasSubstr("- log: <code>/tmp/vicky.log</code>\n"));
  EXPECT_THAT(text, Not(HasSubstr("What to fix")));
  EXPECT_THAT(text, Not(HasSubstr("context store")));
}

TEST(MarkdownSummaryTest, ListsFindingsTheWorstFirst) {
  CheckResult result = Passed();
  Add(result, Level::kWarn, "startup came again", "prot/startup/multiple");
  Add(result, Level::kError, "no such id", "prot/result/unexpected");
  Add(result, Level::kError, "no such id", "prot/result/unexpected");
  Add(result, Level::kCritical, "the disk is full", "");
  const std::string text = MarkdownSummary(result);
  EXPECT_THAT(text, StartsWith("## ❌ Neuro API check: failed\n"));
  EXPECT_THAT(text, HasSubstr("1 critical error, 2 errors, 1 warning"));
  EXPECT_THAT(text, HasSubstr("| 🛑 critical | the disk is full |  |\n"));
  EXPECT_THAT(text, HasSubstr("| ❌ error | no such id (2 times) <code>prot/result/unexpected</code> | "));
  // The table's own advice is Markdown, and fits a cell.
  for (const neuro::DiagnosticInfo& check : neuro::AllDiagnostics())
    EXPECT_EQ(check.advice.find_first_of("|\n"), std::string::npos) << check.key;
  EXPECT_LT(text.find("critical | the"), text.find("error | no"));
  EXPECT_LT(text.find("error | no"), text.find("warning | startup"));
}

TEST(MarkdownSummaryTest, LetsNothingOutOfItsCell) {
  CheckResult result = Passed();
  result.game = kEvil;
  result.log_file = kEvil;
  result.actions[0].name = kEvil;
  result.actions[0].data = kEvil;
  result.actions[0].message = kEvil;
  Add(result, Level::kError, std::string(kEvil), "");
  const std::string text = MarkdownSummary(result);
  for (const std::string& line : Lines(text)) {
    if (line.starts_with("| <code>")) {
      EXPECT_EQ(CountIn(line, "|"), 7u) << line;
    }
    if (line.starts_with("| ❌")) {
      EXPECT_EQ(CountIn(line, "|"), 4u) << line;
    }
    EXPECT_THAT(line, Not(StartsWith("::"))) << line;
    EXPECT_EQ(line.find_first_of("`[]~$\\"), std::string::npos) << line;
    EXPECT_EQ(CountIn(line, "<"), CountIn(line, "<code>") * 2 + CountIn(line, "<br>")) << line;
  }
  EXPECT_THAT(text, Not(HasSubstr("##[")));
  EXPECT_TRUE(std::ranges::none_of(text, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }));
  EXPECT_TRUE(IsValidUtf8(text));
}

TEST(MarkdownSummaryTest, StaysSmall) {
  CheckResult result = Passed();
  for (std::size_t i = 0; i < CheckResult::kMaxFindings; ++i) {
    Add(result, Level::kError, std::string(100'000, '|') + std::to_string(i) + std::string(i, '|'),
        "prot/field/invalid");
  }
  result.actions.assign(CheckResult::kMaxActions, result.actions[0]);
  for (CheckedAction& action : result.actions) action.name = action.data = action.message = std::string(100'000, '<');
  const std::string text = MarkdownSummary(result);
  EXPECT_LT(text.size(), 1'000'000u);
  EXPECT_THAT(text, HasSubstr("… and 900 more"));
  EXPECT_THAT(text, HasSubstr("… and 950 more"));
}

// A minimal XML reader: checks that elements nest, attributes are quoted and all characters are allowed in XML.
bool IsWellFormed(std::string_view xml) {
  std::vector<std::string> open;
  std::size_t at = 0;
  if (!IsValidUtf8(xml) || xml.find("\xef\xbf\xbf") != std::string_view::npos) return false;
  while (at < xml.size()) {
    const auto byte = static_cast<unsigned char>(xml[at]);
    if (byte < 0x20 && byte != '\n' && byte != '\t') return false;
    if (xml[at] == '&') {
      const std::size_t end = xml.find(';', at);
      if (end == std::string_view::npos || end - at > 6) return false;
      at = end;
    }
    if (xml[at] == '>') return false;
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    bool quoted = false;
    std::size_t end = at + 1;
    for (; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
      if (xml[end] == '"') quoted = !quoted;
      if (xml[end] == '<' || (quoted && (xml[end] == '\n' || xml[end] == '>'))) return false;
    }
    if (end == xml.size()) return false;
    const std::string_view tag = xml.substr(at + 1, end - at - 1);
    const std::string name(tag.substr(0, tag.find_first_of(" /?", 1)));
    if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != tag) return false;
      open.pop_back();
    } else if (tag[0] != '?' && tag.back() != '/') {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty();
}

TEST(JUnitXmlTest, HasACaseForWhatWasAskedAndFound) {
  CheckResult result = Passed();
  result.tested = true;
  for (int i = 0; i < 3; ++i) {
    CheckedAction forced = result.actions[0];
    forced.scripted = false;
    forced.forced = true;
    forced.took = std::chrono::milliseconds(100);
    result.actions.push_back(forced);
  }
  Add(result, Level::kWarn, "a context says nothing", "perf/context/empty");
  const std::string xml = JUnitXml(result);
  EXPECT_TRUE(IsWellFormed(xml)) << xml;
  EXPECT_THAT(xml, HasSubstr("classname=\"openseat.script\" name=\"1 move\" time=\"0.012\"/>\n"));
  EXPECT_THAT(xml, HasSubstr("classname=\"openseat.force\" name=\"move (3 times)\" time=\"0.300\"/>\n"));
  EXPECT_THAT(xml, HasSubstr("classname=\"openseat.rule\" name=\"perf/context/empty\" time=\"0.000\"/>\n"));
  EXPECT_THAT(xml, HasSubstr("classname=\"openseat.run\" name=\"Tic-Tac-Toe\" time=\"2.500\"/>\n"));
  EXPECT_THAT(xml, HasSubstr("name=\"grade\" value=\"A (92 of 100)\""));
  EXPECT_THAT(xml, HasSubstr("timestamp=\"2026-09-21T14:13:20\" tests=\"4\" failures=\"0\" errors=\"0\" "
                             "skipped=\"0\" time=\"2.500\""));
}

TEST(JUnitXmlTest, FailsWhatFailed) {
  CheckResult result = Passed();
  Add(result, Level::kWarn, "startup came again", "prot/startup/multiple");
  Add(result, Level::kError, "no such id", "prot/result/unexpected");
  Add(result, Level::kError, "nor such", "prot/result/unexpected");
  result.actions[0].outcome = CheckedAction::Outcome::kNotSent;
  result.actions[0].took.reset();
  const std::string xml = JUnitXml(result);
  EXPECT_TRUE(IsWellFormed(xml)) << xml;
  EXPECT_THAT(xml, HasSubstr("failures=\"3\""));
  EXPECT_EQ(CountIn(xml, "<failure"), 3u);
  EXPECT_THAT(xml, HasSubstr("<failure type=\"prot/result/unexpected\" message=\"no such id\">"));
  EXPECT_THAT(xml, HasSubstr("error: nor such"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"not-sent\""));
  EXPECT_THAT(xml, HasSubstr("name=\"prot/startup/multiple\" time=\"0.000\"/>"));
  EXPECT_THAT(xml, HasSubstr("warn: startup came again [prot/startup/multiple]&#10;"));
}

// --fail-on warn.
TEST(JUnitXmlTest, FailsForWarningsWhereTheyAreTheReason) {
  CheckResult result = Passed();
  Add(result, Level::kWarn, "startup came again", "prot/startup/multiple");
  EXPECT_THAT(JUnitXml(result), HasSubstr("failures=\"0\""));
  result.exit_code = 1;
  EXPECT_THAT(JUnitXml(result), HasSubstr("failures=\"2\""));
  EXPECT_THAT(JUnitXml(result), HasSubstr("<failure type=\"prot/startup/multiple\""));
}

// A refusal is a warning unless the run says otherwise.
TEST(JUnitXmlTest, FailsARefusedActionWhereThatFailsTheRun) {
  CheckResult result = Passed();
  result.actions[0].outcome = CheckedAction::Outcome::kFailed;
  result.actions[0].fault = Level::kWarn;
  Add(result, Level::kWarn, "the game refused it", "prot/result/refused_valid");
  EXPECT_THAT(JUnitXml(result), HasSubstr("failures=\"0\""));
  result.actions[0].fault = Level::kError;
  result.exit_code = 1;
  EXPECT_THAT(JUnitXml(result), HasSubstr("<failure type=\"refused\" message=\"well done\">"));
}

// The game closed the connection before the last result, which is not an error here.
TEST(JUnitXmlTest, SkipsWhatHasNoResultInARunThatPassed) {
  CheckResult result = Passed();
  result.actions[0].outcome = CheckedAction::Outcome::kNoResult;
  const std::string xml = JUnitXml(result);
  EXPECT_TRUE(IsWellFormed(xml));
  EXPECT_THAT(xml, HasSubstr("failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_EQ(CountIn(xml, "<skipped/>"), 1u);
}

TEST(JUnitXmlTest, IsXmlWhateverAGameSays) {
  CheckResult result = Passed();
  result.game = kEvil;
  result.run_id = kEvil;
  result.actions[0].name = kEvil;
  result.actions[0].data = kEvil;
  result.actions[0].outcome = CheckedAction::Outcome::kNoResult;
  Add(result, Level::kError, std::string(kEvil), "prot/field/invalid");
  for (int byte = 0; byte < 256; ++byte) {
    Add(result, Level::kError, "a" + std::string(1, static_cast<char>(byte)) + "b", "prot/json/repaired");
  }
  const std::string xml = JUnitXml(result);
  EXPECT_TRUE(IsWellFormed(xml));
  EXPECT_THAT(xml, HasSubstr("\\x1b"));
  EXPECT_THAT(xml, Not(HasSubstr("]]>")));
}

TEST(AnnotationsTest, AreCommandsOfGitHub) {
  CheckResult result = Passed();
  EXPECT_EQ(Annotations(result), "");
  Add(result, Level::kWarn, "it's 50% done\nreally", "prot/startup/multiple");
  Add(result, Level::kError, "no id, none: at all", "");
  Add(result, Level::kError, "no id, none: at all", "");
  const std::vector<std::string> lines = Lines(Annotations(result));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "::error title=openseat check::no id, none: at all (2 times)");
  EXPECT_THAT(lines[1],
              StartsWith("::warning title=openseat check%3A prot/startup/multiple::it's 50%25 done%0Areally%0A"));
}

TEST(AnnotationsTest, CannotBeMadeMoreByAGame) {
  CheckResult result = Passed();
  Add(result, Level::kError, std::string(kEvil), "prot/field/invalid");
  const std::string text = Annotations(result);
  EXPECT_EQ(Lines(text).size(), 1u) << text;
  EXPECT_TRUE(std::ranges::none_of(text, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }));
  EXPECT_THAT(text, HasSubstr("%250A%2525"));
}

TEST(AnnotationsTest, AreNoMoreThanGitHubShows) {
  CheckResult result = Passed();
  for (int i = 0; i < 30; ++i) {
    Add(result, Level::kError, "error " + std::to_string(i), "prot/field/invalid");
    Add(result, Level::kWarn, "warning " + std::to_string(i), "prot/startup/multiple");
  }
  const std::string text = Annotations(result);
  EXPECT_EQ(CountIn(text, "::error title"), 10u);
  EXPECT_EQ(CountIn(text, "::warning title"), 10u);
  EXPECT_EQ(CountIn(text, "::and 21 more"), 2u);
}

TEST(StopCommandsTest, IsGitHubsForm) {
  EXPECT_EQ(StopCommands("abc"), "::stop-commands::abc\n");
  EXPECT_EQ(ResumeCommands("abc"), "::abc::\n");
}

class GithubFileTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string Read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const std::string path_ = ::testing::TempDir() + "github_" + SecureToken(12);
};

TEST_F(GithubFileTest, TakesValuesOfManyLines) {
  const std::vector<NamedValue> values = {
      {"logfile", "/a b/c.log"}, {"result", "one\ntwo<<EOF\nresult=x\n"}, {"empty", ""}};
  ASSERT_TRUE(WriteGithubOutput(path_, std::span(values).first(1)));
  ASSERT_TRUE(WriteGithubOutput(path_, std::span(values).subspan(1)));
  // As the runner reads it: NAME<<END, lines, END.
  const std::vector<std::string> lines = Lines(Read());
  std::vector<NamedValue> read;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t cut = lines[i].find("<<");
    ASSERT_NE(cut, std::string::npos) << lines[i];
    names.push_back(lines[i].substr(0, cut));
    const std::string end = lines[i].substr(cut + 2);
    ASSERT_GT(end.size(), 20u);
    std::string value;
    const std::size_t first = i + 1;
    for (++i; i < lines.size() && lines[i] != end; ++i) value += (i == first ? "" : "\n") + lines[i];
    ASSERT_LT(i, lines.size());
    read.push_back({"", value});
  }
  EXPECT_EQ(names, (std::vector<std::string>{"logfile", "result", "empty"}));
  EXPECT_EQ(read[0].value, "/a b/c.log");
  EXPECT_EQ(read[1].value, "one\ntwo<<EOF\nresult=x\n");
  EXPECT_EQ(read[2].value, "");
}

TEST_F(GithubFileTest, TakesSummariesOneAfterTheOther) {
  ASSERT_TRUE(WriteGithubSummary(path_, "## a\n"));
  ASSERT_TRUE(WriteGithubSummary(path_, "## b\n"));
  EXPECT_EQ(Read(), "## a\n## b\n");
}

TEST(GithubFilesTest, SayWhatCannotBeWritten) {
  const auto written = WriteGithubSummary("/nonexistent/x", "a");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_THAT(written.error().message, EndsWith("/nonexistent/x"));
}

}  // namespace
}  // namespace openseat::checker
