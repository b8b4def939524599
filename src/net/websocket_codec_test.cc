#include "net/websocket_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <wslay/wslay.h>

#include <algorithm>
#include <string>
#include <vector>

#include "net/test_client.h"
#include "net/websocket.h"

namespace openseat::net {
namespace {

using Event = MessageDecoder::Event;
constexpr MessageDecoder::Options kServer{.masked = true, .raw_text = false, .max_message_bytes = 1000};

std::string Show(const MessageDecoder& decoder, Event event) {
  switch (event) {
    case Event::kText:
      return "text:" + std::string(decoder.payload());
    case Event::kBinary:
      return "binary:" + std::string(decoder.payload());
    case Event::kPing:
      return "ping:" + std::string(decoder.payload());
    case Event::kPong:
      return "pong:" + std::string(decoder.payload());
    case Event::kClose:
      return "close:" + std::to_string(decoder.code()) + ":" + std::string(decoder.reason());
    case Event::kError:
      return "error:" + std::to_string(decoder.code());
    case Event::kNeedMore:
      break;
  }
  return "";
}

// The result for `bytes`, fed in pieces that end at `cuts`.
std::vector<std::string> Decode(const std::string& bytes, std::vector<std::size_t> cuts = {},
                                const MessageDecoder::Options& options = kServer) {
  MessageDecoder decoder;
  decoder.SetOptions(options);
  std::vector<std::string> out;
  cuts.push_back(bytes.size());
  std::ranges::sort(cuts);
  std::size_t begin = 0;
  for (const std::size_t end : cuts) {
    std::string piece = bytes.substr(begin, end - begin);  // in its own memory, which is freed after each round
    begin = end;
    decoder.Feed(piece);
    for (;;) {
      const Event event = decoder.Next();
      if (event == Event::kNeedMore) break;
      out.push_back(Show(decoder, event));
      if (event == Event::kError || event == Event::kClose) return out;
    }
  }
  if (!decoder.idle()) out.push_back("…");
  return out;
}

std::vector<std::string> List(std::initializer_list<std::string> list) {
  return list;
}

TEST(MessageDecoder, TakesMessagesAndControlFrames) {
  EXPECT_EQ(Decode(ClientFrame(0x81, "hello") + ClientFrame(0x82, std::string("\0\1", 2)) + ClientFrame(0x89, "p") +
                   ClientFrame(0x8a, "") + ClientFrame(0x81, "")),
            List({"text:hello", std::string("binary:\0\1", 9), "ping:p", "pong:", "text:"}));
}

TEST(MessageDecoder, JoinsFragmentsWithControlFramesBetween) {
  EXPECT_EQ(Decode(ClientFrame(0x01, "he") + ClientFrame(0x89, "p") + ClientFrame(0x00, "") + ClientFrame(0x00, "l") +
                   ClientFrame(0x80, "lo") + ClientFrame(0x81, "next")),
            List({"ping:p", "text:hello", "text:next"}));
}

TEST(MessageDecoder, ReadsAllThreeLengths) {
  for (const std::size_t size : {125u, 126u, 65535u, 65536u, 70001u}) {
    const std::string payload(size, 'x');
    EXPECT_EQ(Decode(ClientFrame(0x81, payload), {}, {.masked = true, .raw_text = false, .max_message_bytes = 1 << 20}),
              List({"text:" + payload}));
  }
}

TEST(MessageDecoder, GivesTheSameWhereverTheBytesAreCut) {
  const std::string bytes = ClientFrame(0x01, "caf\xC3") + ClientFrame(0x89, "ping") + ClientFrame(0x80, "\xA9!") +
                            ClientFrame(0x82, std::string(300, 'b')) + ClientClose(1000, "bye");
  const auto whole = Decode(bytes);
  ASSERT_EQ(whole, List({"ping:ping", "text:caf\xC3\xA9!", "binary:" + std::string(300, 'b'), "close:1000:bye"}));
  std::vector<std::size_t> everywhere;
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    EXPECT_EQ(Decode(bytes, {i}), whole) << i;
    everywhere.push_back(i);
  }
  EXPECT_EQ(Decode(bytes, everywhere), whole);
}

TEST(MessageDecoder, RefusesWhatBreaksTheProtocol) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {ClientFrame(0x81, "x", false), "not masked"},
      {ClientFrame(0xc1, "x"), "RSV1"},
      {ClientFrame(0xa1, "x"), "RSV2"},
      {ClientFrame(0x83, "x"), "reserved opcode"},
      {ClientFrame(0x8b, "x"), "reserved control opcode"},
      {ClientFrame(0x80, "x"), "continuation of nothing"},
      {ClientFrame(0x01, "x") + ClientFrame(0x81, "y"), "message within a message"},
      {ClientFrame(0x09, "x"), "fragmented ping"},
      {ClientFrame(0x89, std::string(126, 'x')), "long ping"},
      {std::string("\x81\xfe\x00\x7d", 4) + "abcd", "length 125 in two bytes"},
      {std::string("\x81\xff\0\0\0\0\0\0\xff\xff", 10) + "abcd", "length 65535 in eight bytes"},
      {std::string("\x82\xff\x80\0\0\0\0\0\0\0", 10) + "abcd", "length with the highest bit"},
      {ClientFrame(0x88, "x"), "close with half a code"},
      {ClientClose(1005), "close 1005"},
      {ClientClose(1006), "close 1006"},
      {ClientClose(999), "close 999"},
      {ClientClose(2999), "close 2999"},
      {ClientClose(5000), "close 5000"},
  };
  for (const auto& [bytes, what] : cases) EXPECT_EQ(Decode(bytes), List({"error:1002"})) << what;
}

