#include "net/http_connection.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "net/shard_impl.h"
#include "net/test_certificate.h"
#include "net/test_client.h"
#include "net/test_server.h"
#include "net/test_tls_client.h"
#include "net/tls.h"

namespace openseat::net {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr auto kPeerRequest = "GET /peer HTTP/1.1\r\nHost: localhost\r\n\r\n";

// TLS connections of one shard that come from anywhere, if one believes the test.
class StrangersConnections : public ::testing::Test {
 protected:
  static constexpr const char* kStranger = "203.0.113.7";
  static constexpr std::size_t kMost = 16;

  void SetUp() override {
    router_.Add(Method::kGet, "/peer", {}, [](const HttpRequest& request, HttpReply reply) {
      std::move(reply).Send(HttpResponse::Text(200, request.peer));
    });
    auto context = TlsContext::ForServer(certificate_.certificate(), certificate_.key());
    OPENSEAT_CHECK(context.has_value(), "a certificate of our own");
    tls_ = std::move(*context);
    core_ = std::make_shared<ServerCore>(router_, ServerLimits(), &metrics_, &budget_);
    registry_.emplace(shard(), WebSocketTimes());
    handshakes_.emplace(shard(), kMost);
    shards_.Start();
  }
  void TearDown() override {
    End();
    shards_.Stop();
  }

  ShardImpl& shard() { return static_cast<ShardImpl&>(shards_.at(0)); }
  void OnShard(const std::function<void()>& work) {
    std::promise<void> done;
    shard().Post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }
  void WaitFor(const std::function<bool()>& condition) {
    bool holds = false;
    while (!holds) OnShard([&] { holds = condition(); });
  }
  // Cuts what is open.
  void End() {
    OnShard([this] {
      if (registry_) registry_->CutAll("the test is over");
      registry_.reset();
      handshakes_.reset();
    });
  }

  // A new client at this address.
  template <typename Client = TestClient>
  std::unique_ptr<Client> Open(const std::string& address) {
    auto client = std::make_unique<Client>(listener_.port());
    const int descriptor = ::fcntl(listener_.Accept()->descriptor(), F_DUPFD_CLOEXEC, 0);
    OnShard([&] {
      auto admission = core_->Admit(address, shard().clock().Monotonic(), true);
      OPENSEAT_CHECK(admission.has_value(), "within the limits");
      TcpSocket socket(shard().io());
      socket.assign(Tcp::v4(), descriptor);
      Transport::Prepare(socket);
      Transport transport(std::move(socket), tls_->Accept(descriptor));
      std::make_shared<HttpConnection>(*registry_, core_, std::move(transport), address, address == "127.0.0.1",
                                       std::move(*admission))
          ->Start(*handshakes_);
    });
    return client;
  }
  // One at this address whose handshake waits for its turn, because others have used up the time.
  std::unique_ptr<TestClient> OpenAndWait(const std::string& address) {
    auto client = Open(address);
    std::string hello("\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9);  // it has 512 bytes
    WaitFor([&] {
      if (handshakes_->waiting() > 0) return true;
      Exhaust();
      client->Send(hello.substr(0, 1));
      hello = hello.substr(1) + 'a';
      return false;
    });
    return client;
  }
  // Other handshakes take a while.
  void Exhaust() {
    Handshakes::Place other = handshakes_->Begin("198.51.100.1", Task());
    other.Spend(std::chrono::milliseconds(100));
  }
  bool NothingIsHeld() {
    return handshakes_->size() == 0 && registry_->size() == 0 && budget_.held(Holding::kHandshakeBytes) == 0;
  }

  const TestCertificate certificate_{"DNS:localhost"};
  Metrics metrics_;
  Budget budget_{BudgetLimits(), &metrics_};
  Shards shards_{1};
  Router router_;
  TestListener listener_;
  std::shared_ptr<TlsContext> tls_;
  std::shared_ptr<ServerCore> core_;
  std::optional<ConnectionRegistry> registry_;  // used only on the shard, as are the handshakes
  std::optional<Handshakes> handshakes_;
};

TEST_F(StrangersConnections, AHandshakeIsEnteredUntilItsEnd) {
  const auto client = Open<OpenSslClient>(kStranger);
  OnShard([&] { EXPECT_EQ(handshakes_->size(), 1u); });
  ASSERT_TRUE(client->Connect());
  const std::string answer = client->Ask(kPeerRequest);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, EndsWith(kStranger));
  OnShard([&] { EXPECT_EQ(handshakes_->size(), 0u); });
}

TEST_F(StrangersConnections, ThoseOfThisMachineAreNotEntered) {
  const auto client = Open<OpenSslClient>("127.0.0.1");
  OnShard([&] { EXPECT_EQ(handshakes_->size(), 0u); });
  ASSERT_TRUE(client->Connect());
  EXPECT_THAT(client->Ask(kPeerRequest), StartsWith("HTTP/1.1 200"));
}

TEST_F(StrangersConnections, AHandshakeGoesOnWhenItsTurnComes) {
  const auto waiting = OpenAndWait("203.0.113.8");
  std::vector<std::unique_ptr<OpenSslClient>> clients;
  while (clients.size() < 8) {
    clients.push_back(Open<OpenSslClient>(kStranger));
    clients.push_back(Open<OpenSslClient>("203.0.113.9"));
  }
  for (const auto& client : clients) {
    ASSERT_TRUE(client->Connect());
    EXPECT_THAT(client->Ask(kPeerRequest), StartsWith("HTTP/1.1 200"));
  }
  WaitFor([this] { return handshakes_->waiting() == 0 && handshakes_->size() == 1; });
}

TEST_F(StrangersConnections, AClientMayLeaveBeforeItsTurn) {
  OpenAndWait(kStranger).reset();
  WaitFor([this] { return NothingIsHeld(); });
}

TEST_F(StrangersConnections, TheServerMayEndBeforeItsTurn) {
  const auto client = OpenAndWait(kStranger);
  End();
  EXPECT_TRUE(client->AtEnd());
  EXPECT_EQ(budget_.held(Holding::kHandshakeBytes), 0u);
}

TEST_F(StrangersConnections, TheOldestOfTheAddressThatHasMostIsCut) {
  const auto first = Open("203.0.113.8");
  std::vector<std::unique_ptr<TestClient>> many;
  while (many.size() < kMost - 1) many.push_back(Open(kStranger));
  const auto last = Open<OpenSslClient>("203.0.113.9");
  EXPECT_TRUE(many.front()->AtEnd());
  OnShard([&] { EXPECT_EQ(handshakes_->size(), kMost); });
  ASSERT_TRUE(last->Connect());
  EXPECT_THAT(last->Ask(kPeerRequest), StartsWith("HTTP/1.1 200"));
}

TEST_F(StrangersConnections, OneThatWaitsCanBeCut) {
  const auto waiting = OpenAndWait(kStranger);
  std::vector<std::unique_ptr<TestClient>> others;
  others.push_back(Open(kStranger));
  while (others.size() < kMost) others.push_back(Open("192.0.2." + std::to_string(others.size())));
  EXPECT_TRUE(waiting->AtEnd());
  OnShard([&] { EXPECT_EQ(handshakes_->size(), kMost); });
}

}  // namespace
}  // namespace openseat::net
