#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "protocols/neuro/codec.h"

namespace openseat::neuro {
namespace {

bool IsOneLineOfAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

template <typename Encode>
std::string Text(Encode encode) {
  std::string out;
  encode(out);
  return out;
}

TEST(Encode, WritesWhatTheApiSays) {
  EXPECT_EQ(Text([](auto& out) { EncodeAction("1", "move", R"({"position":4})", out); }),
            R"({"command":"action","data":{"id":"1","name":"move","data":"{\"position\":4}"}})");
  EXPECT_EQ(Text([](auto& out) { EncodeAction("1", "move", std::nullopt, out); }),
            R"({"command":"action","data":{"id":"1","name":"move"}})");
  EXPECT_EQ(
      Text([](auto& out) { EncodeStartupAck("s1", "neuro", "Neuro-sama", out); }),
      R"({"command":"startup","data":{"session":{"sessionId":"s1","characterId":"neuro","displayName":"Neuro-sama"}}})");
  EXPECT_EQ(Text([](auto& out) { EncodeReregisterAll(out); }), R"({"command":"actions/reregister_all"})");
  EXPECT_EQ(Text([](auto& out) { EncodeShutdownGraceful(false, out); }),
            R"({"command":"shutdown/graceful","data":{"wants_shutdown":false}})");
  EXPECT_EQ(Text([](auto& out) { EncodeShutdownImmediate(out); }), R"({"command":"shutdown/immediate"})");
  EXPECT_EQ(Text([](auto& out) { EncodeSpeechFinished(true, std::nullopt, std::nullopt, out); }),
            R"({"command":"speech_finished","data":{"isFinal":true}})");
  EXPECT_EQ(Text([](auto& out) { EncodeSpeechFinished(true, true, "interrupted", out); }),
            R"({"command":"speech_finished","data":{"isFinal":true,"cancelled":true,"reason":"interrupted"}})");
  EXPECT_EQ(Text([](auto& out) { EncodeVoiceUnavailable("not offered", out); }),
            R"({"command":"voice/unavailable","data":{"reason":"not offered"}})");
}

TEST(Encode, WritesWhatGamesSend) {
  EXPECT_EQ(Text([](auto& out) { EncodeStartup("Jeu d'été", out); }),
            R"({"command":"startup","game":"Jeu d'\u00e9t\u00e9"})");
  EXPECT_EQ(Text([](auto& out) { EncodeContext("g", {"m", false}, out); }),
            R"({"command":"context","game":"g","data":{"message":"m","silent":false}})");
  const std::vector<ActionDefinition> actions = {{"a", "d", json::Object{{"type", "object"}}},
                                                 {"b", "e", std::nullopt}};
  EXPECT_EQ(Text([&](auto& out) { EncodeRegister("g", actions, out); }),
            R"({"command":"actions/register","game":"g","data":{"actions":[{"name":"a","description":"d",)"
            R"("schema":{"type":"object"}},{"name":"b","description":"e"}]}})");
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(Text([&](auto& out) { EncodeUnregister("g", names, out); }),
            R"({"command":"actions/unregister","game":"g","data":{"action_names":["a","b"]}})");
  EXPECT_EQ(Text([&](auto& out) { EncodeForce("g", {.query = "q", .action_names = names}, out); }),
            R"({"command":"actions/force","game":"g","data":{"query":"q","action_names":["a","b"]}})");
  EXPECT_EQ(Text([&](auto& out) { EncodeForce("g", {"s", "q", true, Priority::kHigh, {}}, out); }),
            R"({"command":"actions/force","game":"g","data":{"state":"s","query":"q","ephemeral_context":true,)"
            R"("priority":"high","action_names":[]}})");
  EXPECT_EQ(Text([](auto& out) { EncodeResult("g", {"1", true, ""}, out); }),
            R"({"command":"action/result","game":"g","data":{"id":"1","success":true}})");
  EXPECT_EQ(Text([](auto& out) { EncodeResult("g", {"1", false, "no"}, out); }),
            R"({"command":"action/result","game":"g","data":{"id":"1","success":false,"message":"no"}})");
}

TEST(Encode, Appends) {
  std::string out = "x";
  EncodeReregisterAll(out);
  EXPECT_EQ(out, R"(x{"command":"actions/reregister_all"})");
}

// Text as it comes back: invalid UTF-8 becomes U+FFFD.
rc::Gen<std::string> AnyText() {
  return rc::gen::map(
      rc::gen::oneOf(rc::gen::arbitrary<std::string>(),
                     rc::gen::map(rc::gen::container<std::vector<char32_t>>(rc::gen::oneOf(
                                      rc::gen::inRange<char32_t>(0, 0x80), rc::gen::inRange<char32_t>(0x80, 0xD800),
                                      rc::gen::inRange<char32_t>(0xE000, 0x110000))),
                                  [](const std::vector<char32_t>& points) {
                                    std::string out;
                                    for (const char32_t point : points) AppendUtf8(out, point);
                                    return out;
                                  })),
      [](const std::string& text) { return SanitizeUtf8(text); });
}

rc::Gen<ServerMessage> AnyServerMessage() {
  return rc::gen::exec([]() -> ServerMessage {
    const bool flag = *rc::gen::arbitrary<bool>();
    const std::string a = *AnyText();
    const std::string b = *AnyText();
    const std::string c = *AnyText();
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
        return ActionMessage{a, b, flag ? std::optional(c) : std::nullopt};
      case 1:
        return StartupAckMessage{a, b, c};
      case 2:
        return ReregisterAllMessage{};
      case 3:
        return ShutdownGracefulMessage{flag};
      case 4:
        return ShutdownImmediateMessage{};
      case 5:
        return SpeechFinishedMessage{flag, *rc::gen::arbitrary<bool>(), a};
      default:
        return VoiceUnavailableMessage{a};
    }
  });
}

struct ServerEncoder {
  std::string& out;
  void operator()(const ActionMessage& m) const { EncodeAction(m.id, m.name, m.data, out); }
  void operator()(const StartupAckMessage& m) const {
    EncodeStartupAck(m.session_id, m.character_id, m.display_name, out);
  }
  void operator()(const ReregisterAllMessage& /*m*/) const { EncodeReregisterAll(out); }
  void operator()(const ShutdownGracefulMessage& m) const { EncodeShutdownGraceful(m.wants_shutdown, out); }
  void operator()(const ShutdownImmediateMessage& /*m*/) const { EncodeShutdownImmediate(out); }
  void operator()(const SpeechFinishedMessage& m) const { EncodeSpeechFinished(m.is_final, m.canceled, m.reason, out); }
  void operator()(const VoiceUnavailableMessage& m) const { EncodeVoiceUnavailable(m.reason, out); }
  void operator()(const UnknownMessage& /*m*/) const {}
};

RC_GTEST_PROP(Encode, ServerMessagesComeBackEqual, ()) {
  const ServerMessage message = *AnyServerMessage();
  std::string out;
  std::visit(ServerEncoder{out}, message);
  RC_ASSERT(IsOneLineOfAscii(out));
  const auto back = DecodeServer(out);
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == message);
}

