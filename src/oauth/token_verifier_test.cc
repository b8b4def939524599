#include "oauth/token_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "oauth/test_signer.h"
#include "testing/fake_scheduler.h"

namespace openseat::oauth {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Answers when the test tells it to.
class FakeCaller final : public net::HttpCaller {
 public:
  net::HttpCallId Call(Scheduler&, net::HttpCall call, net::HttpDone done) override {
    calls.push_back(std::move(call));
    waiting_.push_back(std::move(done));
    return net::HttpCallId(calls.size());
  }
  void Cancel(Scheduler&, net::HttpCallId) override {}
  void Answer(int status, const std::string& body) {
    net::HttpDone done = std::move(waiting_.front());
    waiting_.pop_front();
    done(net::HttpResponse::Text(status, body, "application/json"));
  }
  std::size_t waiting() const { return waiting_.size(); }

  std::vector<net::HttpCall> calls;

 private:
  std::deque<net::HttpDone> waiting_;
};

class TokenVerifierTest : public ::testing::Test {
 protected:
  TokenVerifier& Make() {
    verifier_ = std::make_unique<TokenVerifier>(options_, caller_, scheduler_);
    return *verifier_;
  }
  void Verify(const std::string& token) {
    verifier_->Verify(token, [this](const Result<std::string>& bearer) {
      said_.push_back(bearer ? *bearer : std::string(ErrorCodeName(bearer.error().code)));
    });
  }
  json::Object Claims() const {
    return {{"iss", "https://auth.example"},
            {"sub", "ana"},
            {"aud", "https://play.example/mcp"},
            {"exp", 1'800'000'000 + 100'000},
            {"scope", "play"}};
  }
  std::string KeySetOf(const TestSigner& signer) const { return R"({"keys":[)" + signer.PublicKey() + "]}"; }
  std::vector<std::string> Said() { return std::exchange(said_, {}); }

