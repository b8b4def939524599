#include "relay/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/fake_socket.h"
#include "protocols/neuro/codec.h"
#include "testing/fake_scheduler.h"

namespace openseat::relay {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kAllowed = 50'000;  // max_table_bytes_per_address

class ChannelTest : public ::testing::Test, public ChannelHost, public GamePort {
 protected:
  void Open() {
    channel_ = std::make_shared<Channel>(*this, std::uint64_t{1}, "me", "game", payer_, Lease());
    channel_->Start();
    Accept();
    channel_->Attach(*this, false);
  }
  // The upstream takes the connection.
  void Accept() {
    upstream_ = std::make_shared<net::FakeSocket>(scheduler_, ++sockets_);
    dialed_->OnOpen(upstream_);
  }
  // What the game says, which the upstream reads.
  void Say(const std::string& text) {
    std::vector<neuro::Decoded> documents = neuro::DecodeClient(text);
    std::vector<Step> steps = StepsOf(documents, "A");
    channel_->FromGame(MakeFrame(text, false, std::move(steps)), documents);
    if (!upstream_->pings.empty()) dialed_->OnPong(upstream_->pings.back());
  }
  // The upstream's connection breaks, and it comes back; what it is told then.
  std::vector<std::string> ToldAgain() {
    const std::unique_ptr<net::WebSocketSession> former = std::move(dialed_);
    former->OnClosed({.code = net::close_code::kAbnormal, .cause = net::Closing::Cause::kLost});
    scheduler_.Advance(seconds(1));
    Accept();
    return upstream_->sent;
  }
  static std::string Register(const std::string& name, std::size_t bytes) {
    std::string text;
    neuro::EncodeRegister("A", std::vector<neuro::ActionDefinition>{{name, std::string(bytes, 'x'), std::nullopt}},
                          text);
    return text;
  }
  static std::string Force(std::size_t bytes) {
    std::string text;
    neuro::EncodeForce("A", {.query = std::string(bytes, 'x'), .action_names = {"a"}}, text);
    return text;
  }

  // --- ChannelHost ---
  const RelayOptions& options() const override { return options_; }
  const neuro::Dial& dial() const override { return dial_; }
  Scheduler& scheduler() override { return scheduler_; }
  NameBook& names() override { return names_; }
  void CountToUpstream() override {}
  void CountToGame() override {}
  void Ended(std::uint64_t) override {}

  // --- GamePort ---
  std::shared_ptr<net::WebSocket> socket() override { return game_; }
  void NoteSent(const std::string&) override {}
  void Note(std::string text) override { notes_ += text + "\n"; }

  testing::FakeScheduler scheduler_;
  Budget budget_{BudgetLimits{.others = {.max_table_bytes_per_address = kAllowed}, .loopback = {}}};
  const std::shared_ptr<Payer> payer_ = budget_.PayerOf("192.0.2.7", Instant());
  RelayOptions options_{.upstream = "ws://upstream/"};
  NameBook names_;
  std::uint64_t sockets_ = 0;
  std::shared_ptr<net::FakeSocket> game_ = std::make_shared<net::FakeSocket>(scheduler_, ++sockets_);
  std::shared_ptr<net::FakeSocket> upstream_;
  std::unique_ptr<net::WebSocketSession> dialed_;  // the channel's side of its latest connection
  const neuro::Dial dial_ = [this](Scheduler&, const std::string&, std::unique_ptr<net::WebSocketSession> session,
                                   const std::function<void(Error)>&) { dialed_ = std::move(session); };
  std::string notes_;
  std::shared_ptr<Channel> channel_;
};

constexpr char kStart[] = R"({"command":"startup","game":"A"})";

TEST_F(ChannelTest, WhatIsRepeatedCountsForTheGamesAddress) {
  Open();
  const std::string registered = Register("a", 10'000);
  const std::string force = Force(10'000);
  for (const std::string& text : {std::string(kStart), registered, force}) Say(text);
  EXPECT_GT(payer_->held(Holding::kTableBytes), 20'000u);
  EXPECT_THAT(ToldAgain(), ElementsAre(kStart, registered, force));
  EXPECT_THAT(notes_, Not(HasSubstr("left out")));
  channel_->GameClosed({.code = net::close_code::kAbnormal, .cause = net::Closing::Cause::kLost});
  EXPECT_GT(payer_->held(Holding::kTableBytes), 20'000u) << "the game may come back";
  channel_.reset();
  EXPECT_EQ(payer_->held(Holding::kTableBytes), 0u);
}

TEST_F(ChannelTest, WhatDoesNotFitIsNotRepeatedAndSaid) {
  Open();
  Say(kStart);
  Say(Force(kAllowed));
  EXPECT_THAT(notes_, HasSubstr("larger forces than are repeated to an upstream that comes back (the limit "
                                "max_table_bytes_per_address is reached"));
  EXPECT_THAT(notes_, Not(HasSubstr("more actions")));
  Say(Register("a", kAllowed));
  EXPECT_THAT(notes_, HasSubstr("more actions than are repeated to an upstream that comes back (the limit "
                                "max_table_bytes_per_address is reached"));
  EXPECT_LE(payer_->held(Holding::kTableBytes), kAllowed);
  EXPECT_THAT(ToldAgain(), ElementsAre(kStart));
}

TEST_F(ChannelTest, WhereNothingIsRepeatedNothingIsKept) {
  options_.restore = false;
  Open();
  for (const std::string& text : {std::string(kStart), Register("a", 10'000), Force(10'000)}) Say(text);
  EXPECT_EQ(payer_->held(Holding::kTableBytes), 0u);
  EXPECT_THAT(ToldAgain(), IsEmpty());
}

}  // namespace
}  // namespace openseat::relay
