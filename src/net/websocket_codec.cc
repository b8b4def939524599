#include "net/websocket_codec.h"

#include <wslay/wslay.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "net/websocket.h"

namespace openseat::net {
namespace {

// Of a close frame's reason: 125 bytes of a control frame less two of the code and three of an ellipsis.
constexpr std::size_t kMaxReason = 120;
// A message buffer that has once grown beyond this is freed after its message.
constexpr std::size_t kKeptMessageBytes = 64u << 10;

bool IsControl(std::uint8_t opcode) {
  return (opcode & 8) != 0;
}

std::uint64_t HeaderBytes(const wslay_frame_iocb& frame) {
  const std::uint64_t length = frame.payload_length <= 125 ? 0 : frame.payload_length <= 0xffff ? 2 : 8;
  return 2 + length + (frame.mask != 0 ? 4 : 0);
}

void AppendBigEndian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i)));
}

// `key`: the four masking bytes in the order of the wire.
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

MessageDecoder::MessageDecoder() {
  wslay_frame_callbacks callbacks{};
  callbacks.recv_callback = &MessageDecoder::Receive;
  OPENSEAT_CHECK(wslay_frame_context_init(&context_, &callbacks, this) == 0, "wslay has memory for a context");
}

MessageDecoder::~MessageDecoder() {
  wslay_frame_context_free(context_);
}

ssize_t MessageDecoder::Receive(std::uint8_t* buffer, std::size_t size, int /*flags*/, void* self) {
  auto& decoder = *static_cast<MessageDecoder*>(self);
  const std::size_t n = std::min(size, decoder.input_.size());
  if (n == 0) return -1;
  std::memcpy(buffer, decoder.input_.data(), n);
  decoder.input_.remove_prefix(n);
  return static_cast<ssize_t>(n);
}

void MessageDecoder::Feed(std::string_view bytes) {
  OPENSEAT_CHECK(input_.empty(), "bytes are fed after the last ones were used up");
  input_ = bytes;
  unread_ += bytes.size();
}

bool MessageDecoder::idle() const {
  return unread_ == 0 && !in_frame_ && message_opcode_ == Opcode::kContinuation && control_.empty();
}

MessageDecoder::Event MessageDecoder::Next() {
  if (failed_) return Event::kError;
  if (std::exchange(message_given_, false)) {
    message_.clear();
    if (message_.capacity() > kKeptMessageBytes) message_.shrink_to_fit();
  }
  for (;;) {
    wslay_frame_iocb frame{};
    const ssize_t n = wslay_frame_recv(context_, &frame);
    if (n == WSLAY_ERR_WANT_READ) return Event::kNeedMore;
    if (n < 0) return Fail(close_code::kProtocolError, "a frame breaks the WebSocket protocol");
    const Event event = OnPiece(frame);
    if (event != Event::kNeedMore) return event;
  }
}

MessageDecoder::Event MessageDecoder::OnPiece(const wslay_frame_iocb& frame) {
  if (!in_frame_) {
    in_frame_ = true;
    frame_left_ = frame.payload_length;
    unread_ -= HeaderBytes(frame);
    if (const Event event = OnFrameStart(frame); event != Event::kNeedMore) return event;
  }
  const std::string_view piece(reinterpret_cast<const char*>(frame.data), frame.data_length);
  frame_left_ -= piece.size();
  unread_ -= piece.size();
  in_frame_ = frame_left_ > 0;
  return IsControl(frame.opcode) ? OnControlPiece(frame, piece) : OnDataPiece(frame, piece);
}

// The rules that a frame's header can break.
MessageDecoder::Event MessageDecoder::OnFrameStart(const wslay_frame_iocb& frame) {
  if (frame.rsv != 0) return Fail(close_code::kProtocolError, "a reserved bit is set; no extension was negotiated");
  if ((frame.mask != 0) != options_.masked) {
    return Fail(close_code::kProtocolError,
                options_.masked ? "a client's frames must be masked" : "a server's frames must not be masked");
  }
  switch (static_cast<Opcode>(frame.opcode)) {
    case Opcode::kText:
    case Opcode::kBinary:
      if (message_opcode_ != Opcode::kContinuation) {
        return Fail(close_code::kProtocolError, "a new message began within a fragmented one");
      }
      message_opcode_ = static_cast<Opcode>(frame.opcode);
      break;
    case Opcode::kContinuation:
      if (message_opcode_ == Opcode::kContinuation) {
        return Fail(close_code::kProtocolError, "a continuation frame came without a message to continue");
      }
      break;
    case Opcode::kClose:
    case Opcode::kPing:
    case Opcode::kPong:
      return Event::kNeedMore;
    default:
      return Fail(close_code::kProtocolError, "the opcode of a frame is a reserved one");
  }
  if (frame.payload_length > options_.max_message_bytes - message_.size()) {
    return Fail(close_code::kTooBig,
                "a message is larger than " + std::to_string(options_.max_message_bytes) + " bytes");
  }
  return Event::kNeedMore;
}

MessageDecoder::Event MessageDecoder::OnDataPiece(const wslay_frame_iocb& frame, std::string_view piece) {
  const bool last = frame.fin != 0 && !in_frame_;
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

MessageDecoder::Event MessageDecoder::OnControlPiece(const wslay_frame_iocb& frame, std::string_view piece) {
  if (control_.empty() && !in_frame_) {
    payload_ = piece;
  } else {
    control_.append(piece);
    if (in_frame_) return Event::kNeedMore;
    // Swapped out, so that control_ is empty again while the payload can still be read.
    reason_ = std::exchange(control_, std::string());
    payload_ = reason_;
  }
  switch (static_cast<Opcode>(frame.opcode)) {
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
