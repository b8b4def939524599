// The WebSocket decoder on arbitrary bytes: the output must not depend on where they are cut, must follow the decoder's
// own rules, and must survive encoding and decoding again. The first two bytes choose options and cuts.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "net/websocket_codec.h"

namespace {

using openseat::net::MessageDecoder;
using openseat::net::Opcode;
using Event = MessageDecoder::Event;

struct Heard {
  Event event;
  std::string payload;
  int code = 0;
  bool operator==(const Heard&) const = default;
};

void Check(bool condition) {
  if (!condition) std::abort();
}

std::vector<Heard> Decode(std::string_view bytes, const MessageDecoder::Options& options, std::size_t step) {
  MessageDecoder decoder;
  decoder.SetOptions(options);
  std::vector<Heard> out;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    std::string piece(bytes.substr(at, step));
    decoder.Feed(piece);
    for (;;) {
      const Event event = decoder.Next();
      if (event == Event::kNeedMore) break;
      const bool ends = event == Event::kError || event == Event::kClose;
      out.push_back({event, std::string(ends ? decoder.reason() : decoder.payload()), ends ? decoder.code() : 0});
      if (ends) return out;
    }
  }
  return out;
}

Opcode OpcodeOf(Event event) {
  switch (event) {
    case Event::kText:
      return Opcode::kText;
    case Event::kBinary:
      return Opcode::kBinary;
    case Event::kPing:
      return Opcode::kPing;
    default:
      return Opcode::kPong;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const MessageDecoder::Options options{.masked = (data[0] & 1) != 0,
                                        .raw_text = (data[0] & 2) != 0,
                                        .max_message_bytes = std::size_t{1} << (data[0] >> 4)};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = Decode(bytes, options, bytes.size() + 1);
  Check(whole == Decode(bytes, options, 1));
  Check(whole == Decode(bytes, options, data[1] + 2u));

  std::string again;
  std::vector<Heard> messages;
  for (const Heard& heard : whole) {
    if (heard.event == Event::kError || heard.event == Event::kClose) break;
    Check(heard.payload.size() <= std::max<std::size_t>(options.max_message_bytes, 125));
    Check(heard.event != Event::kText || options.raw_text || openseat::IsValidUtf8(heard.payload));
    const std::uint32_t mask = 0x9abcdef0u + data[1];
    AppendFrame(again, OpcodeOf(heard.event), heard.payload, options.masked ? &mask : nullptr);
    messages.push_back(heard);
  }
  Check(Decode(again, options, again.size() + 1) == messages);
  return 0;
}
