#include "protocols/mcp/era.h"
#include "protocols/mcp/test_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat::mcp {
namespace {

using ::testing::HasSubstr;

Message Request(const std::string& method, const std::string& params) {
  auto message = DecodeMessage(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + "}}");
  EXPECT_TRUE(message) << method << " " << params;
  return *message;
}

struct Outcome {
  std::optional<Era> era;
  int code = 0;
  std::string message;
};

Outcome Read(const Message& message, const HeaderView* headers) {
  const auto envelope = ReadEnvelope(message, headers);
  if (envelope) return {envelope->era, 0, {}};
  EXPECT_EQ(envelope.error().status, 400);
  return {std::nullopt, envelope.error().code, envelope.error().message};
}

TEST(Era, IsDecidedByBodyAndHeader) {
  const std::string meta(kMeta);
  const struct {
    const char* what;
    const char* method;
    std::string params;
    std::optional<std::string_view> version;
    std::optional<std::string_view> header_method;
    std::optional<std::string_view> name;
    std::optional<Era> era;
    int code;
    const char* says;
  } kCases[] = {
      {"modern", "tools/list", meta, "2026-07-28", "tools/list", {}, Era::kModern, 0, ""},
      {"spaces around", "tools/list", meta, " 2026-07-28\t", " tools/list", {}, Era::kModern, 0, ""},
      {"with a name", "tools/call", R"("name":"act",)" + meta, "2026-07-28", "tools/call", "act", Era::kModern, 0, ""},
      {"Base64", "tools/call", R"("name":"act",)" + meta, "2026-07-28", "tools/call", "=?base64?YWN0?=", Era::kModern,
       0, ""},
      {"a URI", "resources/read", R"("uri":"a://b",)" + meta, "2026-07-28", "resources/read", "a://b", Era::kModern, 0,
       ""},
      {"no claim",
       "server/discover",
       "",
       "2026-07-28",
       "server/discover",
       {},
       {},
       code::kInvalidParams,
       "io.modelcontextprotocol/protocolVersion"},
      {"half a claim",
       "tools/list",
       R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})",
       "2026-07-28",
       "tools/list",
       {},
       {},
       code::kInvalidParams,
       "clientCapabilities"},
      {"a claim of no text",
       "tools/list",
       R"("_meta":{"io.modelcontextprotocol/protocolVersion":3,"io.modelcontextprotocol/clientCapabilities":{}})",
       "2026-07-28",
       "tools/list",
       {},
       {},
       code::kInvalidParams,
       "must be a string"},
      {"no header", "tools/list", meta, {}, "tools/list", {}, {}, code::kHeaderMismatch, "is required"},
      {"another header",
       "tools/list",
       meta,
       "2025-11-25",
       "tools/list",
       {},
       {},
       code::kHeaderMismatch,
       "MCP-Protocol-Version header value '2025-11-25' does not match body value '2026-07-28'"},
      {"an unknown version",
       "tools/list",
       R"("_meta":{"io.modelcontextprotocol/protocolVersion":"v999","io.modelcontextprotocol/clientCapabilities":{}})",
       "v999",
       "tools/list",
       {},
       {},
       code::kUnsupportedVersion,
       "v999"},
      {"an unknown version, another header",
       "tools/list",
       R"("_meta":{"io.modelcontextprotocol/protocolVersion":"v999","io.modelcontextprotocol/clientCapabilities":{}})",
       "2026-07-28",
       "tools/list",
       {},
       {},
       code::kHeaderMismatch,
       "v999"},
      {"no method header", "tools/list", meta, "2026-07-28", {}, {}, {}, code::kHeaderMismatch, "Mcp-Method"},
      {"another method", "tools/list", meta, "2026-07-28", "tools/call", {}, {}, code::kHeaderMismatch, "Mcp-Method"},
      {"a method in other letters",
       "tools/list",
       meta,
       "2026-07-28",
       "Tools/list",
       {},
       {},
       code::kHeaderMismatch,
       "Mcp-Method"},
      {"no name",
       "tools/call",
       R"("name":"act",)" + meta,
       "2026-07-28",
       "tools/call",
       {},
       {},
       code::kHeaderMismatch,
       "Mcp-Name"},
      {"another name",
       "tools/call",
       R"("name":"act",)" + meta,
       "2026-07-28",
       "tools/call",
       "foo",
       {},
       code::kHeaderMismatch,
       "Mcp-Name header value 'foo' does not match body value 'act'"},
      {"broken Base64",
       "tools/call",
       R"("name":"act",)" + meta,
       "2026-07-28",
       "tools/call",
       "=?base64?YWN?=",
       {},
       code::kHeaderMismatch,
       "Base64"},
      {"initialize", "initialize", R"("protocolVersion":"2025-11-25")", {}, {}, {}, Era::kLegacy, 0, ""},
      {"initialize with a header", "initialize", "", "2025-06-18", {}, {}, Era::kLegacy, 0, ""},
      {"initialize, modern header", "initialize", "", "2026-07-28", {}, {}, {}, code::kHeaderMismatch, "initialize"},
      {"initialize, modern envelope", "initialize", meta, "2026-07-28", "initialize", {}, Era::kModern, 0, ""},
      {"legacy", "tools/list", "", "2025-11-25", {}, {}, Era::kLegacy, 0, ""},
      {"legacy without header", "tools/list", "", {}, {}, {}, Era::kLegacy, 0, ""},
      {"legacy with other _meta",
       "tools/list",
       R"("_meta":{"progressToken":1})",
       "2025-06-18",
       {},
       {},
       Era::kLegacy,
       0,
       ""},
      {"legacy, odd version", "tools/list", "", "1999-01-01", {}, {}, {}, code::kInvalidRequest, "1999-01-01"},
      {"stray probe", "server/discover", "", {}, {}, {}, Era::kLegacy, 0, ""},
  };
  for (const auto& each : kCases) {
    SCOPED_TRACE(each.what);
    const HeaderView headers{each.version, each.header_method, each.name};
    const Outcome got = Read(Request(each.method, each.params), &headers);
    EXPECT_EQ(got.era, each.era);
    EXPECT_EQ(got.code, each.code);
    EXPECT_THAT(got.message, HasSubstr(each.says));
  }
}