TEST(MessageDecoder, RefusesTextThatIsNoUtf8) {
  EXPECT_EQ(Decode(ClientFrame(0x81, "\xff")), List({"error:1007"}));
  EXPECT_EQ(Decode(ClientFrame(0x01, "\xC3") + ClientFrame(0x80, "x")), List({"error:1007"}));
  EXPECT_EQ(Decode(ClientClose(1000, "\xff")), List({"error:1007"}));
  EXPECT_EQ(Decode(ClientFrame(0x82, "\xff")), List({"binary:\xff"}));
  EXPECT_EQ(Decode(ClientFrame(0x81, "\xff"), {}, {.masked = true, .raw_text = true, .max_message_bytes = 9}),
            List({"text:\xff"}));
}

TEST(MessageDecoder, RefusesMessagesOverTheLimitBeforeTheyArrive) {
  EXPECT_EQ(Decode(ClientFrame(0x81, std::string(1000, 'x'))), List({"text:" + std::string(1000, 'x')}));
  EXPECT_EQ(Decode(ClientFrame(0x81, std::string(1001, 'x')).substr(0, 8)), List({"error:1009"}));
  EXPECT_EQ(Decode(ClientFrame(0x01, std::string(600, 'x')) + ClientFrame(0x00, std::string(401, 'x')).substr(0, 8)),
            List({"error:1009"}));
  EXPECT_EQ(Decode(std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10) + "abcd"), List({"error:1009"}));
}

TEST(MessageDecoder, AClientsPeerMustNotMask) {
  const MessageDecoder::Options client{.masked = false, .raw_text = false, .max_message_bytes = 100};
  EXPECT_EQ(Decode(ClientFrame(0x81, "x", false), {}, client), List({"text:x"}));
  EXPECT_EQ(Decode(ClientFrame(0x81, "x", true), {}, client), List({"error:1002"}));
}

TEST(MessageDecoder, IsIdleBetweenMessagesOnly) {
  MessageDecoder decoder;
  decoder.SetOptions(kServer);
  EXPECT_TRUE(decoder.idle());
  std::string first = ClientFrame(0x01, "x");
  std::string second = ClientFrame(0x80, "y") + "\x81";
  decoder.Feed(first);
  EXPECT_EQ(decoder.Next(), Event::kNeedMore);
  EXPECT_FALSE(decoder.idle());
  decoder.Feed(second);
  EXPECT_EQ(decoder.Next(), Event::kText);
  EXPECT_EQ(decoder.Next(), Event::kNeedMore);
  EXPECT_FALSE(decoder.idle());  // one byte of a header
}

