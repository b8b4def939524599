#include "net/handshakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "testing/fake_scheduler.h"

namespace openseat::net {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HandshakesTest : public ::testing::Test {
 protected:
  // A client whose handshake takes this long each time that it has its turn.
  struct Client {
    std::string name;
    Duration takes{0};
    Handshakes::Place place;
  };

  Client& Begin(const std::string& address, Duration takes = milliseconds(1)) {
    Client& client = *clients_.emplace_back(std::make_unique<Client>());
    client.name = address;
    client.takes = takes;
    client.place = handshakes_.Begin(address, [this, &client] {
      cut_.push_back(client.name);
      client.place.End();
    });
    return client;
  }
  // What it sent has come.
  void Ask(Client& client) {
    if (!client.place.Waits([this, &client] { Serve(client); })) Serve(client);
  }
  void Serve(Client& client) {
    served_.push_back(client.name);
    client.place.Spend(client.takes);
    client.place.End();
  }
  // Spends what the loop has saved up.
  void Exhaust() {
    while (!handshakes_busy()) Ask(Begin("192.0.2.99"));
    served_.clear();
  }
  bool handshakes_busy() const { return handshakes_.waiting() > 0; }

  testing::FakeScheduler scheduler_;
  Handshakes handshakes_{scheduler_, 8};
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::string> served_;
  std::vector<std::string> cut_;
};

TEST_F(HandshakesTest, HaveAShareOfTheTime) {
  for (int i = 0; i < 5; ++i) Ask(Begin("192.0.2.1"));
  EXPECT_EQ(served_.size(), 5u) << "a few need not wait";
  Exhaust();
  for (int second = 0; second < 3; ++second) {
    served_.clear();
    for (int i = 0; i < 1'000; ++i) {
      if (handshakes_.size() < 8) Ask(Begin("192.0.2.1"));
      scheduler_.Advance(milliseconds(1));
    }
    EXPECT_GE(served_.size(), 290u);
    EXPECT_LE(served_.size(), 310u);
  }
}

TEST_F(HandshakesTest, ALongOneIsPaidBack) {
  // 100 ms at most: the process stood still.
  Ask(Begin("192.0.2.1", milliseconds(3'000)));
  Ask(Begin("192.0.2.2"));
  EXPECT_EQ(served_.size(), 1u);
  scheduler_.Advance(milliseconds(255));
  EXPECT_EQ(served_.size(), 1u);
  scheduler_.Advance(milliseconds(30));
  EXPECT_EQ(served_.size(), 2u);
  EXPECT_EQ(scheduler_.timers(), 0u);
}

TEST_F(HandshakesTest, AddressesTakeTurns) {
  Exhaust();
  for (int i = 0; i < 5; ++i) Ask(Begin("192.0.2.1"));
  Ask(Begin("192.0.2.2"));
  EXPECT_THAT(served_, IsEmpty());
  scheduler_.Advance(milliseconds(12));  // three turns at most, and one of them is Exhaust's
  EXPECT_THAT(served_, ::testing::Contains("192.0.2.2"));
  scheduler_.Advance(milliseconds(100));
  EXPECT_EQ(served_.size(), 7u);
}

TEST_F(HandshakesTest, OneThatEndsHasNoTurn) {
  Exhaust();
  Client& gone = Begin("192.0.2.1");
  Ask(gone);
  Ask(gone);  // again, while it waits
  EXPECT_EQ(handshakes_.waiting(), 2u);
  gone.place.End();
  EXPECT_EQ(handshakes_.waiting(), 1u);
  scheduler_.Advance(milliseconds(100));
  EXPECT_THAT(served_, ElementsAre("192.0.2.99"));
  EXPECT_EQ(handshakes_.size(), 0u);
}

TEST_F(HandshakesTest, TheOldestOfTheAddressThatHasMostIsCut) {
  Client& first = Begin("192.0.2.1");
  for (int i = 0; i < 4; ++i) Begin("192.0.2.2");
  for (int i = 0; i < 3; ++i) Begin("192.0.2.3");
  EXPECT_THAT(cut_, IsEmpty());
  Begin("192.0.2.4");
  EXPECT_THAT(cut_, ElementsAre("192.0.2.2"));
  EXPECT_FALSE(clients_[1]->place) << "its oldest";
  EXPECT_TRUE(clients_[2]->place);
  cut_.clear();
  for (int i = 0; i < 6; ++i) Begin("192.0.2.5");
  EXPECT_TRUE(first.place) << "who has few stays";
  EXPECT_EQ(handshakes_.size(), 8u);
  EXPECT_EQ(cut_.size(), 6u);
}

TEST_F(HandshakesTest, OfEqualsTheOldestIsCut) {
  for (int i = 0; i < 8; ++i) Begin("192.0.2." + std::to_string(9 - i));
  Begin("192.0.2.100");
  EXPECT_THAT(cut_, ElementsAre("192.0.2.9"));
}

TEST_F(HandshakesTest, OneThatWaitsCanBeCut) {
  Exhaust();
  cut_.clear();
  for (int i = 0; i < 8; ++i) Ask(Begin("192.0.2.1"));
  EXPECT_THAT(cut_, ElementsAre("192.0.2.1"));
  EXPECT_EQ(handshakes_.waiting(), 8u);
  scheduler_.Advance(milliseconds(100));
  EXPECT_EQ(served_.size(), 8u);
}

}  // namespace
}  // namespace openseat::net
