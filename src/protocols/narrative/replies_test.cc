#include "protocols/narrative/replies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace openseat::narrative {
namespace {

using ::testing::MatchesRegex;

std::string Said(const char* failure, int version = 1) {
  const Failure failed = NarratorFailure(json::Parse(failure)->as_object(), version);
  return std::to_string(failed.status) + " " + json::Write(ToJson(failed));
}

TEST(Replies, NoJsonIsToldWithTheRawTextAndTheParsersWords) {
  EXPECT_EQ(Said(R"({"code":"parse","reason":"r","raw":"hello","parse_error":"Unexpected token 'h'"})"),
            R"(422 {"code":"VALIDATION_FAILED","message":"Invalid JSON response from model",)"
            R"("details":{"raw":"hello","parseError":"Unexpected token 'h'"}})");
}

TEST(Replies, AnAnswerOfWhichOnlyItsMeaningCouldBeGuessedIsNoJson) {
  EXPECT_EQ(Said(R"({"code":"parse","reason":"r","raw":"{ narrative: '' }","parse_error":"Unexpected token 'n'",
                 "data":{"narrative":""}})"),
            R"(422 {"code":"VALIDATION_FAILED","message":"Invalid JSON response from model","details":{)"
            R"("raw":"{ narrative: '' }","parseError":"Unexpected token 'n'","issues":[)"
            R"~({"path":["narrative"],"message":"String must contain at least 1 character(s)"},)~"
            R"({"path":["emotion"],"message":"Required"},{"path":["choices"],"message":"Required"}]}})");
}

TEST(Replies, JsonWithinSomethingElseIsASchemaFailure) {
  EXPECT_EQ(Said(R"({"code":"schema","reason":"r","raw":"```{\"emotion\":\"sad\"}```","parse_error":"Unexpected token",
                 "data":{"emotion":"sad"}})"),
            R"(422 {"code":"VALIDATION_FAILED","message":"Response failed schema validation","details":{"issues":[)"
            R"({"path":["narrative"],"message":"Required"},{"path":["choices"],"message":"Required"}],)"
            R"("raw":"```{\"emotion\":\"sad\"}```","parseError":"Unexpected token"}})");
}

TEST(Replies, WhatWasReadIsJudgedAndNotWhatIsShownOfIt) {
  EXPECT_EQ(Said(R"({"code":"schema","reason":"r","raw":"{\"narrative\":\"x","data":{"narrative":"","emotion":"sad",
                 "choices":[{"id":"a1b2c3d4-e5f6-7890-abcd-ef1234567890","label":"Go"}]}})"),
            R"(422 {"code":"VALIDATION_FAILED","message":"Response failed schema validation","details":{"issues":[)"
            R"~({"path":["narrative"],"message":"String must contain at least 1 character(s)"}]}})~");
  for (const auto& [data, type] : {std::pair("[]", "array"), std::pair("null", "null"), std::pair("42", "number"),
                                   std::pair("\"str\"", "string")}) {
    EXPECT_EQ(Said((R"({"code":"schema","reason":"r","raw":"?","data":)" + std::string(data) + "}").c_str()),
              R"(422 {"code":"VALIDATION_FAILED","message":"Response failed schema validation","details":{"issues":[)"
              R"({"path":[],"message":"Expected object, received )" +
                  std::string(type) + R"("}]}})");
  }
}

TEST(Replies, AnAgentsDataIsJudgedTheSame) {
  EXPECT_EQ(Said(R"({"code":"refused","reason":"too large","data":{"narrative":"x","emotion":"sad","choices":[
                 {"id":"a1b2c3d4-e5f6-7890-abcd-ef1234567890","label":"Go"}]}})"),
            R"(422 {"code":"VALIDATION_FAILED","message":"Response failed schema validation",)"
            R"("details":{"issues":[{"path":[],"message":"too large"}]}})");
  EXPECT_EQ(Said(R"({"code":"refused","reason":"no JSON","raw":"I would like to narrate"})"),
            R"(422 {"code":"VALIDATION_FAILED","message":"Invalid JSON response from model",)"
            R"("details":{"raw":"I would like to narrate","parseError":"no JSON"}})");
}

TEST(Replies, ProvidersFailuresHaveStatusesOfTheirOwn) {
  EXPECT_EQ(Said(R"({"code":"timeout","reason":"slow"})"),
            R"(504 {"code":"PROVIDER_TIMEOUT","message":"slow","details":{}})");
  EXPECT_EQ(Said(R"({"code":"provider","reason":"broke","status":500})"),
            R"(502 {"code":"PROVIDER_ERROR","message":"broke","details":{"status":500}})");
  EXPECT_EQ(Said(R"({"code":"provider","reason":"no line"})"),
            R"(502 {"code":"PROVIDER_ERROR","message":"no line","details":{}})");
  EXPECT_EQ(Said(R"({"code":"provider","reason":"slow down","status":429})"),
            R"(429 {"code":"PROVIDER_RATE_LIMITED","message":"slow down","details":{"status":429}})");
  EXPECT_EQ(Said(R"({"code":"cap","reason":"enough"})"),
            R"(429 {"code":"BUDGET_EXHAUSTED","message":"enough","details":{}})");
  EXPECT_EQ(Said(R"({"reason":"no tale"})"), R"(502 {"code":"NARRATOR_FAILED","message":"no tale","details":{}})");
}

TEST(Replies, EveryCodeIsListed) {
  const auto listed = [](std::string_view code) {
    return std::ranges::find(kFailureCodes, code) != kFailureCodes.end();
  };
  for (int status = 400; status < 600; ++status) {
    const json::Value body = *json::Parse(Unhandled(status, "no").body);
    EXPECT_TRUE(listed(json::TextOf(body.at("error"), "code"))) << status;
  }
  for (const char* code : {"timeout", "cap", "too-large", "provider", "refused", "schema", "parse", "declined", ""}) {
    EXPECT_TRUE(listed(NarratorFailure({{"code", code}, {"reason", "no"}}, 1).code)) << code;
  }
  EXPECT_TRUE(std::ranges::is_sorted(kFailureCodes));
}

TEST(Replies, SayHowLongTheProviderWantsToBeLeftAlone) {
  const auto wait = [](const char* failure) {
    return NarratorFailure(json::Parse(failure)->as_object(), 1).retry_after;
  };
  EXPECT_EQ(wait(R"({"code":"provider","reason":"r","status":429,"wait_ms":33000.0})"), std::chrono::seconds(33));
  EXPECT_EQ(wait(R"({"code":"provider","reason":"r","status":429})"), std::chrono::seconds(10));
  EXPECT_EQ(wait(R"({"code":"provider","reason":"r","status":503,"wait_ms":7000})"), std::chrono::seconds(7));
  EXPECT_EQ(wait(R"({"code":"provider","reason":"r","status":503})"), std::nullopt);
  EXPECT_EQ(wait(R"({"code":"cap","reason":"r"})"), std::chrono::hours(24));
}

TEST(Replies, TraceIdsAreUuidsAndTheSameForTheSameSeed) {
  const char* uuid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
  EXPECT_THAT(MakeTraceId(""), MatchesRegex(uuid));
  EXPECT_THAT(MakeTraceId("a"), MatchesRegex(uuid));
  EXPECT_NE(MakeTraceId(""), MakeTraceId(""));
  EXPECT_EQ(MakeTraceId("a"), MakeTraceId("a"));
}

}  // namespace
}  // namespace openseat::narrative
