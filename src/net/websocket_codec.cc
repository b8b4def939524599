#include "net/websocket_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "net/websocket.h"

namespace openseat::net {
namespace {

constexpr std::size_t kMaxControlBytes = 125;
// Of a close frame's reason: 125 bytes of a control frame less two of the code and three of an ellipsis.
constexpr std::size_t kMaxReason = 120;
// A message buffer that has grown beyond this is freed after its message.
constexpr std::size_t kKeptMessageBytes = 64u << 10;

bool IsControl(Opcode opcode) {
  return (static_cast<int>(opcode) & 8) != 0;
}

// Length of a header that begins with these two bytes.
std::size_t HeaderSize(const unsigned char* start) {
  const int length = start[1] & 0x7f;
  return 2u + (length == 126 ? 2u : length == 127 ? 8u : 0u) + ((start[1] & 0x80) != 0 ? 4u : 0u);
}

void AppendBigEndian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i)));
}

// `key`: the four masking bytes in wire order.
void Mask(char* data, std::size_t size, std::uint32_t key) {
  const std::uint64_t wide = (std::uint64_t{key} << 32) | key;
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i, 8);
    word ^= wide;
    std::memcpy(data + i, &word, 8);
  }
  char bytes[8];
  std::memcpy(bytes, &wide, 8);
  for (std::size_t k = 0; i < size; ++i, ++k) data[i] = static_cast<char>(data[i] ^ bytes[k]);
}

}  // namespace

void MessageDecoder::Feed(std::span<char> bytes) {
  OPENSEAT_CHECK(input_.empty(), "bytes are fed after the last ones were used up");
  input_ = bytes;
}

MessageDecoder::Event MessageDecoder::Next() {
  if (failed_) return Event::kError;
  if (std::exchange(message_given_, false)) {
    message_.clear();
    if (message_.capacity() > kKeptMessageBytes) message_.shrink_to_fit();
  }
  for (;;) {
    if (!in_frame_) {
      if (!ReadHeader()) return Event::kNeedMore;
      if (const Event event = OnHeader(); event != Event::kNeedMore) return event;
      in_frame_ = true;
    }
    const std::span<char> piece = input_.first(std::min<std::uint64_t>(frame_.left, input_.size()));
    if (piece.empty() && frame_.left > 0) return Event::kNeedMore;
    if (frame_.masked) {
      Mask(piece.data(), piece.size(), frame_.key);
      const int turn = static_cast<int>(piece.size() % 4) * 8;
      frame_.key =
          std::endian::native == std::endian::little ? std::rotr(frame_.key, turn) : std::rotl(frame_.key, turn);
    }
    frame_.left -= piece.size();
    input_ = input_.subspan(piece.size());
    in_frame_ = frame_.left > 0;
    const std::string_view text(piece.data(), piece.size());
    const Event event = IsControl(frame_.opcode) ? OnControl(text) : OnPiece(text);
    if (event != Event::kNeedMore) return event;
  }
}

bool MessageDecoder::ReadHeader() {
  const auto fill = [this](std::size_t wanted) {
    if (header_size_ < wanted) {
      const std::size_t n = std::min(wanted - header_size_, input_.size());
      std::copy_n(input_.data(), n, header_.data() + header_size_);
      header_size_ += n;
      input_ = input_.subspan(n);
    }
    return header_size_ >= wanted;
  };
  // Two bytes say how long the header is.
  return fill(2) && fill(HeaderSize(header_.data()));
}

// Takes the header apart and checks all rules that can be broken there.
MessageDecoder::Event MessageDecoder::OnHeader() {
  header_size_ = 0;
  const unsigned char* at = header_.data() + 2;
  const int length = header_[1] & 0x7f;
  frame_.left = static_cast<std::uint64_t>(length);
  if (length >= 126) {
    frame_.left = 0;
    for (int i = 0; i < (length == 126 ? 2 : 8); ++i) frame_.left = frame_.left << 8 | *at++;
    if (frame_.left <= (length == 126 ? 125u : 0xffffu) || frame_.left >> 63 != 0) {
      return Fail(close_code::kProtocolError, "the length of a frame is not written in the shortest form");
    }
  }
  frame_.masked = (header_[1] & 0x80) != 0;
  if (frame_.masked) std::memcpy(&frame_.key, at, 4);
  frame_.final = (header_[0] & 0x80) != 0;
  frame_.opcode = static_cast<Opcode>(header_[0] & 0x0f);

  if ((header_[0] & 0x70) != 0) {
    return Fail(close_code::kProtocolError, "a reserved bit is set; no extension was negotiated");
  }
  if (frame_.masked != options_.masked) {
    return Fail(close_code::kProtocolError,
                options_.masked ? "a client's frames must be masked" : "a server's frames must not be masked");
  }
  switch (frame_.opcode) {
    case Opcode::kText:
    case Opcode::kBinary:
      if (message_opcode_ != Opcode::kContinuation) {
        return Fail(close_code::kProtocolError, "a new message began within a fragmented one");
      }
      message_opcode_ = frame_.opcode;
      break;
    case Opcode::kContinuation:
      if (message_opcode_ == Opcode::kContinuation) {
        return Fail(close_code::kProtocolError, "a continuation frame came without a message to continue");
      }
      break;
    case Opcode::kClose:
    case Opcode::kPing:
    case Opcode::kPong:
      if (!frame_.final || frame_.left > kMaxControlBytes) {
        return Fail(close_code::kProtocolError, "a control frame must be one frame of at most 125 bytes");
      }
      return Event::kNeedMore;
    default:
      return Fail(close_code::kProtocolError, "the opcode of a frame is a reserved one");
  }
  if (frame_.left > options_.max_message_bytes - message_.size()) {
    return Fail(close_code::kTooBig,
                "a message is larger than " + std::to_string(options_.max_message_bytes) + " bytes");
  }
  return Event::kNeedMore;
}

