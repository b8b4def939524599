#include "protocols/console/transcript.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::console {
namespace {

class TranscriptPages : public ::testing::Test {
 protected:
  void Add(const std::vector<Event>& events) {
    journal_.Append(TableId("a"), last_, events, scheduler_, {});
    last_ += events.size();
  }
  json::Object Read(Seq after, std::size_t limit) {
    const Result<std::string> text = ReadTranscript(journal_, [](std::string_view) { return nullptr; }, TableId("a"),
                                                    {.viewer = "all", .after = after, .limit = limit});
    return text ? json::Parse(*text)->as_object() : json::Object();
  }
  static void Expect(const json::Object& page, Seq first, std::size_t events, const json::Value& next) {
    const json::Array& list = page.at("events").as_array();
    ASSERT_EQ(list.size(), events);
    if (events > 0) {
      EXPECT_EQ(list.front().at("seq"), json::Value(first));
    }
    const json::Value* told = json::Find(page, "next");
    EXPECT_EQ(told == nullptr ? json::Value() : *told, next);
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  Seq last_ = 0;
};

TEST_F(TranscriptPages, EndAfterSoManyEventsOrBytes) {
  Add({{EventKind::kOpened, Time(), R"({"game":"Big","kind":"remote"})"}});
  const std::string payload = R"({"text":")" + std::string(2u << 20, 'x') + "\"}";
  for (int i = 0; i < 6; ++i) Add({{EventKind::kNote, Time(), payload}});
  Expect(Read(0, 0), 0, 0, nullptr);
  Expect(Read(0, 2), 1, 2, 2);
  Expect(Read(0, 1000), 1, 5, 5);  // more than 8 MiB
  Expect(Read(5, 1000), 6, 2, nullptr);
  Expect(Read(5, 2), 6, 2, nullptr);
  Expect(Read(7, 2), 0, 0, nullptr);
}

}  // namespace
}  // namespace openseat::console
