// Two nodes of a cluster, as real programs: a person begins to sign in at one, and goes on at the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/nodes.h"
#include "net/test_server.h"
#include "oauth/test_signer.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// An OpenID Connect provider that lets everybody in as Ana.
class Provider {
 public:
  std::string issuer() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  // Of the attempt that ends next.
  void Expect(const std::string& nonce) {
    const std::lock_guard lock(mutex_);
    nonce_ = nonce;
  }

 private:
  void AddRoutes(net::Router& router) {
    router.Add(
        net::Method::kGet, "/.well-known/openid-configuration", {},
        [this](const net::HttpRequest&, net::HttpReply reply) {
          std::move(reply).Send(net::HttpResponse::Json(200, json::Object{{"issuer", issuer()},
                                                                          {"authorization_endpoint", issuer() + "/in"},
                                                                          {"token_endpoint", issuer() + "/token"},
                                                                          {"jwks_uri", issuer() + "/keys"}}));
        });
    router.Add(net::Method::kGet, "/keys", {}, [this](const net::HttpRequest&, net::HttpReply reply) {
      std::move(reply).Send(
          net::HttpResponse::Text(200, R"({"keys":[)" + signer_.PublicKey() + "]}", "application/json"));
    });
    router.Add(net::Method::kPost, "/token", {}, [this](const net::HttpRequest&, net::HttpReply reply) {
      const std::lock_guard lock(mutex_);
      const auto now = std::chrono::duration_cast<std::chrono::seconds>(SystemClock().Now().time_since_epoch()).count();
      const json::Object claims{{"iss", issuer()},  {"sub", "u-7"},    {"aud", "openseat"},
                                {"exp", now + 600}, {"nonce", nonce_}, {"name", "Ana"}};
      std::move(reply).Send(net::HttpResponse::Json(200, json::Object{{"id_token", signer_.Sign(claims)}}));
    });
  }

  std::mutex mutex_;
  std::string nonce_;
  const oauth::TestSigner signer_{"key"};
  net::TestServer server_{[this](net::Router& router) { AddRoutes(router); }};
};

class ClusterSignIn : public ClusterNodes {
 protected:
  static net::TestClient::Answer Get(RealServer& node, const std::string& path, const std::string& cookie) {
    return net::TestClient(node.port())
        .Request("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nCookie: " + cookie + "\r\n\r\n");
  }
  static std::string InUrl(const std::string& url, const std::string& name) {
    const std::size_t at = url.find("&" + name + "=") + name.size() + 2;
    return url.substr(at, url.find('&', at) - at);
  }
  // "NAME=VALUE", as the browser sends it; `begin`: "NAME=".
  static std::string CookieIn(const net::TestClient::Answer& answer, const std::string& begin) {
    const std::size_t at = answer.head.find(begin);
    EXPECT_NE(at, std::string::npos) << answer.head;
    return at == std::string::npos ? "" : answer.head.substr(at, answer.head.find(';', at) - at);
  }
};

TEST_F(ClusterSignIn, EndsAtAnyNodeAndIsKnownToAll) {
  Provider provider;
  const std::string config = data_.path() + "/openseat.toml";
  WriteTextFile(config, "[sign_in]\nissuer = \"" + provider.issuer() +
                            "\"\nclient_id = \"openseat\"\npublic_url = \"http://127.0.0.1:1\"\n");
  const auto first = Start("one", {"--config", config});
  const auto second = Start("two", {"--config", config});
  AwaitShards(*first, kHalf);
  AwaitShards(*second, kHalf);
  const net::TestClient::Answer begun = Get(*first, "/auth/login?to=%23/play", "a=b");
  ASSERT_EQ(begun.status, 302) << begun.body;
  const std::string url = begun.headers.at("location");
  const std::string state = InUrl(url, "state");
  EXPECT_THAT(state, StartsWith("one."));
  provider.Expect(InUrl(url, "nonce"));
  const std::string attempt = CookieIn(begun, "openseat_attempt=");
  const std::string end = "/auth/callback?code=c&state=" + state;
  EXPECT_EQ(Get(*second, end, "openseat_attempt=other").status, 403) << "another browser";
  const net::TestClient::Answer ended = Get(*second, end, attempt);
  ASSERT_EQ(ended.status, 302) << ended.body;
  EXPECT_EQ(ended.headers.at("location"), "/#/play");
  const std::string person = CookieIn(ended, "openseat_person=");
  for (RealServer* node : {first.get(), second.get()}) {
    EXPECT_THAT(Get(*node, "/auth/me", person).body, HasSubstr("\"name\":\"Ana\""));
    EXPECT_THAT(Get(*node, "/auth/me", person + "x").body, Not(HasSubstr("Ana")));
  }
  // At either node, the person is told of the seats at both.
  const std::string cookie = "Cookie: " + person + "\r\n";
  for (RealServer* node : {first.get(), second.get()}) {
    WireClient tab(*node, "/chimera", cookie);
    const json::Value made = tab.Ask("create-match", json::Object{{"game", "tictactoe"}, {"player-name", "Ana"}});
    ASSERT_TRUE(Succeeded(made)) << json::Write(made);
  }
  for (RealServer* node : {first.get(), second.get()}) {
    WireClient tab(*node, "/chimera", cookie);
    const json::Value listed = tab.Ask("list-seats", json::Object{{"seats", json::Array()}, {"mine", true}});
    ASSERT_TRUE(Succeeded(listed)) << json::Write(listed);
    EXPECT_EQ(listed.at("result").at("mine").as_array().size(), 2u) << json::Write(listed);
  }
  // The attempt is over, and one of a node that is gone is unknown.
  EXPECT_EQ(Get(*second, end, attempt).status, 403);
  EXPECT_EQ(Get(*second, "/auth/callback?code=c&state=three.x", "openseat_attempt=three.x").status, 403);
}

}  // namespace
}  // namespace openseat::tests
