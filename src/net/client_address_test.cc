#include "net/client_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace openseat::net {
namespace {

using ::testing::HasSubstr;

using HeaderList = std::vector<std::pair<std::string, std::string>>;

HttpRequest Coming(const std::string& peer, const HeaderList& headers = {}, const Proxies& proxies = {}) {
  HttpRequest request;
  request.peer = peer;
  request.loopback = peer.starts_with("127.") || peer == "::1";
  for (const auto& [name, value] : headers) request.headers.Add(name, value);
  request.forwarded_for = ForwardedFor(request, proxies);
  return request;
}

// Through a proxy on this machine.
std::string Through(const HeaderList& headers, const Proxies& proxies = {}) {
  const HttpRequest request = Coming("127.0.0.1", headers, proxies);
  EXPECT_FALSE(IsLocal(request));
  return ClientAddress(request);
}

Proxies Trusting(const std::vector<std::string>& texts) {
  return Proxies::Parse(texts).value();
}

TEST(ClientAddress, IsThePeersWhereThereIsNoProxy) {
  EXPECT_EQ(ClientAddress(Coming("203.0.113.7")), "203.0.113.7");
  EXPECT_EQ(ClientAddress(Coming("127.0.0.1")), "127.0.0.1");
  EXPECT_EQ(ClientAddress(Coming("::1")), "::1");
  EXPECT_TRUE(IsLocal(Coming("127.0.0.1")));
  EXPECT_TRUE(IsLocal(Coming("::1")));
  EXPECT_FALSE(IsLocal(Coming("203.0.113.7")));
}

TEST(ClientAddress, HeadersOfStrangersSayNothing) {
  for (const char* header : {"X-Forwarded-For", "X-Real-IP", "Forwarded", "Via", "X-Forwarded-Proto"}) {
    const HttpRequest request = Coming("203.0.113.7", {{header, "127.0.0.1"}});
    EXPECT_EQ(ClientAddress(request), "203.0.113.7") << header;
    EXPECT_FALSE(IsLocal(request)) << header;
    EXPECT_EQ(request.forwarded_for, std::nullopt) << header;
  }
}

TEST(ClientAddress, AProxyHereNamesItInAnyOfThreeHeaders) {
  EXPECT_EQ(Through({{"X-Forwarded-For", "198.51.100.1"}}), "198.51.100.1");
  EXPECT_EQ(Through({{"x-real-ip", "198.51.100.1"}}), "198.51.100.1");
  EXPECT_EQ(Through({{"Forwarded", "for=198.51.100.1"}}), "198.51.100.1");
  EXPECT_EQ(Through({{"Forwarded", "proto=https; FOR=\"198.51.100.1\";by=203.0.113.43"}}), "198.51.100.1");
  EXPECT_EQ(Through({{"X-Forwarded-For", "198.51.100.1"}, {"X-Real-IP", "198.51.100.1"}, {"Via", "1.1 proxy"}}),
            "198.51.100.1");
}

TEST(ClientAddress, WhatTheClientWroteBeforeDoesNotCount) {
  EXPECT_EQ(Through({{"X-Forwarded-For", "192.0.2.1, 198.51.100.1"}}), "198.51.100.1");
  EXPECT_EQ(Through({{"X-Forwarded-For", "127.0.0.1,192.0.2.1 ,\t198.51.100.1 "}}), "198.51.100.1");
  EXPECT_EQ(Through({{"X-Forwarded-For", "192.0.2.1"}, {"X-Forwarded-For", "198.51.100.1"}}), "198.51.100.1")
      << "a proxy may add a header of its own";
  EXPECT_EQ(Through({{"Forwarded", "for=192.0.2.1, for=198.51.100.1"}}), "198.51.100.1");
  EXPECT_EQ(Through({{"X-Real-IP", "192.0.2.1"}, {"X-Real-IP", "198.51.100.1"}}), "198.51.100.1");
}

// What a client says elsewhere, such as its Host, is not taken for an address.
TEST(ClientAddress, QuotedStringsOfForwardedAreWhole) {
  for (const char* value : {
           R"(proto=https;host="a;for=6.6.6.6";for=203.0.113.17)",
           R"(for=203.0.113.17;host="a;for=6.6.6.6")",
           R"(proto=https;host="a,for=6.6.6.6";for=203.0.113.17)",
           R"(for=203.0.113.17;host="a, for=6.6.6.6")",
           R"(for="203.0.113.17:80";host="\";for=6.6.6.6,for=6.6.6.6;\\")",
           R"(for="203.0.113\.17")",
           R"(for=192.0.2.1;host="a,b", for=203.0.113.17;by="_x,y")",
           // The client wrote quotes that do not match before what the proxy appends.
           R"(host=", for=203.0.113.17)",
           R"(host=", for=203.0.113.17;host="a;for=6.6.6.6")",
           R"(host="\, for=203.0.113.17;host="a,for=6.6.6.6")",
       }) {
    EXPECT_EQ(Through({{"Forwarded", value}}), "203.0.113.17") << value;
  }
  for (const char* value : {
           R"(for=203.0.113.17;for=6.6.6.6)",
           R"(for=203.0.113.17;FOR="203.0.113.17")",
           R"(for=203.0.113.17;host="a)",
           R"(for=203.0.113.17;host="a\")",
           R"(for="203.0.113.17)",
           R"(for="203.0.113.17"x)",
           R"(for=203.0.113.17"")",
           R"(for=")",
           R"(for="\)",
           R"(host="a;for=6.6.6.6")",
           R"(host="a"for=6.6.6.6")",
           R"(";for=6.6.6.6)",
       }) {
    EXPECT_EQ(Through({{"Forwarded", value}}), "proxy") << value;
  }
}