TEST(Era, OverStdioHeadersAreNotMissed) {
  EXPECT_EQ(Read(Request("tools/call", R"("name":"act",)" + std::string(kMeta)), nullptr).era, Era::kModern);
  EXPECT_EQ(Read(Request("tools/list", ""), nullptr).era, Era::kLegacy);
  EXPECT_EQ(Read(Request("initialize", ""), nullptr).era, Era::kLegacy);
}

TEST(Era, SaysWhatIsServed) {
  const auto envelope = ReadEnvelope(
      Request(
          "tools/list",
          R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01","io.modelcontextprotocol/clientCapabilities":{}})"),
      nullptr);
  ASSERT_FALSE(envelope);
  EXPECT_EQ(json::Write(envelope.error().data), R"({"supported":["2026-07-28"],"requested":"2027-01-01"})");
}

TEST(Era, DecodesHeaderValuesStrictly) {
  EXPECT_EQ(DecodeHeaderValue("act"), "act");
  EXPECT_EQ(DecodeHeaderValue("=?base64?SGVsbG8=?="), "Hello");
  EXPECT_EQ(DecodeHeaderValue("=?base64?"
                              "?="),
            "");
  EXPECT_EQ(DecodeHeaderValue("=?base64?w6k=?="), "é");
  EXPECT_EQ(DecodeHeaderValue("=?base64?SGVsbG8"), "=?base64?SGVsbG8") << "without the end it is literal";
  EXPECT_EQ(DecodeHeaderValue("=?Base64?SGVsbG8=?="), "=?Base64?SGVsbG8=?=") << "the marker is lower case";
  EXPECT_EQ(DecodeHeaderValue("=?base64?="), "=?base64?=");
  EXPECT_EQ(DecodeHeaderValue("=?base64?SGVsbG8?="), std::nullopt);
  EXPECT_EQ(DecodeHeaderValue("=?base64?SGVs!!!bG8=?="), std::nullopt);
  EXPECT_EQ(DecodeHeaderValue("=?base64?SGVsbG9=?="), std::nullopt) << "bits are left over";
  EXPECT_EQ(DecodeHeaderValue("=?base64?====?="), std::nullopt);
}

TEST(Era, NegotiatesLegacyVersions) {
  EXPECT_EQ(NegotiateLegacy("2025-06-18"), "2025-06-18");
  EXPECT_EQ(NegotiateLegacy("2025-11-25"), "2025-11-25");
  EXPECT_EQ(NegotiateLegacy("2025-03-26"), "2025-03-26");
  EXPECT_EQ(NegotiateLegacy("2024-11-05"), "2024-11-05");
  EXPECT_EQ(NegotiateLegacy("2024-10-07"), "2025-11-25");
  EXPECT_EQ(NegotiateLegacy("2099-01-01"), "2025-11-25");
  EXPECT_EQ(NegotiateLegacy(""), "2025-11-25");
}

}  // namespace
}  // namespace openseat::mcp
