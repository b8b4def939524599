#include "core/table.h"

#include <gtest/gtest.h>

#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

class EmptyTable final : public Table {
 public:
  EmptyTable(std::string id, Scheduler& scheduler) : id_(std::move(id)), scheduler_(scheduler) {}
  const TableId& id() const override { return id_; }
  Scheduler& scheduler() override { return scheduler_; }
  std::size_t seats() const override { return 0; }
  Seat& seat(SeatIndex) override { std::abort(); }
  json::Object Info() const override { return {}; }
  json::Array Diagnostics() const override { return {}; }
  Result<json::Value> Control(std::string_view, const json::Object&) override { return json::Value(); }

 private:
  TableId id_;
  Scheduler& scheduler_;
};

class TableDirectoryTest : public ::testing::Test {
 protected:
  void RunAll() {
    for (int i = 0; i < 4; ++i) {
      first_.Run();
      second_.Run();
    }
  }
  testing::FakeScheduler first_;
  testing::FakeScheduler second_;
  TableDirectory directory_{{&first_, &second_}};
  EmptyTable one_{"one", first_};
  EmptyTable two_{"two", second_};
};

TEST_F(TableDirectoryTest, VisitsEveryTableOnItsScheduler) {
  directory_.Add(one_);
  directory_.Add(two_);
  std::vector<std::string> seen;
  bool done = false;
  directory_.Visit(first_, [&](Table& table) { seen.push_back(table.id().str()); }, [&] { done = true; });
  first_.Run();
  EXPECT_EQ(seen, std::vector<std::string>{"one"});
  RunAll();
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(done);
}

TEST_F(TableDirectoryTest, FindsATableOrSaysThatItIsMissing) {
  directory_.Add(two_);
  int found = 0;
  int missing = 0;
  directory_.With(first_, TableId("two"), [&](Table&) { ++found; }, [&] { ++missing; });
  directory_.With(first_, TableId("three"), [&](Table&) { ++found; }, [&] { ++missing; });
  RunAll();
  EXPECT_EQ(found, 1);
  EXPECT_EQ(missing, 1);
  directory_.Remove(two_);
  EXPECT_EQ(directory_.Local(second_, TableId("two")), nullptr);
}

}  // namespace
}  // namespace openseat