// The proxy sets one of them, and passes on the other one as the client sent it.
TEST(ClientAddress, AHeaderThatTheProxyDoesNotSetIsNotBelieved) {
  EXPECT_EQ(Through({{"X-Forwarded-For", "192.0.2.1"}, {"X-Real-IP", "198.51.100.1"}}), "proxy");
  EXPECT_EQ(Through({{"X-Real-IP", "192.0.2.1"}, {"X-Forwarded-For", "198.51.100.1"}}), "proxy");
  EXPECT_EQ(Through({{"Forwarded", "for=192.0.2.1"}, {"X-Forwarded-For", "198.51.100.1"}}), "proxy");
  EXPECT_EQ(Through({{"Forwarded", "for=192.0.2.1"}, {"X-Real-IP", "198.51.100.1"}}), "proxy");
  EXPECT_EQ(Through({{"X-Forwarded-For", "127.0.0.1"}, {"X-Real-IP", "198.51.100.1"}}), "proxy");
  EXPECT_EQ(Through({{"X-Forwarded-For", "rubbish"}, {"X-Real-IP", "198.51.100.1"}}), "proxy");
  EXPECT_EQ(Through({{"X-Forwarded-For", ""}, {"X-Real-IP", "198.51.100.1"}}), "proxy");
  EXPECT_EQ(Through({{"X-Forwarded-For", "192.0.2.1"}, {"X-Real-IP", "198.51.100.1"}, {"Forwarded", "for=192.0.2.1"}}),
            "proxy");
  EXPECT_EQ(Through({{"X-Forwarded-For", "192.0.2.1, 198.51.100.1"}, {"X-Real-IP", "198.51.100.1"}}), "198.51.100.1")
      << "the two agree";
}

TEST(ClientAddress, WhomAProxyDoesNotNameIsOneOfMany) {
  for (const HeaderList& headers : std::vector<HeaderList>{{{"Via", "1.1 proxy"}},
                                                           {{"X-Forwarded-Proto", "https"}},
                                                           {{"X-Forwarded-Host", "games.example"}},
                                                           {{"Forwarded", "for=unknown"}},
                                                           {{"Forwarded", "for=_hidden, proto=http"}},
                                                           {{"Forwarded", "for=198.51.100.1, proto=http"}},
                                                           {{"X-Forwarded-For", "unknown"}},
                                                           {{"X-Forwarded-For", ""}},
                                                           {{"X-Forwarded-For", "198.51.100.1, secret!"}},
                                                           {{"X-Forwarded-For", "198.51.100.1,"}},
                                                           {{"X-Forwarded-For", "127.0.0.1"}},
                                                           {{"X-Forwarded-For", "::1"}},
                                                           {{"X-Forwarded-For", "1.2.3"}},
                                                           {{"X-Forwarded-For", "[2001:db8::1"}},
                                                           {{"X-Real-IP", "localhost"}}}) {
    EXPECT_EQ(Through(headers), "proxy") << headers.front().first << ": " << headers.front().second;
  }
}

TEST(ClientAddress, PortsAndBracketsAreLeftOut) {
  for (const char* entry : {"198.51.100.1:51234", "198.51.100.1", "\"198.51.100.1:80\""}) {
    EXPECT_EQ(Through({{"X-Forwarded-For", entry}}), "198.51.100.1") << entry;
  }
  for (const char* entry : {"2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:443", "\"[2001:db8::1]:443\""}) {
    EXPECT_EQ(Through({{"X-Forwarded-For", entry}}), "2001:db8::1") << entry;
    EXPECT_EQ(Through({{"Forwarded", "for=" + std::string(entry)}}), "2001:db8::1") << entry;
  }
  EXPECT_EQ(Through({{"X-Forwarded-For", "2001:db8::1"}, {"X-Real-IP", "2001:db8::2"}}), "2001:db8::2")
      << "one household";
}