TEST(AppendFrame, WritesWhatTheDecoderReads) {
  const std::uint32_t mask = 0x12345678;
  for (const std::size_t size : {0u, 1u, 7u, 8u, 125u, 126u, 65535u, 65536u}) {
    const std::string payload(size, 'q');
    for (const bool masked : {false, true}) {
      std::string out = "before";
      AppendFrame(out, Opcode::kText, payload, masked ? &mask : nullptr);
      ASSERT_TRUE(out.starts_with("before"));
      EXPECT_EQ(Decode(out.substr(6), {}, {.masked = masked, .raw_text = false, .max_message_bytes = 1 << 20}),
                List({"text:" + payload}));
    }
  }
}

TEST(AppendCloseFrame, CutsALongReasonAndWritesNoneForNoCode) {
  const MessageDecoder::Options client{.masked = false, .raw_text = false, .max_message_bytes = 100};
  std::string out;
  AppendCloseFrame(out, 1000, std::string(200, 'r'), nullptr);
  EXPECT_EQ(Decode(out, {}, client), List({"close:1000:" + std::string(120, 'r') + "…"}));
  out.clear();
  AppendCloseFrame(out, close_code::kNone, "unheard", nullptr);
  EXPECT_EQ(Decode(out, {}, client), List({"close:1005:"}));
}

// wslay as an independent judge of the same bytes. It knows only frames, so frames are compared: opcode, payload, or
// that the bytes are refused.
std::vector<std::string> DecodeWithWslay(const std::string& bytes) {
  struct Input {
    std::string_view left;
  } input{bytes};
  wslay_frame_callbacks callbacks{};
  callbacks.recv_callback = [](std::uint8_t* buffer, std::size_t size, int, void* user) -> ssize_t {
    std::string_view& left = static_cast<Input*>(user)->left;
    const std::size_t n = left.copy(reinterpret_cast<char*>(buffer), size);
    left.remove_prefix(n);
    return n == 0 ? -1 : static_cast<ssize_t>(n);
  };
  wslay_frame_context_ptr context = nullptr;
  wslay_frame_context_init(&context, &callbacks, &input);
  std::vector<std::string> out;
  std::string payload;
  for (;;) {
    wslay_frame_iocb frame{};
    const ssize_t n = wslay_frame_recv(context, &frame);
    if (n == WSLAY_ERR_WANT_READ) break;
    if (n < 0) {
      out.push_back("error");
      break;
    }
    payload.append(reinterpret_cast<const char*>(frame.data), frame.data_length);
    if (payload.size() < frame.payload_length) continue;
    out.push_back((frame.opcode == WSLAY_BINARY_FRAME ? "binary:"
                   : frame.opcode == WSLAY_PING       ? "ping:"
                                                      : "pong:") +
                  std::exchange(payload, std::string()));
  }
  wslay_frame_context_free(context);
  return out;
}

RC_GTEST_PROP(MessageDecoderProperty, AgreesWithAnotherImplementation, ()) {
  std::string bytes;
  for (const auto& [kind, size] : *rc::gen::container<std::vector<std::pair<int, int>>>(
           rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange(0, 700)))) {
    const std::string payload(static_cast<std::size_t>(size), static_cast<char>('a' + size % 26));
    if (kind == 3) {
      // Now and then a broken one: a ping that is too long or in fragments.
      bytes += ClientFrame(size % 2 == 0 ? 0x89 : 0x09, payload);
    } else {
      bytes += ClientFrame(kind == 0 ? 0x89 : kind == 1 ? 0x8a : 0x82, kind == 2 ? payload : payload.substr(0, 125));
    }
  }
  const auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  auto ours = Decode(bytes, cuts);
  if (!ours.empty() && ours.back().starts_with("error")) ours.back() = "error";
  RC_ASSERT(ours == DecodeWithWslay(bytes));
}

}  // namespace
}  // namespace openseat::net
