#include "protocols/mcp/reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/budget.h"
#include "base/metrics.h"
#include "protocols/mcp/play_test_support.h"
#include "protocols/mcp/test_exchange.h"

namespace openseat::mcp {
namespace {

using ::testing::HasSubstr;

// Keeps what is to run on another thread until it is told to run it.
class Keeper final : public Scheduler {
 public:
  const Clock& clock() const override { return base.clock(); }
  void Post(Task task) override { base.Post(std::move(task)); }
  void OffloadFor(std::string_view owner, Task work) override {
    owners.emplace_back(owner);
    kept.push_back(std::move(work));
  }
  TimerId After(Duration delay, Task task) override { return base.After(delay, std::move(task)); }
  bool Cancel(TimerId timer) override { return base.Cancel(timer); }
  void Run() {
    for (Task& work : std::exchange(kept, {})) work();
    base.Run();
  }

  ::openseat::testing::FakeScheduler base;
  std::vector<std::string> owners;
  std::vector<Task> kept;
};

class ReadsTest : public ::testing::Test {
 protected:
  struct Asked {
    std::shared_ptr<Heard> heard = std::make_shared<Heard>();
    CallPtr call;
  };
  Asked Ask(std::size_t bytes, const std::string& from = "192.0.2.1") {
    Asked asked;
    Message message;
    message.id = 7;
    message.method = "resources/read";
    asked.heard->whose = whose_;
    asked.call = std::make_shared<Call>(message, Envelope{}, nullptr, asked.heard, info_, Caller{.from = from});
    asked.call->OnlyReads();
    reads_.Answer(asked.call, bytes, [this] {
      ++made_;
      return json::Object{{"text", "x"}};
    });
    return asked;
  }

  ServerInfo info_{"openseat", "Openseat", "1", "Play."};
  Keeper scheduler_;
  Reads reads_{scheduler_};
  std::shared_ptr<Payer> whose_;
  int made_ = 0;
};

constexpr const char* kAnswer = R"({"jsonrpc":"2.0","id":7,"result":{"text":"x"}})";

TEST_F(ReadsTest, LittleIsAnsweredAtOnce) {
  for (int i = 0; i < 9; ++i) EXPECT_EQ(Ask(Reads::kLong).heard->answer, kAnswer);
  EXPECT_TRUE(scheduler_.kept.empty());
}

TEST_F(ReadsTest, MuchIsWrittenElsewhere) {
  const Asked asked = Ask(Reads::kLong + 1, "2001:db8::7");
  EXPECT_EQ(made_, 0);
  EXPECT_THAT(scheduler_.owners, ::testing::ElementsAre("2001:db8::/64"));
  scheduler_.Run();
  EXPECT_EQ(asked.heard->answer, kAnswer);
}

TEST_F(ReadsTest, NothingIsWrittenForWhoHasGone) {
  const Asked gone = Ask(Reads::kLong + 1);
  gone.call->HungUp();
  scheduler_.Run();
  EXPECT_EQ(made_, 0);
  EXPECT_EQ(gone.heard->answer, "");
}

TEST_F(ReadsTest, WorkElsewhereEndsHere) {
  const auto heard = std::make_shared<Heard>();
  const auto call = std::make_shared<Call>(Message(), Envelope{}, nullptr, heard, info_, Caller{});
  reads_.Elsewhere(call, reads_.Place(*call), [](const Call&) -> Reads::Finish {
    return [](Call& done) { done.Refuse({1, "no", nullptr, 200}); };
  });
  EXPECT_EQ(heard->answer, "");
  scheduler_.Run();
  EXPECT_THAT(heard->answer, HasSubstr(R"("message":"no")"));
}

TEST_F(ReadsTest, AnAddressMayHaveAFewAtOnce) {
  for (std::size_t i = 0; i < Reads::kMostOfOne; ++i) EXPECT_EQ(Ask(Reads::kLong + 1).heard->status, 0);
  EXPECT_THAT(Ask(Reads::kLong + 1).heard->answer, HasSubstr("one address may have 4 transcripts and large states"));
  EXPECT_EQ(Ask(Reads::kLong + 1, "192.0.2.2").heard->status, 0) << "others are served";
  scheduler_.Run();
  EXPECT_EQ(Ask(Reads::kLong + 1).heard->status, 0) << "there is room again";
}

TEST_F(ReadsTest, ARefusalCounts) {
  Metrics metrics;
  Budget budget({}, &metrics);
  whose_ = budget.PayerOf("192.0.2.1", Instant());
  for (std::size_t i = 0; i <= Reads::kMostOfOne; ++i) Ask(Reads::kLong + 1);
  EXPECT_THAT(metrics.Text(), HasSubstr(R"(openseat_refused_total{budget="mcp.reads"} 1)"));
  scheduler_.Run();
}

TEST_F(ReadsTest, AllTogetherMayHaveSoMany) {
  for (std::size_t i = 0; i < Reads::kMost; ++i) {
    EXPECT_EQ(Ask(Reads::kLong + 1, "192.0.2." + std::to_string(i)).heard->status, 0) << i;
  }
  EXPECT_THAT(Ask(Reads::kLong + 1, "198.51.100.1").heard->answer, HasSubstr("all together 64"));
}

// Actions count as they are written.
TEST(ReadsSize, CountsTheActionsOfAGameElsewhere) {
  Hall hall;
  const TableId id = hall.Match("tictactoe", {"external", "external"});
  SeatView view;
  view.free_actions.Put(
      std::make_shared<const Action>("go", "", json::Object{{"title", std::string(Reads::kLong / 5, '\x7f')}}));
  EXPECT_GT(Reads::SizeOf(hall.At(id), view), Reads::kLong);
  EXPECT_LT(Reads::SizeOf(hall.At(id), LookAt(hall.At(id), Viewer::Seat(0))), Reads::kLong);
}

}  // namespace
}  // namespace openseat::mcp
