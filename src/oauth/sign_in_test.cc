#include "oauth/sign_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "oauth/encoding.h"
#include "oauth/test_signer.h"
#include "testing/fake_scheduler.h"

namespace openseat::oauth {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Answers when the test tells it to.
class FakeProvider final : public net::HttpCaller {
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

  std::vector<net::HttpCall> calls;

 private:
  std::deque<net::HttpDone> waiting_;
};

constexpr const char* kProviderMetadata =
    R"({"issuer":"https://id.example","authorization_endpoint":"https://id.example/authorize?tenant=1",)"
    R"("token_endpoint":"https://id.example/token","jwks_uri":"https://id.example/keys"})";

class SignInTest : public ::testing::Test {
 protected:
  SignIn::Attempt Begin() {
    Result<SignIn::Attempt> attempt = Fail(ErrorCode::kTimeout, "no answer");
    const bool first = provider_.calls.empty();
    sign_in_.Begin("#/play", [&](Result<SignIn::Attempt> began) { attempt = std::move(began); });
    if (first) provider_.Answer(200, kProviderMetadata);
    EXPECT_TRUE(attempt) << attempt.error().message;
    return attempt.value_or(SignIn::Attempt());
  }
  static std::string InUrl(const std::string& url, const std::string& name) {
    const std::size_t at = url.find("&" + name + "=") + name.size() + 2;
    return url.substr(at, url.find('&', at) - at);
  }
  json::Object Claims(const std::string& nonce) const {
    return {{"iss", "https://id.example"},    {"sub", "u-7"},   {"aud", "openseat"},
            {"exp", 1'800'000'000 + 100'000}, {"nonce", nonce}, {"name", "Ana B."}};
  }
  // "NAME (ACCOUNT) TO", or the error's code.
  std::string Finish(const std::string& cookie, const json::Object& claims) {
    std::string said = "nothing";
    sign_in_.Finish(cookie, "c0de", [&](const Result<SignIn::Arrival>& arrival) {
      said = arrival ? arrival->person.name + " (" + arrival->person.account + ") " + arrival->to
                     : std::string(ErrorCodeName(arrival.error().code)) + ": " + arrival.error().message;
    });
    if (said != "nothing") return said;
    provider_.Answer(200, json::Write(json::Object{{"id_token", signer_.Sign(claims)}}));
    if (said != "nothing") return said;
    provider_.Answer(200, kProviderMetadata);  // of the keys
    provider_.Answer(200, R"({"keys":[)" + signer_.PublicKey() + "]}");
    return said;
  }

