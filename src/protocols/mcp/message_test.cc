#include "protocols/mcp/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/mcp/protocol.h"

namespace openseat::mcp {
namespace {

using ::testing::HasSubstr;

TEST(Message, ReadsAllThreeKinds) {
  const auto request = DecodeMessage(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"act"}})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->kind, Message::Kind::kRequest);
  EXPECT_EQ(request->id, json::Value(7));
  EXPECT_EQ(FindText(request->params, "name"), "act");
  const auto notification = DecodeMessage(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  ASSERT_TRUE(notification);
  EXPECT_EQ(notification->kind, Message::Kind::kNotification);
  const auto response = DecodeMessage(R"({"jsonrpc":"2.0","id":"ask-1","result":{"action":"accept"}})");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->kind, Message::Kind::kResponse);
  ASSERT_TRUE(response->result);
  const auto error = DecodeMessage(R"({"jsonrpc":"2.0","id":"ask-1","error":{"code":-1,"message":"no"}})");
  ASSERT_TRUE(error);
  EXPECT_FALSE(error->result);
  // A result is an object.
  const auto both = DecodeMessage(R"({"jsonrpc":"2.0","id":"x","result":5,"error":{}})");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->kind, Message::Kind::kResponse);
  EXPECT_FALSE(both->result);
}

TEST(Message, RefusesWhatIsNone) {
  const struct {
    std::string_view text;
    int code;
    std::string_view says;
    bool has_id;
  } kCases[] = {
      {"", code::kParseError, "Parse error", false},
      {"{", code::kParseError, "Parse error", false},
      {"[]", code::kInvalidRequest, "batches", false},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", code::kInvalidRequest, "batches", false},
      {"7", code::kInvalidRequest, "got integer", false},
      {"{}", code::kInvalidRequest, "jsonrpc", false},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", code::kInvalidRequest, "jsonrpc", true},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", code::kInvalidRequest, "got null", false},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", code::kInvalidRequest, "got 1.5", false},
      {R"({"jsonrpc":"2.0","id":1,"method":3})", code::kInvalidRequest, "got 3", true},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", code::kInvalidRequest, "got array", true},
      {R"({"jsonrpc":"2.0","id":1})", code::kInvalidRequest, "a \"method\"", true},
      {R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})", code::kInvalidRequest, "a \"method\"", true},
  };
  for (const auto& each : kCases) {
    SCOPED_TRACE(each.text);
    const auto message = DecodeMessage(each.text);
    ASSERT_FALSE(message);
    EXPECT_EQ(message.error().failure.code, each.code);
    EXPECT_EQ(message.error().failure.status, 400);
    EXPECT_THAT(message.error().failure.message, HasSubstr(std::string(each.says)));
    EXPECT_EQ(!message.error().id.is_null(), each.has_id);
  }
}

TEST(Message, EchoesIdsAsTheyCame) {
  for (const char* id : {"7", "\"7\"", "-3", "18446744073709551615", "\"\\u00e9\""}) {
    const auto message = DecodeMessage(std::string(R"({"jsonrpc":"2.0","method":"ping","id":)") + id + "}");
    ASSERT_TRUE(message) << id;
    EXPECT_EQ(EncodeResult(message->id, {}), std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"result":{}})");
  }
}

TEST(Message, AMemberOfAResultMayBeTextAlready) {
  EXPECT_EQ(EncodeResult(1, json::Object{{"a", json::Object()}}, "b", R"({"c":[2]})"),
            R"({"jsonrpc":"2.0","id":1,"result":{"a":{},"b":{"c":[2]}}})");
}

TEST(Message, LeavesAnUnknownIdOut) {
  EXPECT_EQ(EncodeFailure(nullptr, {code::kParseError, "Parse error", nullptr, 400}),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}})");
  EXPECT_EQ(EncodeFailure(1, {code::kUnsupportedVersion, "no", json::Object{{"requested", "x"}}, 400}),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"requested":"x"}}})");
}

TEST(Message, AnIdHasALimit) {
  const auto with = [](std::size_t bytes) {
    return DecodeMessage(R"({"jsonrpc":"2.0","method":"ping","id":")" + std::string(bytes, 'x') + "\"}");
  };
  EXPECT_TRUE(with(kMaxIdBytes));
  const auto refused = with(kMaxIdBytes + 1);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().id.is_null());
  EXPECT_THAT(refused.error().failure.message, ::testing::HasSubstr("a string of at most 1024 bytes"));
}

}  // namespace
}  // namespace openseat::mcp
