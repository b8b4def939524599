#include "agents/llm/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat::llm {
namespace {

using ::testing::HasSubstr;

const Time kNoon{std::chrono::seconds(1'445'412'400)};  // 2015-10-21T07:26:40Z

CallFailure Of(int status, const char* body, std::initializer_list<std::pair<const char*, const char*>> headers = {}) {
  net::Headers all;
  for (const auto& [name, value] : headers) all.Set(name, value);
  return ProviderFailure(status, all, *json::Parse(body), "", kNoon);
}

// What each answer means, as the providers document it.
TEST(ProviderFailure, TellsWhatHelps) {
  enum Class { kPermanent, kBusy, kTransient, kTooLarge, kDeclined };
  struct Row {
    int status;
    const char* body;
    Class expected;
    int meant;
  };
  const Row rows[] = {
      {400, R"({"error":{"message":"bad","type":"invalid_request_error"}})", kPermanent, 400},
      {401, R"({"error":{"message":"no","type":"authentication_error"}})", kPermanent, 401},
      {402, "{}", kPermanent, 402},
      {403, "{}", kPermanent, 403},
      {404, R"({"error":{"message":"no such model","code":"model_not_found"}})", kPermanent, 404},
      {413, "{}", kTooLarge, 413},
      {422, R"({"detail":"bad"})", kPermanent, 422},
      {307, "{}", kPermanent, 307},
      {408, "{}", kTransient, 408},
      {409, "{}", kTransient, 409},
      {425, "{}", kTransient, 425},
      {500, "{}", kTransient, 500},
      {502, "{}", kTransient, 502},
      {504, "{}", kTransient, 504},
      {503, R"({"error":{"message":"Loading model"}})", kBusy, 503},
      {503, R"({"error":{"status":"RESOURCE_EXHAUSTED","code":503}})", kBusy, 503},
      {529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})", kBusy, 529},
      {429, R"({"error":{"code":"rate_limit_exceeded"}})", kBusy, 429},
      {429, R"({"error":{"type":"rate_limit_error","details":{"error_code":"ramp_limit_exceeded"}}})", kBusy, 429},
      {429, R"({"error":{"code":"insufficient_quota"}})", kPermanent, 429},
      {429, R"({"error":{"type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}})",
       kPermanent, 429},
      {429, R"({"error":{"type":"rate_limit_error","details":{"error_code":"contract_spend_limit_reached"}}})",
       kPermanent, 429},
      {400, R"({"error":{"code":"context_length_exceeded"}})", kTooLarge, 400},
      {400, R"({"error":{"type":"invalid_request_error","message":"prompt is too long: 300000 tokens"}})", kTooLarge,
       400},
      {400, R"({"error":{"code":"content_filter"}})", kDeclined, 400},
      {400, R"({"error":{"code":"invalid_prompt"}})", kDeclined, 400},
      {400, R"({"error":{"code":"cyber_policy"}})", kDeclined, 400},
      {400, R"({"error":{"message":"The request body is not valid JSON: unexpected end of data"}})", kTransient, 400},
      // Within a 200, or a stream.
      {200, R"({"error":{"message":"busy","code":429}})", kBusy, 429},
      {200, R"({"error":{"code":"rate_limit_exceeded"}})", kBusy, 429},
      {200, R"({"error":{"code":"server_error"}})", kTransient, 500},
      {200, R"({"error":"it broke"})", kTransient, 500},
      {200, R"({"type":"error","error":{"type":"overloaded_error"}})", kBusy, 529},
      {200, R"({"error":{"type":"api_error"}})", kTransient, 500},
      {200, R"({"error":{"type":"authentication_error"}})", kPermanent, 401},
      {0, R"({"error":{"code":502,"metadata":{"error_type":"provider_unavailable"}}})", kTransient, 502},
  };
  for (const Row& row : rows) {
    const CallFailure failure = Of(row.status, row.body);
    EXPECT_EQ(failure.status, row.meant) << row.status << row.body;
    EXPECT_EQ(failure.permanent, row.expected == kPermanent) << row.status << row.body;
    EXPECT_EQ(failure.busy, row.expected == kBusy) << row.status << row.body;
    EXPECT_EQ(failure.again, row.expected == kBusy || row.expected == kTransient) << row.status << row.body;
    EXPECT_EQ(failure.too_large, row.expected == kTooLarge) << row.status << row.body;
    EXPECT_EQ(failure.declined, row.expected == kDeclined) << row.status << row.body;
  }
  EXPECT_TRUE(Of(402, "{}", {{"Retry-After", "3"}}).busy) << "a gateway that waits for money";
  EXPECT_TRUE(Of(400, "{}", {{"x-should-retry", "true"}}).again);
  EXPECT_FALSE(Of(500, "{}", {{"x-should-retry", "false"}}).again);
}

