#include "protocols/mcp/stdio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/mcp/fixtures.h"
#include "testing/fake_scheduler.h"

namespace openseat::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StdioTest : public ::testing::Test {
 protected:
  StdioTest() { AddFixtures(server_, scheduler_); }

  ::openseat::testing::FakeScheduler scheduler_;
  Server server_{{"openseat", "Openseat", "1", "Play."}};
  std::vector<std::string> lines_;
  std::optional<StdioConnection> connection_{std::in_place, server_,
                                             [this](std::string line) { lines_.push_back(std::move(line)); }};
};

TEST_F(StdioTest, AnswersLineByLineHoweverTheyAreCut) {
  const std::string text =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
      "initialized\"}\n"
      "nonsense\n{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"method\":\"ping\"}\n";
  for (std::size_t step = 1; step < text.size(); ++step) {
    lines_.clear();
    for (std::size_t at = 0; at < text.size(); at += step) connection_->Feed(std::string_view(text).substr(at, step));
    EXPECT_THAT(lines_, ElementsAre("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", HasSubstr("-32700"),
                                    "{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{}}\n"));
  }
}

TEST_F(StdioTest, LongLinesAreRefusedOnceAndSkipped) {
  connection_->Feed(std::string(kMaxMessageBytes, 'a'));
  connection_->Feed(std::string(kMaxMessageBytes, 'a'));
  connection_->Feed("\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("-32600"), HasSubstr("\"result\":{}")));
}

TEST_F(StdioTest, ServesBothErasAtOnce) {
  connection_->Feed(
      R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})"
      "\n"
      R"({"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})"
      "\n");
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("supportedVersions"), HasSubstr("\"protocolVersion\":\"2025-11-25\"")));
}

TEST_F(StdioTest, NothingIsWrittenOnceItIsGone) {
  connection_->Feed(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_tool_with_logging"}})"
                    "\n");
  connection_.reset();
  lines_.clear();
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_THAT(lines_, ElementsAre());
}

}  // namespace
}  // namespace openseat::mcp