TEST(ClientAddress, SeveralHopsOnThisMachineAreOne) {
  EXPECT_EQ(Through({{"X-Forwarded-For", "192.0.2.1, 198.51.100.1, 127.0.0.1"}}), "198.51.100.1");
  EXPECT_EQ(Through({{"X-Forwarded-For", "192.0.2.1, 198.51.100.1, ::1, ::ffff:127.0.0.1"}}), "198.51.100.1");
}

// A client can make the list as long as a request's headers may be.
TEST(ClientAddress, OnlyTheLastSixteenEntriesAreLookedAt) {
  std::string proxies;
  for (int i = 0; i < 15; ++i) proxies += ", ::1";
  EXPECT_EQ(Through({{"X-Forwarded-For", "198.51.100.1" + proxies}}), "198.51.100.1");
  EXPECT_EQ(Through({{"X-Forwarded-For", "198.51.100.1, ::1" + proxies}}), "proxy");
  EXPECT_EQ(Through({{"X-Real-IP", "198.51.100.1"}, {"X-Real-IP", "::1" + proxies}}), "proxy") << "all headers count";
  EXPECT_EQ(Through({{"Forwarded", "for=198.51.100.1, for=::1" + proxies}}), "proxy");
  EXPECT_EQ(Through({{"X-Forwarded-For", "192.0.2.1" + proxies + proxies + ", 198.51.100.1"}}), "198.51.100.1")
      << "what the client wrote before";
}

TEST(ClientAddress, ProxiesThatTheOwnerNamesAreTrustedAsWell) {
  const Proxies proxies = Trusting({"10.0.0.5", "192.168.0.0/16", "fd00::/8"});
  // The proxy is on another machine.
  for (const char* peer : {"10.0.0.5", "192.168.7.9", "fd12::9", "::ffff:10.0.0.5"}) {
    const HttpRequest request = Coming(peer, {{"X-Forwarded-For", "198.51.100.1"}}, proxies);
    EXPECT_EQ(ClientAddress(request), "198.51.100.1") << peer;
    EXPECT_FALSE(IsLocal(request)) << peer;
    EXPECT_EQ(ClientAddress(Coming(peer, {}, proxies)), peer) << "it asks for itself";
    EXPECT_FALSE(IsLocal(Coming(peer, {{"X-Forwarded-For", "127.0.0.1"}}, proxies))) << peer;
  }
  for (const char* peer : {"10.0.0.6", "192.169.0.1", "fe00::1", "203.0.113.7"}) {
    EXPECT_EQ(ClientAddress(Coming(peer, {{"X-Forwarded-For", "198.51.100.1"}}, proxies)), peer);
  }
  // It is one of several hops.
  EXPECT_EQ(Through({{"X-Forwarded-For", "192.0.2.1, 198.51.100.1, 10.0.0.5"}}, proxies), "198.51.100.1");
  EXPECT_EQ(Through({{"X-Forwarded-For", "198.51.100.1, 10.0.0.5, 192.168.1.1, 127.0.0.1"}}, proxies), "198.51.100.1");
  EXPECT_EQ(Through({{"X-Forwarded-For", "192.0.2.1, 10.0.0.6"}}, proxies), "10.0.0.6") << "no proxy of ours";
  EXPECT_EQ(Through({{"X-Forwarded-For", "10.0.0.5, 127.0.0.1"}}, proxies), "proxy") << "nobody but proxies";
}

TEST(Proxies, AreAddressesAndNetworks) {
  const Proxies proxies = Trusting({"10.0.0.0/12", "2001:db8::/33", "192.0.2.7/32"});
  for (const char* in : {"10.0.0.0", "10.15.255.255", "2001:db8:7fff::1", "192.0.2.7", "::ffff:10.1.2.3"}) {
    EXPECT_TRUE(proxies.Contains(in)) << in;
  }
  for (const char* out : {"10.16.0.0", "2001:db8:8000::1", "192.0.2.8", "127.0.0.1", "", "proxy"}) {
    EXPECT_FALSE(proxies.Contains(out)) << out;
  }
  EXPECT_FALSE(Proxies().Contains("127.0.0.1"));
  for (const char* text : {"", "proxy.example", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/8 ", "0.0.0.0/0",
                           "::/0", "::/1", "2001:db8::/129", "10.0.0.5:80", "/8"}) {
    const Result<Proxies> parsed = Proxies::Parse(std::vector<std::string>{text});
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr("10.0.0.0/8"));
  }
}

}  // namespace
}  // namespace openseat::net
