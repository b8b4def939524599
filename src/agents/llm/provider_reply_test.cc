// What is made of providers' answers, whole and as streams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "agents/llm/provider.h"

namespace openseat::llm {
namespace {

using ::testing::HasSubstr;

constexpr Provider kEveryProvider[] = {Provider::kOpenAi, Provider::kResponses, Provider::kGemini,
                                       Provider::kAnthropic};
const Time kReadAt{std::chrono::seconds(1'445'412'400)};

// What is read of an answer that arrives in pieces of `size` bytes.
tl::expected<Reply, CallFailure> ReadOf(Provider provider, int status, std::string_view body, std::size_t size = 5) {
  ReplyReader reader(provider);
  net::HttpResponse response;
  response.status = status;
  response.headers.Set("request-id", "req-1");
  if (status < 300) {
    for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min(size, rest.size()))) {
      reader.Feed(rest.substr(0, size));
    }
  } else {
    response.body = body;
  }
  return reader.Finish(response, kReadAt);
}

struct ReplyRow {
  Provider provider;
  const char* body;
  const char* text;
  const char* reasoning = "";
  Usage usage{};  // without any: the provider did not say
  const char* stop = "";
  const char* refusal = nullptr;
};

void CheckReply(const ReplyRow& row) {
  for (const std::size_t size : {1u, 7u, 100'000u}) {
    const auto reply = ReadOf(row.provider, 200, row.body, size);
    ASSERT_TRUE(reply) << row.body << ": " << reply.error().error.message;
    EXPECT_EQ(reply->text, row.text) << row.body;
    EXPECT_EQ(reply->reasoning, row.reasoning) << row.body;
    EXPECT_EQ(reply->usage.value_or(Usage()), row.usage) << row.body;
    EXPECT_EQ(reply->stop, row.stop) << row.body;
    EXPECT_EQ(reply->cut_off, reply->stop == "length") << row.body;
    EXPECT_EQ(reply->request_id, "req-1");
    ASSERT_EQ(reply->refusal.has_value(), row.refusal != nullptr) << row.body;
    if (row.refusal != nullptr) {
      EXPECT_THAT(*reply->refusal, HasSubstr(row.refusal));
    }
  }
}

TEST(Replies, AreReadWhole) {
  const ReplyRow rows[] = {
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}})",
       "{}",
       "",
       {.input = 3, .output = 4}},
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"{"},{"type":"text","text":"}"}]},"finish_reason":"length"}]})",
       "{}",
       "hm",
       {},
       "length"},
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]})",
       "",
       "",
       {},
       "refusal",
       "No."},
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]})",
       "",
       "",
       {},
       "content_filter",
       "filter"},
      {Provider::kOpenAi,
       R"({"choices":[{"message":{"content":"{}","reasoning":"same","reasoning_details":[{"type":"reasoning.text","text":"same"}]},"finish_reason":"stop"}]})",
       "{}", "same"},
      {Provider::kOpenAi, R"({"choices":[{"message":{"content":"{}","reasoning_content":"deep"}}]})", "{}", "deep"},
      {Provider::kResponses,
       R"({"object":"response","status":"completed","error":null,"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"{}"}]}],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":8,"output_tokens_details":{"reasoning_tokens":5}}})",
       "{}",
       "hm",
       {.input = 5, .cached = 4, .output = 8, .reasoning = 5}},
      {Provider::kResponses,
       R"({"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]})",
       "",
       "",
       {},
       "length"},
      {Provider::kResponses,
       R"({"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]})",
       "",
       "",
       {},
       "refusal",
       "No."},
      {Provider::kGemini,
       R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"{"},{"text":"}"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"cachedContentTokenCount":1,"candidatesTokenCount":4,"thoughtsTokenCount":5}})",
       "{}",
       "hm",
       {.input = 2, .cached = 1, .output = 9, .reasoning = 5}},
      {Provider::kGemini,
       R"({"candidates":[{"content":{"parts":[{"text":"{"}]},"finishReason":"MAX_TOKENS"}]})",
       "{",
       "",
       {},
       "length"},
      {Provider::kGemini, R"({"candidates":[{"finishReason":"SAFETY"}]})", "", "", {}, "SAFETY", "SAFETY"},
      {Provider::kGemini, R"({"promptFeedback":{"blockReason":"OTHER"}})", "", "", {}, "OTHER", "OTHER"},
      {Provider::kAnthropic,
       R"({"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"{}"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"cache_read_input_tokens":2,"cache_creation_input_tokens":1,"output_tokens":4,"output_tokens_details":{"thinking_tokens":2}}})",
       "{}",
       "hm",
       {.input = 3, .cached = 2, .created = 1, .output = 4, .reasoning = 2}},
      {Provider::kAnthropic,
       R"({"type":"message","content":[{"type":"text","text":"I choose"},{"type":"tool_use","name":"answer","input":{"x":1}}],"stop_reason":"tool_use"})",
       R"({"x":1})"},
      {Provider::kAnthropic,
       R"({"type":"message","content":[{"type":"text","text":"{\"x\":"}],"stop_reason":"max_tokens"})",
       R"({"x":)",
       "",
       {},
       "length"},
      {Provider::kAnthropic,
       R"({"type":"message","content":[],"stop_reason":"refusal","stop_details":{"category":"bio","explanation":"It is about germs."}})",
       "",
       "",
       {},
       "refusal",
       "germs"},
  };
  for (const ReplyRow& row : rows) CheckReply(row);
}