MessageDecoder::Event MessageDecoder::OnPiece(std::string_view piece) {
  const bool last = frame_.final && !in_frame_;
  if (last && message_.empty()) {
    payload_ = piece;  // the common case: a whole message in one piece is not copied
  } else {
    message_.append(piece);
    if (!last) return Event::kNeedMore;
    payload_ = message_;
    message_given_ = true;
  }
  const Opcode opcode = std::exchange(message_opcode_, Opcode::kContinuation);
  if (opcode == Opcode::kBinary) return Event::kBinary;
  if (!options_.raw_text && !IsValidUtf8(payload_)) {
    return Fail(close_code::kInvalidData, "a text message is not valid UTF-8");
  }
  return Event::kText;
}

MessageDecoder::Event MessageDecoder::OnControl(std::string_view piece) {
  if (control_.empty() && !in_frame_) {
    payload_ = piece;
  } else {
    control_.append(piece);
    if (in_frame_) return Event::kNeedMore;
    // Moved out, so that control_ is empty again while the payload can still be read.
    reason_ = std::exchange(control_, std::string());
    payload_ = reason_;
  }
  switch (frame_.opcode) {
    case Opcode::kPing:
      return Event::kPing;
    case Opcode::kPong:
      return Event::kPong;
    default:
      return OnClose();
  }
}

MessageDecoder::Event MessageDecoder::OnClose() {
  if (payload_.empty()) {
    code_ = close_code::kNone;
    reason_.clear();
    return Event::kClose;
  }
  if (payload_.size() == 1) return Fail(close_code::kProtocolError, "a close frame has half a code");
  const auto high = static_cast<unsigned char>(payload_[0]);
  const auto low = static_cast<unsigned char>(payload_[1]);
  const auto code = static_cast<std::uint16_t>(high << 8 | low);
  std::string reason(payload_.substr(2));
  if (!IsCloseCodeAllowed(code)) {
    return Fail(close_code::kProtocolError, "a close frame has the code " + std::to_string(code));
  }
  if (!IsValidUtf8(reason)) return Fail(close_code::kInvalidData, "the reason of a close frame is not valid UTF-8");
  code_ = code;
  reason_ = std::move(reason);
  return Event::kClose;
}

MessageDecoder::Event MessageDecoder::Fail(std::uint16_t code, std::string_view reason) {
  failed_ = true;
  input_ = {};
  code_ = code;
  reason_ = reason;
  return Event::kError;
}

void AppendFrame(std::string& out, Opcode opcode, std::string_view payload, const std::uint32_t* mask) {
  const char mask_bit = mask != nullptr ? '\x80' : '\0';
  char header[14];
  std::size_t size = 2;
  header[0] = static_cast<char>(0x80 | static_cast<int>(opcode));
  if (payload.size() <= 125) {
    header[1] = static_cast<char>(mask_bit | static_cast<char>(payload.size()));
  } else {
    const int bytes = payload.size() <= 0xffff ? 2 : 8;
    header[1] = static_cast<char>(mask_bit | (bytes == 2 ? 126 : 127));
    for (int i = bytes - 1; i >= 0; --i) header[size++] = static_cast<char>(std::uint64_t{payload.size()} >> (8 * i));
  }
  if (mask != nullptr) {
    std::memcpy(header + size, mask, 4);
    size += 4;
  }
  out.append(header, size);
  out.append(payload);
  if (mask != nullptr) Mask(out.data() + out.size() - payload.size(), payload.size(), *mask);
}

void AppendCloseFrame(std::string& out, std::uint16_t code, std::string_view reason, const std::uint32_t* mask) {
  std::string payload;
  if (code != close_code::kNone) {
    AppendBigEndian(payload, code, 2);
    payload += Ellipsize(reason, kMaxReason);
  }
  AppendFrame(out, Opcode::kClose, payload, mask);
}

bool IsCloseCodeAllowed(std::uint16_t code) {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
}

}  // namespace openseat::net