RC_GTEST_PROP(Encode, AsciiWhateverTheBytes, (const std::string& a, const std::string& b)) {
  std::string out;
  EncodeAction(a, b, a + b, out);
  EncodeForce(a, {a, b, true, Priority::kHigh, {a, b}}, out);
  EncodeRegister(a, std::vector<ActionDefinition>{{b, a, json::Value(json::Object{{"x", 0.1}})}}, out);
  RC_ASSERT(IsOneLineOfAscii(out));
}

rc::Gen<ClientMessage> AnyClientMessage() {
  return rc::gen::exec([] {
    const bool flag = *rc::gen::arbitrary<bool>();
    const std::string a = *AnyText();
    const std::string b = *AnyText();
    auto names = *rc::gen::container<std::vector<std::string>>(AnyText());
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    ClientMessage message{.game = *AnyText(), .body = {}};
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
        message.body = StartupMessage{};
        break;
      case 1:
        message.body = ContextMessage{a, flag};
        break;
      case 2: {
        RegisterMessage body;
        for (const std::string& name : names) {
          ActionDefinition& action = body.actions.emplace_back();
          action.name = name;
          action.description = a;
          if (*rc::gen::arbitrary<bool>()) action.schema = json::Object{{"const", b}};
        }
        message.body = std::move(body);
        break;
      }
      case 3:
        message.body = UnregisterMessage{names};
        break;
      case 4:
        message.body = ForceMessage{flag ? std::optional(a) : std::nullopt, b, *rc::gen::arbitrary<bool>(),
                                    static_cast<Priority>(*rc::gen::inRange(0, 4)), names};
        break;
      case 5:
        message.body = ResultMessage{a, flag, b};
        break;
      default:
        message.body = ProposalMessage{"shutdown/ready"};
    }
    return message;
  });
}