TEST(Replies, AreReadFromStreams) {
  const ReplyRow rows[] = {
      {Provider::kOpenAi,
       ": warming up\n\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
       "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"h\"}}]}\n\n"
       "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"m\"}}]}\n\n"
       "data: {\"choices\":[{\"delta\":{\"content\":\"{\"}}]}\n\ndata: "
       "{\"choices\":[{\"delta\":{\"content\":\"}\"}}]}\n\n"
       "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
       "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\ndata: [DONE]\n\n",
       "{}",
       "hm",
       {.input = 3, .output = 4}},
      {Provider::kOpenAi,
       "data: {\"choices\":[{\"delta\":{\"refusal\":\"N\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"refusal\":\"o.\"},"
       "\"finish_reason\":\"stop\"}]}\n\n",
       "",
       "",
       {},
       "refusal",
       "No."},
      {Provider::kResponses,
       "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\"}}\n\n"
       "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"{\"}\n\n"
       "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\","
       "\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"{}\"}]}],"
       "\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}}\n\n",
       "{}",
       "",
       {.input = 3, .output = 4}},
      {Provider::kResponses,
       "data: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":"
       "{\"reason\":\"max_output_tokens\"},\"output\":[]}}\n\n",
       "",
       "",
       {},
       "length"},
      {Provider::kGemini,
       "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true}]}}],\"usageMetadata\":"
       "{\"promptTokenCount\":3}}\r\n\r\n"
       "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"{\"}]}}]}\r\n\r\n"
       "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"}\"}]},\"finishReason\":\"STOP\"}],"
       "\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":4,\"thoughtsTokenCount\":1}}\r\n\r\n",
       "{}",
       "hm",
       {.input = 3, .output = 5, .reasoning = 1}},
      {Provider::kAnthropic,
       "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,"
       "\"cache_read_input_tokens\":2,\"output_tokens\":1}}}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"
       "data: "
       "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n"
       "data: "
       "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n"
       "data: "
       "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"x\"}}\n\n"
       "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
       "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"{}\"}}\n\n"
       "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":7}}\n\n"
       "data: {\"type\":\"message_stop\"}\n\n",
       "{}",
       "hm",
       {.input = 3, .cached = 2, .output = 7}},
      {Provider::kAnthropic,
       "data: {\"type\":\"message_start\",\"message\":{}}\n\n"
       "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"input\":{}}}\n\n"
       "data: "
       "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"x\\\"\"}}"
       "\n\n"
       "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\": "
       "1}\"}}\n\n"
       "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n"
       "data: {\"type\":\"message_stop\"}\n\n",
       "{\"x\": 1}"},
  };
  for (const ReplyRow& row : rows) CheckReply(row);
}

TEST(Replies, AStreamThatBreaksOffIsNoAnswer) {
  for (const auto& [provider, body] : {
           std::pair(Provider::kOpenAi, "data: {\"choices\":[{\"delta\":{\"content\":\"{}\"}}]}\n\n"),
           std::pair(Provider::kResponses, "data: {\"type\":\"response.output_text.delta\",\"delta\":\"{}\"}\n\n"),
           std::pair(Provider::kGemini, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"{}\"}]}}]}\n\n"),
           std::pair(Provider::kAnthropic,
                     "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"content_block_delta\","
                     "\"delta\":{\"type\":\"text_delta\",\"text\":\"{}\"}}\n\n"),
       }) {
    const auto reply = ReadOf(provider, 200, body);
    ASSERT_FALSE(reply) << body;
    EXPECT_TRUE(reply.error().again);
    EXPECT_THAT(reply.error().error.message, HasSubstr("its stream breaks off"));
  }
}

TEST(Replies, AConnectionThatBreaksAfterTheEndChangesNothing) {
  ReplyReader reader(Provider::kOpenAi);
  reader.Feed("data: {\"choices\":[{\"delta\":{\"content\":\"{}\"},\"finish_reason\":\"stop\"}]}\n\n");
  const auto reply = reader.Finish(Fail(ErrorCode::kTimeout, "too slow"), kReadAt);
  ASSERT_TRUE(reply) << reply.error().error.message;
  EXPECT_EQ(reply->text, "{}");
}