TEST(ProviderFailure, SaysHowLongToWait) {
  const auto wait = [](const char* name, const char* value, const char* body = "{}") {
    return Of(429, body, {{name, value}}).wait;
  };
  EXPECT_EQ(wait("Retry-After", "7"), std::chrono::seconds(7));
  EXPECT_EQ(wait("Retry-After", "0"), std::chrono::seconds(0));
  EXPECT_EQ(wait("Retry-After", "1.5"), std::chrono::milliseconds(1500));
  EXPECT_EQ(wait("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"), std::chrono::seconds(80));
  EXPECT_EQ(wait("Retry-After", "Wed, 21 Oct 2015 07:20:00 GMT"), std::chrono::seconds(0));
  EXPECT_EQ(wait("Retry-After", "soon"), std::nullopt);
  EXPECT_EQ(wait("Retry-After", "-3"), std::nullopt);
  EXPECT_EQ(wait("retry-after-ms", "250"), std::chrono::milliseconds(250));
  EXPECT_EQ(wait("x-ratelimit-reset-requests", "1m30.5s"), std::chrono::milliseconds(90'500));
  EXPECT_EQ(wait("x-ratelimit-reset-tokens", "20ms"), std::chrono::milliseconds(20));
  EXPECT_EQ(wait("x-ratelimit-reset-tokens", "1h"), std::chrono::hours(1));
  EXPECT_EQ(wait("x-ratelimit-reset-tokens", "12"), std::nullopt);
  EXPECT_EQ(wait("x-ratelimit-reset-tokens", "5 parsecs"), std::nullopt);
  EXPECT_EQ(wait("anthropic-ratelimit-output-tokens-reset", "2015-10-21T07:27:00Z"), std::chrono::seconds(20));
  EXPECT_EQ(wait("anthropic-ratelimit-tokens-reset", "tomorrow"), std::nullopt);
  EXPECT_EQ(wait("X-Other", "", R"({"error":{"details":[{"@type":"x"},{"retryDelay":"12s"}]}})"),
            std::chrono::seconds(12));
  // The order in which they are believed, and the longest of several resets.
  EXPECT_EQ(Of(429, "{}", {{"Retry-After", "7"}, {"retry-after-ms", "250"}}).wait, std::chrono::milliseconds(250));
  EXPECT_EQ(Of(429, "{}", {{"Retry-After", "7"}, {"x-ratelimit-reset-tokens", "60s"}}).wait, std::chrono::seconds(7));
  EXPECT_EQ(Of(429, "{}", {{"x-ratelimit-reset-requests", "1s"}, {"x-ratelimit-reset-tokens", "60s"}}).wait,
            std::chrono::seconds(60));
  EXPECT_EQ(Of(500, "{}", {{"x-ratelimit-reset-tokens", "60s"}}).wait, std::nullopt) << "that is not why";
}

TEST(ProviderFailure, QuotesTheProvider) {
  const auto message = [](int status, const char* body) { return Of(status, body).error.message; };
  EXPECT_EQ(message(400, R"({"error":{"message":"no such model","code":"x"}})"),
            "the provider answered 400: no such model");
  EXPECT_EQ(message(404, R"({"error":"model not found"})"), "the provider answered 404: model not found");
  EXPECT_EQ(message(500, "{}"), "the provider answered 500");
  EXPECT_THAT(message(302, "{}"), HasSubstr("a redirect, which is not followed"));
  EXPECT_EQ(ProviderFailure(500, {}, nullptr, "oops", kNoon).error.message, "the provider answered 500: oops");
  EXPECT_LT(ProviderFailure(500, {}, nullptr, std::string(100'000, 'x'), kNoon).error.message.size(), 600u);
}

TEST(NetworkFailure, IsTriedAgainUnlessTheCallItselfIsWrong) {
  EXPECT_TRUE(NetworkFailure({ErrorCode::kTimeout, "late", {}}).again);
  EXPECT_TRUE(NetworkFailure({ErrorCode::kIo, "reset", {}}).again);
  EXPECT_FALSE(NetworkFailure({ErrorCode::kIo, "reset", {}}).permanent);
  EXPECT_TRUE(NetworkFailure({ErrorCode::kInvalid, "no URL", {}}).permanent);
  EXPECT_FALSE(NetworkFailure({ErrorCode::kClosed, "the program stops", {}}).again);
}

}  // namespace
}  // namespace openseat::llm
