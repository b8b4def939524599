#include "protocols/neuro/owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "net/client_address.h"

namespace openseat::neuro {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

net::HttpRequest From(std::string peer, const std::vector<std::pair<std::string, std::string>>& headers = {}) {
  net::HttpRequest request;
  request.loopback = peer.starts_with("127.") || peer == "::1";
  request.peer = std::move(peer);
  request.headers.Add("Upgrade", "websocket");
  for (const auto& [name, value] : headers) request.headers.Add(name, value);
  request.forwarded_for = net::ForwardedFor(request);
  return request;
}

std::string Owner(std::string peer, const std::vector<std::pair<std::string, std::string>>& headers = {}) {
  return OwnerOf(From(std::move(peer), headers));
}

TEST(OwnerTest, AnAddressIsItsOwn) {
  EXPECT_EQ(Owner("192.0.2.7"), Owner("::ffff:192.0.2.7"));
  EXPECT_NE(Owner("192.0.2.7"), Owner("192.0.2.8"));
  EXPECT_EQ(Owner("2001:db8:1:2::1"), Owner("2001:db8:1:2:ffff::9")) << "one household has many";
  EXPECT_NE(Owner("2001:db8:1:2::1"), Owner("2001:db8:1:3::1"));
}

TEST(OwnerTest, AllOfThisMachineAreOne) {
  EXPECT_EQ(Owner("127.0.0.1"), Owner("::1"));
  EXPECT_NE(Owner("127.0.0.1"), Owner("192.0.2.7"));
}

TEST(OwnerTest, ATokenCountsFromAnywhere) {
  net::HttpRequest at_home = From("192.0.2.7");
  at_home.query = {{"token", "secret"}};
  net::HttpRequest elsewhere = From("198.51.100.1", {{"Authorization", "Bearer secret"}});
  EXPECT_EQ(OwnerOf(at_home), OwnerOf(elsewhere));
  EXPECT_EQ(OwnerOf(at_home), Owner("127.0.0.1", {{"Sec-WebSocket-Protocol", "openseat.bearer.secret"}}));
  EXPECT_NE(OwnerOf(at_home), Owner("192.0.2.7")) << "and who has none is not its owner";
  EXPECT_NE(OwnerOf(at_home), Owner("192.0.2.7", {{"Authorization", "Bearer another"}}));
  EXPECT_THAT(OwnerOf(at_home), Not(HasSubstr("secret")));
}

TEST(OwnerTest, BehindAProxyItIsWhomTheProxyNames) {
  const std::string neighbor = Owner("127.0.0.1", {{"X-Forwarded-For", "192.0.2.7"}});
  EXPECT_NE(neighbor, Owner("127.0.0.1"));
  EXPECT_EQ(neighbor, Owner("127.0.0.1", {{"X-Forwarded-For", "whatever, 192.0.2.7"}}));
  EXPECT_NE(neighbor, Owner("127.0.0.1", {{"X-Forwarded-For", "192.0.2.7, 198.51.100.1"}}))
      << "what stands first is what the client says of itself";
  EXPECT_NE(neighbor, Owner("127.0.0.1", {{"X-Forwarded-For", "192.0.2.7"}, {"X-Forwarded-For", "198.51.100.1"}}));
  EXPECT_THAT(Owner("127.0.0.1", {{"X-Real-IP", "198.51.100.1"}, {"X-Forwarded-For", "192.0.2.7"}}), IsEmpty())
      << "one of them is what the client says";
}

TEST(OwnerTest, WhomAProxyDoesNotNameIsNobody) {
  EXPECT_THAT(Owner("127.0.0.1", {{"Via", "1.1 proxy"}}), IsEmpty());
  EXPECT_THAT(Owner("127.0.0.1", {{"Forwarded", "for=unknown"}}), IsEmpty());
  EXPECT_THAT(Owner("127.0.0.1", {{"X-Forwarded-For", "unknown"}}), IsEmpty());
}

TEST(OwnerTest, ElsewhereProxyHeadersAreOnlyWhatAClientSays) {
  EXPECT_EQ(Owner("192.0.2.7", {{"X-Forwarded-For", "198.51.100.1"}}), Owner("192.0.2.7"));
}

}  // namespace
}  // namespace openseat::neuro