  VerifierOptions options_{{"https://play.example/mcp", {"https://auth.example"}, {"play"}}, "", "", "", ""};
  testing::FakeScheduler scheduler_;
  FakeCaller caller_;
  std::unique_ptr<TokenVerifier> verifier_;
  std::vector<std::string> said_;
  const TestSigner signer_{"one"};
};

constexpr const char* kMetadata = R"({"issuer":"https://auth.example","jwks_uri":"https://auth.example/keys"})";

TEST_F(TokenVerifierTest, FindsTheKeysAndKeepsThem) {
  Make();
  Verify(signer_.Sign(Claims()));
  Verify(signer_.Sign(Claims()));
  ASSERT_EQ(caller_.calls.size(), 1u) << "who comes meanwhile waits for the same keys";
  EXPECT_EQ(caller_.calls[0].url, "https://auth.example/.well-known/oauth-authorization-server");
  caller_.Answer(200, kMetadata);
  EXPECT_EQ(caller_.calls.back().url, "https://auth.example/keys");
  EXPECT_THAT(Said(), IsEmpty());
  caller_.Answer(200, KeySetOf(signer_));
  EXPECT_THAT(Said(), ElementsAre("https://auth.example ana", "https://auth.example ana"));
  Verify(signer_.Sign(Claims()));
  EXPECT_THAT(Said(), ElementsAre("https://auth.example ana"));
  EXPECT_EQ(caller_.calls.size(), 2u);
}

TEST_F(TokenVerifierTest, AsksForTheOtherMetadataNext) {
  options_.rules.issuers = {"https://auth.example/tenant"};
  Make();
  json::Object claims = Claims();
  claims["iss"] = "https://auth.example/tenant";
  Verify(signer_.Sign(claims));
  caller_.Answer(404, "");
  caller_.Answer(200, kMetadata);  // of another issuer
  EXPECT_EQ(caller_.calls[1].url, "https://auth.example/.well-known/openid-configuration/tenant");
  EXPECT_EQ(caller_.calls[2].url, "https://auth.example/tenant/.well-known/openid-configuration");
  caller_.Answer(200, R"({"issuer":"https://auth.example/tenant","jwks_uri":"http://evil.example/keys"})");
  EXPECT_THAT(Said(), ElementsAre("io")) << "keys do not come over an open line";
  EXPECT_EQ(caller_.waiting(), 0u);
}

TEST_F(TokenVerifierTest, ANewKeyIsFetchedButNotForEveryToken) {
  options_.jwks_url = "https://auth.example/keys";
  Make();
  Verify(signer_.Sign(Claims()));
  caller_.Answer(200, KeySetOf(signer_));
  Said();
  const TestSigner next("two");
  Verify(next.Sign(Claims()));
  EXPECT_THAT(Said(), ElementsAre("invalid")) << "they were fetched a moment ago";
  scheduler_.Advance(seconds(11));
  Verify(next.Sign(Claims()));
  ASSERT_EQ(caller_.calls.size(), 2u);
  caller_.Answer(200, R"({"keys":[)" + signer_.PublicKey() + "," + next.PublicKey() + "]}");
  EXPECT_THAT(Said(), ElementsAre("https://auth.example ana"));
}

TEST_F(TokenVerifierTest, AKnownKeyDoesNotWaitForAnUnknownOne) {
  options_.jwks_url = "https://auth.example/keys";
  Make();
  Verify(signer_.Sign(Claims()));
  caller_.Answer(200, KeySetOf(signer_));
  Said();
  scheduler_.Advance(seconds(11));
  Verify(TestSigner("junk").Sign(Claims()));
  ASSERT_EQ(caller_.waiting(), 1u);
  Verify(signer_.Sign(Claims()));
  EXPECT_THAT(Said(), ElementsAre("https://auth.example ana")) << "the server may be slow";
  caller_.Answer(200, KeySetOf(signer_));
  EXPECT_THAT(Said(), ElementsAre("invalid"));
}

TEST_F(TokenVerifierTest, AServerThatIsDownIsNotAskedByEveryToken) {
  options_.jwks_url = "https://auth.example/keys";
  Make();
  Verify(signer_.Sign(Claims()));
  caller_.Answer(500, "");
  Verify(signer_.Sign(Claims()));
  EXPECT_THAT(Said(), ElementsAre("io", "io"));
  EXPECT_EQ(caller_.calls.size(), 1u);
  scheduler_.Advance(seconds(11));
  Verify(signer_.Sign(Claims()));
  caller_.Answer(200, KeySetOf(signer_));
  EXPECT_THAT(Said(), ElementsAre("https://auth.example ana"));
  // Cached keys outlive a server that is down.
  scheduler_.Advance(std::chrono::hours(2));
  Verify(signer_.Sign(Claims()));
  caller_.Answer(500, "");
  EXPECT_THAT(Said(), ElementsAre("https://auth.example ana"));
}

TEST_F(TokenVerifierTest, TokensOfOthersCauseNoCall) {
  Make();
  json::Object claims = Claims();
  claims["iss"] = "https://evil.example";
  Verify(signer_.Sign(claims));
  Verify("no-jwt");
  Verify(std::string(20'000, 'x'));
  EXPECT_THAT(Said(), ElementsAre("invalid", "invalid", "invalid"));
  EXPECT_THAT(caller_.calls, IsEmpty());
}

TEST_F(TokenVerifierTest, ClaimsAndScopesCount) {
  options_.jwks_url = "https://auth.example/keys";
  Make();
  json::Object narrow = Claims();
  narrow["scope"] = "watch";
  json::Object old = Claims();
  old["exp"] = 1'700'000'000;
  Verify(signer_.Sign(narrow));
  Verify(signer_.Sign(old));
  caller_.Answer(200, KeySetOf(signer_));
  EXPECT_THAT(Said(), ElementsAre("denied", "invalid"));
}

TEST_F(TokenVerifierTest, AsksTheServerWhereThatIsConfigured) {
  options_.introspection_url = "https://auth.example/introspect";
  options_.client_id = "open seat";
  options_.client_secret = "s3:cret";
  Make();
  Verify("opaque/token");
  Verify("opaque/token");
  ASSERT_EQ(caller_.calls.size(), 1u);
  EXPECT_EQ(caller_.calls[0].body, "token=opaque%2Ftoken&token_type_hint=access_token");
  EXPECT_EQ(caller_.calls[0].headers.Get("Authorization"), "Basic b3BlbiUyMHNlYXQ6czMlM0FjcmV0");
  json::Object answer = Claims();
  answer["active"] = true;
  caller_.Answer(200, json::Write(answer));
  Verify("opaque/token");
  EXPECT_THAT(Said(), ElementsAre("https://auth.example ana", "https://auth.example ana", "https://auth.example ana"));
  EXPECT_EQ(caller_.calls.size(), 1u) << "it is believed for a moment";
  scheduler_.Advance(seconds(31));
  Verify("opaque/token");
  caller_.Answer(200, R"({"active":false})");
  EXPECT_THAT(Said(), ElementsAre("invalid")) << "it was revoked";
  Verify("another");
  caller_.Answer(503, "");
  Verify("another");
  EXPECT_THAT(Said(), ElementsAre("io"));
  EXPECT_EQ(caller_.waiting(), 1u) << "what could not be asked is asked again";
}

TEST(VerifierOptions, MustBeSafe) {
  const auto path = [](const VerifierOptions& options) {
    const Result<void> checked = CheckOptions(options);
    return checked ? std::string() : checked.error().path;
  };
  const VerifierOptions good{{"https://play.example/mcp", {"https://auth.example"}, {}}, "", "", "", ""};
  EXPECT_EQ(path(good), "");
  VerifierOptions options = good;
  options.rules.resource = "http://play.example/mcp";
  EXPECT_EQ(path(options), "resource");
  options.rules.resource = "http://127.0.0.1:8000/mcp";
  EXPECT_EQ(path(options), "");
  options.rules.resource = "https://play.example/mcp#x";
  EXPECT_EQ(path(options), "resource");
  options = good;
  options.rules.issuers = {};
  EXPECT_EQ(path(options), "authorization_servers");
  options.rules.issuers = {"https://me:secret@auth.example"};
  EXPECT_EQ(path(options), "authorization_servers");
  options = good;
  options.rules.scopes = {"a b"};
  EXPECT_EQ(path(options), "scopes");
  options = good;
  options.introspection_url = "http://auth.example/";
  EXPECT_EQ(path(options), "introspection_url");
  options = good;
  options.jwks_url = "https://auth.example/keys";
  options.rules.issuers.push_back("https://other.example");
  EXPECT_EQ(path(options), "jwks_url");
}

TEST(IsSafeUrl, OpenLinesLeadToThisMachineOnly) {
  for (const char* url :
       {"https://auth.example", "https://auth.example:8443/x?y#z", "https://[2001:db8::1]:1/",
        "http://localhost:9000/keys", "http://127.0.0.1", "http://127.9.8.7:1/", "http://[::1]:9000/"}) {
    EXPECT_TRUE(IsSafeUrl(url)) << url;
  }
  for (const char* url :
       {"http://127.evil.example/", "http://127.0.0.1.evil.example:80/", "http://localhost.evil.example/",
        "http://[::1].evil.example/", "http://[::1/", "http://127.1/", "http://auth.example/",
        "http://localhost@evil.example/", "http://localhost\\@evil.example/", "https://", "https:///x",
        "ftp://localhost/", "localhost", ""}) {
    EXPECT_FALSE(IsSafeUrl(url)) << url;
  }
}

TEST(MetadataUrls, FollowTheIssuersPath) {
  EXPECT_THAT(MetadataUrls("https://a.example"), ElementsAre("https://a.example/.well-known/oauth-authorization-server",
                                                             "https://a.example/.well-known/openid-configuration"));
  EXPECT_THAT(MetadataUrls("https://a.example/"), ElementsAre(HasSubstr("a.example/.well-known"), HasSubstr("openid")));
}

}  // namespace
}  // namespace openseat::oauth
