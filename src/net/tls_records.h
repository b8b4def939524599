// TlsRecords: what the records of a TLS peer cost besides the data in them. OpenSSL takes records without data
// (KeyUpdate, alerts, handshake messages) by itself, and reserves as much memory as a handshake message announces; this
// sees each record first and says when it is too much. Pure; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace openseat::net {

// What has come besides data.
struct TlsOverhead {
  std::size_t records = 0;  // without data, after the handshake
  std::size_t bytes = 0;    // of records: all but the data
};

class TlsRecords {
 public:
  static constexpr std::size_t kHeaderBytes = 5;
  // Records without data in a row, those of the handshake included; a handshake needs about five. The next one is
  // too many.
  static constexpr std::size_t kMostWithoutData = 32;
  // Of a client's whole handshake, and what one of its ClientHellos may announce; browsers send 2 KiB.
  static constexpr std::size_t kMostHandshakeBytes = 32u << 10;
  // OpenSSL has room for a message of this size from the start. For a larger one, it reserves what it announces.
  static constexpr std::size_t kRoomForMessage = 16u << 10;

  enum class Phase : std::uint8_t {
    kHandshake,         // the version may not be known yet
    kHandshakeOfTls13,  // it is TLS 1.3
    kOver,
  };

  // `of_client`: the peer is the client. Servers have long certificates and may ask for a renegotiation, so only the
  // number of their records is limited.
  explicit TlsRecords(bool of_client) : of_client_(of_client) {}

  void OnHeader(std::span<const std::byte, kHeaderBytes> header, Phase phase);
  // What follows the header, on the wire, in pieces.
  void OnContent(std::span<const std::byte> bytes);
  // The last record had so much data.
  void OnData(std::size_t bytes);

  // A record has come after the handshake.
  bool handshake_is_over() const { return over_; }
  // Why the connection is to be closed; empty: it is not.
  std::string_view problem() const { return problem_; }
  // Bytes of a client's handshake that have come, and those that OpenSSL reserves for a large ClientHello.
  std::size_t handshake_bytes() const { return handshake_came_ + hello_reserved_; }
  // Of the records that are complete, since the last call.
  TlsOverhead TakeOverhead();

 private:
  void OnHandshakeRecord(std::byte type, std::size_t size, Phase phase);

  const bool of_client_;
  bool over_ = false;       // the handshake is
  bool sealed_ = false;     // what follows of it is encrypted (TLS 1.2)
  std::size_t record_ = 0;  // size of the last record, if it has had no data
  std::size_t without_data_ = 0;
  TlsOverhead overhead_;
  std::size_t handshake_announced_ = 0;
  std::size_t handshake_came_ = 0;
  std::size_t hello_reserved_ = 0;    // of the largest ClientHello, beyond kRoomForMessage
  std::size_t content_left_ = 0;      // of a record of the handshake
  bool has_messages_ = false;         // in it, and they are not encrypted
  std::array<std::byte, 4> begun_{};  // the type and size of a handshake message
  std::size_t begun_bytes_ = 0;
  std::size_t message_left_ = 0;
  std::string_view problem_;
};

}  // namespace openseat::net
