#include "agents/llm/sse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace openseat::llm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The events of a text that arrives in pieces of `size` bytes.
std::vector<std::string> EventsOf(std::string_view text, std::size_t size, std::size_t max_bytes = 1'000) {
  std::vector<std::string> events;
  const auto keep = [&](std::string_view data) { events.emplace_back(data); };
  SseReader reader(max_bytes);
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) reader.Feed(text.substr(0, size), keep);
  reader.Finish(keep);
  return events;
}

TEST(SseReader, ReadsEventsHoweverTheyAreCut) {
  for (std::size_t size = 1; size < 40; ++size) {
    EXPECT_THAT(
        EventsOf(": hello\nevent: a\ndata: one\n\ndata:two\ndata: three\nid: 7\n\n\n\ndata\n\ndata: [DONE]\n\n", size),
        ElementsAre("one", "two\nthree", "[DONE]"));
    EXPECT_THAT(EventsOf("data: one\r\n\r\ndata: two\r\rdata: three", size), ElementsAre("one", "two", "three"));
    EXPECT_THAT(EventsOf(": only\n: comments\n", size), IsEmpty());
    EXPECT_THAT(EventsOf("", size), IsEmpty());
  }
}

TEST(SseReader, HasALimit) {
  EXPECT_THAT(EventsOf("data: a\n\ndata: " + std::string(2'000, 'x') + "\n\ndata: b\n\n", 7), ElementsAre("a"));
  SseReader reader(10);
  reader.Feed("data: 1234567890", [](std::string_view) {});
  EXPECT_TRUE(reader.overflowed());
}

}  // namespace
}  // namespace openseat::llm
