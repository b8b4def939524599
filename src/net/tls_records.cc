#include "net/tls_records.h"

#include <algorithm>
#include <utility>

namespace openseat::net {
namespace {

// Types of records and of handshake messages: RFC 8446, sections 5.1 and 4.
constexpr std::byte kChangeCipherSpec{20};
constexpr std::byte kHandshake{22};
constexpr std::byte kClientHello{1};

// Big-endian.
std::size_t NumberIn(std::span<const std::byte> bytes) {
  std::size_t number = 0;
  for (const std::byte each : bytes) number = number << 8 | std::to_integer<std::size_t>(each);
  return number;
}

}  // namespace

void TlsRecords::OnHeader(std::span<const std::byte, kHeaderBytes> header, Phase phase) {
  const std::size_t size = kHeaderBytes + NumberIn(header.subspan(3));
  overhead_.records += over_ && record_ > 0 ? 1 : 0;
  overhead_.bytes += std::exchange(record_, size);
  content_left_ = 0;
  // A message after the handshake makes OpenSSL begin another one for a moment.
  over_ = over_ || phase == Phase::kOver;
  if (++without_data_ > kMostWithoutData) problem_ = "too many TLS records in a row have no data";
  if (!over_) {
    if (of_client_) OnHandshakeRecord(header[0], size, phase);
    return;
  }
  // In TLS 1.3, all records look like data by now.
  if (of_client_ && header[0] == kHandshake) problem_ = "the client wants to renegotiate TLS";
}

void TlsRecords::OnHandshakeRecord(std::byte type, std::size_t size, Phase phase) {
  handshake_announced_ += size;
  handshake_came_ += kHeaderBytes;
  content_left_ = size - kHeaderBytes;
  sealed_ = sealed_ || (type == kChangeCipherSpec && phase != Phase::kHandshakeOfTls13);
  has_messages_ = type == kHandshake && !sealed_;
  if (handshake_announced_ > kMostHandshakeBytes) problem_ = "the TLS handshake is too large";
}

void TlsRecords::OnContent(std::span<const std::byte> bytes) {
  bytes = bytes.first(std::min(bytes.size(), content_left_));
  content_left_ -= bytes.size();
  handshake_came_ += bytes.size();
  if (!has_messages_) return;
  while (!bytes.empty()) {
    if (message_left_ > 0) {
      const std::size_t passed = std::min(bytes.size(), message_left_);
      message_left_ -= passed;
      bytes = bytes.subspan(passed);
      continue;
    }
    begun_[begun_bytes_++] = bytes.front();
    bytes = bytes.subspan(1);
    if (begun_bytes_ < begun_.size()) continue;
    begun_bytes_ = 0;
    message_left_ = NumberIn(std::span(begun_).subspan(1));
    // OpenSSL limits the other messages to less.
    if (begun_[0] != kClientHello) continue;
    if (message_left_ > kMostHandshakeBytes) {
      problem_ = "the ClientHello is too large";
    } else if (message_left_ > kRoomForMessage) {
      hello_reserved_ = std::max(hello_reserved_, message_left_ - kRoomForMessage);
    }
  }
}

void TlsRecords::OnData(std::size_t bytes) {
  overhead_.bytes += record_ - std::min(bytes, record_);
  record_ = 0;
  without_data_ = 0;
}

TlsOverhead TlsRecords::TakeOverhead() {
  return std::exchange(overhead_, TlsOverhead());
}

}  // namespace openseat::net
