#include "relay/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/fake_socket.h"
#include "testing/fake_scheduler.h"

namespace openseat::relay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FramePtr FrameOf(std::string text, Step::Kind kind = Step::Kind::kOther) {
  return MakeFrame(std::move(text), false, {Step{.kind = kind}});
}

class OutboxTest : public ::testing::Test {
 protected:
  std::shared_ptr<net::FakeSocket> Connect(const std::vector<FramePtr>& before = {},
                                           const std::vector<FramePtr>& after = {}) {
    auto socket = std::make_shared<net::FakeSocket>(scheduler_, ++sockets_);
    outbox_.Connect(socket, before, after);
    return socket;
  }

  testing::FakeScheduler scheduler_;
  std::uint64_t sockets_ = 0;
  std::vector<std::string> sent_;
  std::vector<std::string> read_;
  Outbox outbox_{{.items = 4, .bytes = 1u << 20},
                 nullptr,
                 [this](const FramePtr& frame) { sent_.push_back(frame->text); },
                 [this](const FramePtr& frame) { read_.push_back(frame->text); }};
};

TEST_F(OutboxTest, SendsAtOnceAndKeepsUntilThePeerHasRead) {
  auto socket = Connect();
  outbox_.Push(FrameOf("a"));
  outbox_.Push(FrameOf("b"));
  EXPECT_THAT(socket->sent, ElementsAre("a", "b"));
  ASSERT_EQ(socket->pings.size(), 1u) << "one at a time";
  outbox_.OnPong("not ours");
  EXPECT_THAT(read_, IsEmpty());
  outbox_.OnPong(socket->pings[0]);
  EXPECT_THAT(read_, ElementsAre("a"));
  ASSERT_EQ(socket->pings.size(), 2u);
  outbox_.OnPong(socket->pings[0]);
  EXPECT_THAT(read_, ElementsAre("a")) << "an old answer says nothing";
  outbox_.OnPong(socket->pings[1]);
  EXPECT_THAT(read_, ElementsAre("a", "b"));
  EXPECT_TRUE(outbox_.empty());
  EXPECT_EQ(socket->pings.size(), 2u) << "nothing to ask for";
}

TEST_F(OutboxTest, SendsAgainWhatMayNotHaveArrived) {
  auto first = Connect();
  outbox_.Push(FrameOf("a"));
  outbox_.OnPong(first->pings[0]);
  outbox_.Push(FrameOf("b"));
  outbox_.Disconnect();
  outbox_.Push(FrameOf("c"));
  EXPECT_EQ(outbox_.unsent(), 2u);
  auto second = Connect({FrameOf("startup")}, {FrameOf("force")});
  EXPECT_THAT(second->sent, ElementsAre("startup", "b", "c", "force"));
  EXPECT_THAT(sent_, ElementsAre("a", "b", "c")) << "each is reported once";
}

TEST_F(OutboxTest, IsFullOnlyOfWhatWasNeverSent) {
  for (const char* text : {"a", "b", "c"}) EXPECT_TRUE(outbox_.Push(FrameOf(text)));
  EXPECT_TRUE(outbox_.Push(FrameOf("context", Step::Kind::kContext)));
  EXPECT_FALSE(outbox_.Push(FrameOf("d")));
  EXPECT_TRUE(outbox_.DropOldestContext());
  EXPECT_TRUE(outbox_.Push(FrameOf("d")));
  EXPECT_FALSE(outbox_.DropOldestContext());
  auto socket = Connect();
  EXPECT_TRUE(outbox_.Push(FrameOf("e"))) << "a peer without pongs does not stop it";
  EXPECT_THAT(socket->sent, ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(read_, ElementsAre("a"));
}

TEST_F(OutboxTest, BinaryStaysBinary) {
  auto socket = Connect();
  outbox_.Push(MakeFrame("\x01\x02", true));
  EXPECT_THAT(socket->sent_binary, ElementsAre("\x01\x02"));
  EXPECT_EQ(outbox_.Clear(), 0u);
  outbox_.Disconnect();
  outbox_.Push(FrameOf("late"));
  EXPECT_EQ(outbox_.Clear(), 1u);
}

}  // namespace
}  // namespace openseat::relay
