#include "agents/llm/call_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "testing/fake_scheduler.h"

namespace openseat::llm {
namespace {

TEST(CallGate, LetsInAsManyAsItMay) {
  testing::FakeScheduler scheduler;
  CallGate gate(2, 0);
  CallGate::Pass a;
  CallGate::Pass b;
  CallGate::Pass d;
  std::string in;
  a.Enter(gate, scheduler, "", [&] { in += 'a'; });
  b.Enter(gate, scheduler, "", [&] { in += 'b'; });
  {
    CallGate::Pass c;
    c.Enter(gate, scheduler, "", [&] { in += 'c'; });
    d.Enter(gate, scheduler, "", [&] { in += 'd'; });
    EXPECT_EQ(in, "ab") << "at once, without a turn of the scheduler";
  }
  a.Leave();
  scheduler.Run();
  EXPECT_EQ(in, "abd") << "c did not wait for its turn";
  a.Enter(gate, scheduler, "", [&] { in += 'A'; });
  d.Enter(gate, scheduler, "", [&] { in += 'D'; });
  scheduler.Run();
  EXPECT_EQ(in, "abdA") << "d gave its place up and waits again";
  b.Leave();
  a.Leave();
  scheduler.Run();
  EXPECT_EQ(in, "abdAD");
  d.Leave();
  a.Enter(gate, scheduler, "", [&] { in += '1'; });
  b.Enter(gate, scheduler, "", [&] { in += '2'; });
  d.Enter(gate, scheduler, "", [&] { in += '3'; });
  scheduler.Run();
  EXPECT_EQ(in, "abdAD12") << "no place is lost, and none is counted twice";
}

TEST(CallGate, WhoLeavesBetweenBeingCalledAndEnteringGivesThePlaceOn) {
  testing::FakeScheduler scheduler;
  CallGate gate(1, 0);
  CallGate::Pass a;
  CallGate::Pass b;
  CallGate::Pass c;
  std::string in;
  a.Enter(gate, scheduler, "", [&] { in += 'a'; });
  b.Enter(gate, scheduler, "", [&] { in += 'b'; });
  c.Enter(gate, scheduler, "", [&] { in += 'c'; });
  a.Leave();  // b is called
  b.Leave();
  scheduler.Run();
  EXPECT_EQ(in, "ac");
}

TEST(CallGate, SpreadsCallsOverTheMinute) {
  testing::FakeScheduler scheduler;
  CallGate gate(0, 6);  // one in ten seconds
  CallGate::Pass a;
  CallGate::Pass b;
  CallGate::Pass c;
  std::string in;
  a.Enter(gate, scheduler, "", [&] { in += 'a'; });
  b.Enter(gate, scheduler, "", [&] { in += 'b'; });
  EXPECT_EQ(in, "a");
  scheduler.Advance(std::chrono::milliseconds(9'900));
  EXPECT_EQ(in, "a");
  scheduler.Advance(std::chrono::milliseconds(200));
  EXPECT_EQ(in, "ab");
  c.Enter(gate, scheduler, "", [&] { in += 'c'; });
  c.Leave();
  scheduler.Advance(std::chrono::seconds(60));
  EXPECT_EQ(in, "ab") << "it no longer wants to";
}

// Passes of an owner who wants much, and one of another who came last.
class TurnsAtAGate : public ::testing::Test {
 protected:
  void EnterAll(std::size_t max_concurrent, double per_minute) {
    CallGate& gate = gate_.emplace(max_concurrent, per_minute);
    for (CallGate::Pass& pass : many_) pass.Enter(gate, scheduler_, "192.0.2.1", [this] { in_ += 'm'; });
    one_.Enter(gate, scheduler_, "192.0.2.7", [this] { in_ += 'o'; });
    EXPECT_EQ(in_, "m");
  }

  testing::FakeScheduler scheduler_;
  std::string in_;
  std::optional<CallGate> gate_;
  std::array<CallGate::Pass, 10> many_;
  CallGate::Pass one_;
};

TEST_F(TurnsAtAGate, OwnersTakeTurnsForAPlace) {
  EnterAll(1, 0);
  many_[0].Leave();
  scheduler_.Run();
  many_[1].Leave();
  scheduler_.Run();
  EXPECT_EQ(in_.find('o'), 1 + (in_[1] == 'm')) << in_;
}

TEST_F(TurnsAtAGate, OwnersTakeTurnsWithinARate) {
  EnterAll(0, 6);
  scheduler_.Advance(std::chrono::seconds(31));
  EXPECT_EQ(in_, "mmmo") << "after the one whose turn it was, and one more";
}

TEST_F(TurnsAtAGate, WhoLeavesWhileItWaitsForTheRateHoldsUpNobody) {
  EnterAll(2, 6);
  scheduler_.Advance(std::chrono::seconds(5));
  for (CallGate::Pass& pass : many_) pass.Leave();
  scheduler_.Advance(std::chrono::seconds(60));
  EXPECT_EQ(in_, "mo");
  CallGate::Pass third;
  third.Enter(*gate_, scheduler_, "", [this] { in_ += 't'; });
  EXPECT_EQ(in_, "mot") << "its place is free again";
}

}  // namespace
}  // namespace openseat::llm