RC_GTEST_PROP(Encode, ClientMessagesComeBackEqual, ()) {
  const ClientMessage message = *AnyClientMessage();
  std::string out;
  EncodeClient(message, out);
  RC_ASSERT(IsOneLineOfAscii(out));
  const auto back = DecodeClient(out);
  RC_ASSERT(back.size() == 1u);
  RC_ASSERT(back[0].message.has_value());
  RC_ASSERT(*back[0].message == message);
  const bool named = message.game.find_first_not_of(" \t\r\n") != std::string::npos;
  if (named && !std::holds_alternative<ProposalMessage>(message.body)) RC_ASSERT(back[0].issues.empty());
}

TEST(DecodeServer, ReadsWhatServersSend) {
  EXPECT_EQ(*DecodeServer(R"({"command":"action","data":{"id":"1","name":"a","data":null}})"),
            ServerMessage(ActionMessage{"1", "a", std::nullopt}));
  EXPECT_EQ(*DecodeServer(R"({"command":"action","data":{"id":"1","name":"a","data":{"x":1}}})"),
            ServerMessage(ActionMessage{"1", "a", "{\"x\":1}"}));
  EXPECT_EQ(*DecodeServer(R"({"command":"startup"})"), ServerMessage(StartupAckMessage{}));
  EXPECT_EQ(*DecodeServer(R"({"command":"shutdown/graceful"})"), ServerMessage(ShutdownGracefulMessage{true}));
  EXPECT_EQ(*DecodeServer(R"({"command":"speech_finished","data":{}})"), ServerMessage(SpeechFinishedMessage{}));
  EXPECT_EQ(*DecodeServer(R"({"command":"vendor/x","data":{}})"), ServerMessage(UnknownMessage{"vendor/x"}));
}

TEST(DecodeServer, SaysWhatIsWrong) {
  const auto error = [](std::string_view text) { return DecodeServer(text).error(); };
  EXPECT_EQ(error("{").code, ErrorCode::kParse);
  EXPECT_EQ(error("[]").message, "a message must be a JSON object; got array");
  EXPECT_EQ(error("{}"), (Error{ErrorCode::kInvalid, "`command` must be a string; it is missing", "command"}));
  EXPECT_EQ(error(R"({"command":"action"})").path, "data.id");
  EXPECT_EQ(error(R"({"command":"action","data":{"id":1,"name":"a"}})"),
            (Error{ErrorCode::kInvalid, "`data.id` must be a string; got integer", "data.id"}));
  EXPECT_EQ(error(R"({"command":"action","data":{"id":"1"}})").path, "data.name");
}

}  // namespace
}  // namespace openseat::neuro
