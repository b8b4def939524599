#include "protocols/agent_api/webhook_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat::agent_api {
namespace {

using ::testing::HasSubstr;

bool Taken(std::string_view url, const WebhookPolicy& policy = {}) {
  return CheckWebhookUrl(url, policy).has_value();
}

bool Reaches(std::string_view url, const std::string& ip, const WebhookPolicy& policy = {}) {
  return AddressesFor(url, policy)({ip, 443});
}

TEST(WebhookUrl, BeyondThisMachineNeedsTls) {
  EXPECT_TRUE(Taken("https://agent.example/hook?x=1"));
  EXPECT_TRUE(Taken("HTTPS://agent.example"));
  EXPECT_TRUE(Taken("http://127.0.0.1:9000/hook"));
  EXPECT_TRUE(Taken("http://localhost:9000"));
  EXPECT_TRUE(Taken("http://[::1]:9000/"));
  EXPECT_FALSE(Taken("http://agent.example/"));
  EXPECT_TRUE(Taken("http://agent.example/", {.allow_http = true}));
  // Forms of loopback addresses that are not its own.
  for (const char* url : {"http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://localhost.evil.example/",
                          "http://127.0.0.1.evil.example/", "http://[::ffff:127.0.0.1]/"}) {
    EXPECT_FALSE(Taken(url)) << url;
  }
}

TEST(WebhookUrl, AnAddressThatMayNotBeReachedIsRefusedAtOnce) {
  for (const char* url :
       {"https://10.0.0.1/", "https://169.254.169.254/latest", "https://192.168.1.7:8443/", "https://[fd00:ec2::254]/",
        "https://[fe80::1]/", "https://0.0.0.0/", "https://2852039166/", "https://0x0a000001/", "https://127.1/"}) {
    EXPECT_FALSE(Taken(url)) << url;
  }
  EXPECT_TRUE(Taken("https://10.0.0.1/", {.allow_private = true}));
  EXPECT_FALSE(Taken("https://169.254.169.254/", {.allow_private = true}));
  EXPECT_TRUE(Taken("https://8.8.8.8/"));
  EXPECT_TRUE(Taken("https://134744072/")) << "the same";
  EXPECT_TRUE(Taken("https://127.0.0.1:9000/"));
}

TEST(WebhookUrl, WhatIsNoUrlIsRefused) {
  for (const char* url : {"", "agent.example", "ftp://agent.example", "file:///etc/passwd", "https://", "https:///x",
                          "https://me:secret@agent.example/", "https://agent.example/a b", "https://[::1",
                          "https://agent.example\\@evil.example", "ws://agent.example"}) {
    EXPECT_FALSE(Taken(url, {.allow_http = true})) << url;
  }
  EXPECT_THAT(CheckWebhookUrl("ftp://x", {}).error().message, HasSubstr("https://"));
}

TEST(WebhookUrl, ANameLeadsToPublicAddressesOnly) {
  constexpr std::string_view kUrl = "https://agent.example/";
  for (const char* ip : {"93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946"}) {
    EXPECT_TRUE(Reaches(kUrl, ip)) << ip;
  }
  for (const char* ip : {"127.0.0.1",
                         "127.8.9.1",
                         "::1",
                         "10.1.2.3",
                         "172.16.0.1",
                         "172.31.255.255",
                         "192.168.1.1",
                         "169.254.1.1",
                         "169.254.169.254",
                         "100.64.0.1",
                         "100.100.100.200",
                         "0.0.0.0",
                         "192.0.2.1",
                         "198.18.0.1",
                         "224.0.0.1",
                         "255.255.255.255",
                         "fe80::1",
                         "fe80::1%eth0",
                         "fc00::1",
                         "fd00:ec2::254",
                         "::",
                         "ff02::1",
                         "2001:db8::1",
                         "::ffff:10.0.0.1",
                         "::ffff:169.254.169.254",
                         "64:ff9b::a00:1",
                         "64:ff9b::a9fe:a9fe",
                         "2002:a00:1::",
                         "::7f00:1",
                         "::ffff:0:a00:1",
                         "::ffff:0:7f00:1",
                         "64:ff9b:1::a00:1",
                         "64:ff9b:1::a9fe:a9fe",
                         "100::1",
                         "3fff::1",
                         "4000::1",
                         "5f00::1",
                         "fec0::1",
                         "2001::1",
                         "168.63.129.16",
                         "::ffff:168.63.129.16",
                         "nonsense",
                         ""}) {
    EXPECT_FALSE(Reaches(kUrl, ip)) << ip;
  }
  EXPECT_TRUE(Reaches(kUrl, "172.32.0.1"));
}

TEST(WebhookUrl, PrivateNetworksWhereAllowedAndMetadataNever) {
  const WebhookPolicy policy{.allow_http = true, .allow_private = true};
  EXPECT_TRUE(Reaches("http://agent.example/", "10.1.2.3", policy));
  EXPECT_TRUE(Reaches("http://agent.example/", "fd12::1", policy));
  EXPECT_FALSE(Reaches("http://agent.example/", "169.254.169.254", policy));
  EXPECT_FALSE(Reaches("http://agent.example/", "64:ff9b::a9fe:a9fe", policy));
  EXPECT_FALSE(Reaches("http://agent.example/", "fd00:ec2::254", policy));
  EXPECT_TRUE(Reaches("http://agent.example/", "64:ff9b:1::808:808", policy));
  for (const char* ip : {"168.63.129.16", "169.254.0.23", "192.0.0.192", "fe80::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe",
                         "64:ff9b:1:a9fe:a9:fe00::", "::ffff:0:a9fe:a9fe"}) {
    EXPECT_FALSE(Reaches("http://agent.example/", ip, policy)) << ip;
  }
  EXPECT_FALSE(Reaches("http://agent.example/", "127.0.0.1", policy));
}

TEST(WebhookUrl, LoopbackByItsOwnNameReachesLoopbackAlone) {
  EXPECT_TRUE(Reaches("http://127.0.0.1:1/", "127.0.0.1"));
  EXPECT_TRUE(Reaches("http://localhost/", "::1"));
  EXPECT_FALSE(Reaches("http://localhost/", "10.0.0.1", {.allow_private = true}));
  EXPECT_FALSE(Reaches("http://localhost/", "8.8.8.8"));
}

TEST(WebhookUrl, AKeyIsSentAsAHeader) {
  EXPECT_TRUE(CheckWebhookKey(""));
  EXPECT_TRUE(CheckWebhookKey("s3cret with ~!"));
  EXPECT_FALSE(CheckWebhookKey("a\r\nX-Other: 1"));
  EXPECT_FALSE(CheckWebhookKey("schl\xc3\xbcssel"));
  EXPECT_FALSE(CheckWebhookKey(std::string(257, 'a')));
}

TEST(WebhookUrl, ShowsNoQuery) {
  EXPECT_EQ(ShownUrl("https://a.example/b?token=1#c"), "https://a.example/b");
}

}  // namespace
}  // namespace openseat::agent_api