TEST(Failures, AreReadFromAnswers) {
  struct Row {
    Provider provider;
    int status;
    const char* body;
    int meant;
  };
  for (const Row& row : {
           Row{Provider::kOpenAi, 200, "<html>", 200},
           Row{Provider::kOpenAi, 200, "", 200},
           Row{Provider::kOpenAi, 200, "{}", 200},
           Row{Provider::kOpenAi, 200, R"({"id":"warming up"})", 200},
           Row{Provider::kOpenAi, 200, R"({"error":{"message":"busy","code":429}})", 429},
           Row{Provider::kOpenAi, 200,
               "data: {\"choices\":[{\"delta\":{\"content\":\"{\"}}]}\n\ndata: "
               "{\"error\":{\"code\":502,\"message\":\"gone\"},"
               "\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n",
               502},
           Row{Provider::kOpenAi, 200, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n", 500},
           Row{Provider::kAnthropic, 200,
               "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"error\",\"error\":{\"type\":"
               "\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
               529},
           Row{Provider::kAnthropic, 529, R"({"type":"error","error":{"type":"overloaded_error"}})", 529},
           Row{Provider::kResponses, 200,
               "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":"
               "\"rate_limit_exceeded\",\"message\":\"slow\"}}}\n\n",
               429},
           Row{Provider::kResponses, 200, "data: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"x\"}\n\n",
               500},
           Row{Provider::kGemini, 200, R"({"candidates":[{"finishReason":"MALFORMED_RESPONSE"}]})", 200},
           Row{Provider::kGemini, 503, R"({"error":{"status":"RESOURCE_EXHAUSTED","code":503}})", 503},
       }) {
    const auto reply = ReadOf(row.provider, row.status, row.body);
    ASSERT_FALSE(reply) << row.body;
    EXPECT_TRUE(reply.error().again) << row.body;
    EXPECT_EQ(reply.error().status, row.meant) << row.body;
  }
  EXPECT_TRUE(ReadOf(Provider::kOpenAi, 401, "{}").error().permanent);
  EXPECT_TRUE(ReadOf(Provider::kOpenAi, 200, R"({"error":{"type":"authentication_error"}})").error().permanent);
  const auto filtered = ReadOf(Provider::kOpenAi, 400, R"({"error":{"code":"content_filter"}})");
  ASSERT_TRUE(filtered) << "an answer, not an outage";
  EXPECT_TRUE(filtered->refusal.has_value());
  // A connection that breaks after an overload was reported.
  ReplyReader reader(Provider::kAnthropic);
  reader.Feed("data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n");
  EXPECT_EQ(reader.Finish(Fail(ErrorCode::kIo, "reset"), kReadAt).error().status, 529);
  EXPECT_EQ(ReplyReader(Provider::kOpenAi).Finish(Fail(ErrorCode::kTimeout, "late"), kReadAt).error().status, 0);
}

TEST(Replies, AnyJsonIsReadOrRefused) {
  for (const char* body :
       {"null", "[]", "{}", "3", R"({"choices":[]})", R"({"choices":[3]})", R"({"choices":{"a":1}})",
        R"({"choices":[{"message":{"content":3}}],"usage":{"prompt_tokens":-1,"completion_tokens":"many"}})",
        R"({"candidates":[null]})", R"({"candidates":[{"content":{"parts":[3,{"text":4}]}}]})",
        R"({"type":"message","content":[null,{"type":"tool_use"}]})",
        R"({"object":"response","output":[3,{"content":[4]}]})", R"({"error":[]})", R"({"error":"x"})", "<html>",
        "\xFF\xFE", "data: 3\n\n", "data: {\n\n", "data: [[]]\n\n"}) {
    for (const Provider provider : kEveryProvider) {
      const auto reply = ReadOf(provider, 200, body);
      if (!reply) {
        EXPECT_FALSE(reply.error().error.message.empty()) << body;
      }
    }
  }
}

TEST(Replies, AreOfBoundedSize) {
  ReplyReader reader(Provider::kOpenAi);
  const std::string chunk = "data: {\"choices\":[{\"delta\":{\"content\":\"" + std::string(100'000, 'x') + "\"}}]}\n\n";
  for (int i = 0; i < 50; ++i) reader.Feed(chunk);
  reader.Feed("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
  net::HttpResponse response;
  response.status = 200;
  const auto reply = reader.Finish(response, kReadAt);
  ASSERT_TRUE(reply);
  EXPECT_LE(reply->text.size(), 3u << 20);
  const auto large = ReadOf(Provider::kOpenAi, 200, "{\"a\":\"" + std::string(9u << 20, 'x') + "\"}", 1u << 20);
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().error.message, HasSubstr("larger than 8 MiB"));
}

}  // namespace
}  // namespace openseat::llm