  testing::FakeScheduler scheduler_;
  FakeProvider provider_;
  SignIn sign_in_{
      {"https://id.example", "openseat", "s3cret", "https://play.example", "Example"}, provider_, scheduler_};
  const TestSigner signer_{"one"};
};

TEST_F(SignInTest, SomebodySignsIn) {
  const SignIn::Attempt attempt = Begin();
  EXPECT_THAT(attempt.url, HasSubstr("https://id.example/authorize?tenant=1&response_type=code&client_id=openseat&"));
  EXPECT_EQ(InUrl(attempt.url, "state"), SignIn::StateOf(attempt.cookie));
  EXPECT_EQ(InUrl(attempt.url, "redirect_uri"), "https%3A%2F%2Fplay.example%2Fauth%2Fcallback");
  EXPECT_EQ(Finish(attempt.cookie, Claims(InUrl(attempt.url, "nonce"))), "Ana B. (u-7 at https://id.example) #/play");
  const net::HttpCall& call = provider_.calls.at(1);
  EXPECT_EQ(call.url, "https://id.example/token");
  EXPECT_EQ(call.headers.Get("Authorization"), "Basic " + Base64("openseat:s3cret"));
  const std::string verifier = call.body.substr(call.body.find("code_verifier=") + 14);
  EXPECT_EQ(Sha256Base64Url(verifier), InUrl(attempt.url, "code_challenge")) << "PKCE";
  EXPECT_THAT(attempt.url + attempt.cookie, Not(HasSubstr(verifier)));
  EXPECT_THAT(Finish(attempt.cookie, {}), HasSubstr("denied")) << "a state is good once";
}

TEST_F(SignInTest, AnswersThatDoNotFitAreRefused) {
  EXPECT_THAT(Finish("guess", {}), HasSubstr("denied"));
  const auto refused = [&](const std::string& member, const json::Value& value) {
    const SignIn::Attempt attempt = Begin();
    json::Object claims = Claims(InUrl(attempt.url, "nonce"));
    claims[member] = value;
    return Finish(attempt.cookie, claims);
  };
  EXPECT_THAT(refused("nonce", "another"), HasSubstr("(nonce)"));
  EXPECT_THAT(refused("aud", "another"), HasSubstr("denied"));
  EXPECT_THAT(refused("aud", json::Array{"openseat", "another"}), HasSubstr("another client"));
  EXPECT_THAT(refused("azp", "another"), HasSubstr("another client"));
  EXPECT_THAT(refused("iss", "https://evil.example"), HasSubstr("denied"));
  EXPECT_THAT(refused("exp", 1'700'000'000), HasSubstr("expired"));
  EXPECT_THAT(refused("sub", ""), HasSubstr("(sub)"));
  const SignIn::Attempt late = Begin();
  scheduler_.Advance(SignIn::kLife);
  EXPECT_THAT(Finish(late.cookie, {}), HasSubstr("too old"));
}

TEST_F(SignInTest, ATokenThatAnotherSignedIsRefused) {
  const SignIn::Attempt attempt = Begin();
  const TestSigner thief("one");
  std::string said;
  sign_in_.Finish(attempt.cookie, "c0de",
                  [&](const Result<SignIn::Arrival>& arrival) { said = arrival ? "in" : arrival.error().message; });
  provider_.Answer(200, json::Write(json::Object{{"id_token", thief.Sign(Claims(InUrl(attempt.url, "nonce")))}}));
  provider_.Answer(200, kProviderMetadata);
  provider_.Answer(200, R"({"keys":[)" + signer_.PublicKey() + "]}");
  EXPECT_THAT(said, HasSubstr("cannot be used"));
}

TEST_F(SignInTest, AttemptsOfOthersDoNotEndOnes) {
  const SignIn::Attempt first = Begin();
  for (int i = 0; i < 2000; ++i) Begin();
  EXPECT_EQ(Finish(first.cookie, Claims(InUrl(first.url, "nonce"))), "Ana B. (u-7 at https://id.example) #/play");
}

TEST_F(SignInTest, OnlyItsOwnCookiesAreGood) {
  const std::string cookie = Begin().cookie;
  for (std::size_t i = 0; i < cookie.size(); ++i) {
    std::string changed = cookie;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_THAT(Finish(changed, {}), HasSubstr("denied")) << i;
    EXPECT_THAT(Finish(cookie.substr(0, i), {}), HasSubstr("denied")) << i;
  }
  SignIn other(sign_in_.options(), provider_, scheduler_);
  std::string said;
  other.Finish(cookie, "c0de", [&](const Result<SignIn::Arrival>& arrival) { said = arrival.error().message; });
  EXPECT_THAT(said, HasSubstr("unknown"));
  EXPECT_EQ(provider_.calls.size(), 1u) << "the provider is asked for none of them";
}

TEST_F(SignInTest, AStateStaysUsedForAsLongAsItsAttemptLives) {
  const SignIn::Attempt used = Begin();
  Finish(used.cookie, {});
  scheduler_.Advance(SignIn::kLife - std::chrono::seconds(2));
  Finish(Begin().cookie, {});
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_THAT(Finish(used.cookie, {}), HasSubstr("over"));
}

TEST(Person, IsWhoTheCookieSays) {
  const Time now(std::chrono::seconds(1'800'000'000));
  const std::string sealed = SealPerson({"u-7 at https://id.example", "Ana"}, now, "key");
  EXPECT_EQ(OpenPerson(sealed, now, "key")->account, "u-7 at https://id.example");
  EXPECT_EQ(OpenPerson(sealed, now, "key")->name, "Ana");
  EXPECT_FALSE(OpenPerson(sealed, now, "another key"));
  EXPECT_FALSE(OpenPerson(sealed, now + kSignedInFor, "key"));
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    // The last character of base64 may have bits that do not count.
    if (i + 1 != sealed.size()) {
      EXPECT_FALSE(OpenPerson(changed, now, "key")) << i;
    }
    EXPECT_FALSE(OpenPerson(sealed.substr(0, i), now, "key")) << i;
  }
}

TEST(Person, CookiesAreFoundByTheirName) {
  EXPECT_EQ(CookieOf("a=1; openseat=x.y;b=2", "openseat"), "x.y");
  EXPECT_EQ(CookieOf("xopenseat=1", "openseat"), "");
  EXPECT_EQ(CookieOf("openseat", "openseat"), "");
  EXPECT_EQ(CookieOf("", "openseat"), "");
  EXPECT_EQ(CookieOf("openseat=", "openseat"), "");
  EXPECT_EQ(CookieOf("openseat=1; __Host-openseat=2", "__Host-openseat"), "2");
  for (const char* two : {"openseat=1; openseat=2", "openseat=1; a=b; openseat=1", "openseat=; openseat=2"}) {
    EXPECT_EQ(CookieOf(two, "openseat"), "") << two;
  }
}

TEST(SignIn, IsCheckedBeforeItIsOffered) {
  EXPECT_TRUE(CheckSignIn({}));
  const auto path = [](const SignInOptions& options) { return CheckSignIn(options).error().path; };
  EXPECT_EQ(path({"http://id.example", "c", "", "https://p.example", ""}), "issuer");
  EXPECT_EQ(path({"https://id.example", "c", "", "p.example", ""}), "public_url");
  EXPECT_EQ(path({"https://id.example", "c", "", "https://p.example/", ""}), "public_url");
  EXPECT_EQ(path({"https://id.example", "", "", "https://p.example", ""}), "client_id");
  EXPECT_TRUE(CheckSignIn({"http://127.0.0.1:9", "c", "", "http://localhost:8000", ""}));
}

}  // namespace
}  // namespace openseat::oauth
