// TLS by OpenSSL over a non-blocking socket, driven by readiness like a plain one. Internal; a stream belongs to one
// thread, a context is shared by all.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/tls_records.h"

struct ssl_st;
struct ssl_ctx_st;

namespace openseat::net {

enum class IoStatus {
  kOk,
  kWantRead,   // not now: try again when the socket is readable
  kWantWrite,  // … when it is writable
  kEnd,        // the peer will send nothing more
  kError,      // the connection is broken
  kExcess,     // the peer asks more of TLS than its data needs: close the connection (TlsRecords)
};
struct IoResult {
  IoStatus status;
  std::size_t bytes;
};

class TlsStream {
 public:
  // What a handshake costs besides the client's own bytes. OpenSSL 3.0 reserves room for a record and for a message of
  // 16 KiB each with the first header. Measured: 37 KB of resident memory for each of 14,000 connections that had sent
  // nine bytes.
  static constexpr std::size_t kHandshakeBytes = 40u << 10;

  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Both do the handshake first if it is not done yet. One call reads at most TlsRecords::kMostWithoutData records; the
  // socket stays readable if more has come.
  IoResult Read(char* data, std::size_t size);
  IoResult Write(const char* data, std::size_t size);
  // Sends close_notify if it can go at once.
  void Shutdown();
  std::string problem() const { return problem_; }
  // Memory of a client's handshake that is in progress, from the accept on: kHandshakeBytes, and what TlsRecords says.
  // 0: it is over.
  std::size_t handshake_bytes() const;
  TlsOverhead TakeOverhead() { return records_.TakeOverhead(); }

 private:
  friend class TlsContext;
  friend struct TlsSocket;
  TlsStream(ssl_ctx_st* context, int socket, bool accepts);
  IoResult Explain(int result);
  bool LacksRestOfMessage() const;

  ssl_st* const ssl_;
  const int socket_;
  TlsRecords records_;
  std::string problem_;
};

class TlsContext {
 public:
  // Certificate chain and key, PEM. Errors: kIo, kInvalid with what OpenSSL says.
  static Result<std::shared_ptr<TlsContext>> ForServer(const std::string& certificate_file,
                                                       const std::string& key_file);
  // Verifies servers against the system's authorities (SSL_CERT_FILE and SSL_CERT_DIR are respected).
  static Result<std::shared_ptr<TlsContext>> ForClients();
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  std::unique_ptr<TlsStream> Accept(int socket);
  // `host` is the name that the certificate must be for, and the SNI unless it is an address.
  std::unique_ptr<TlsStream> Connect(int socket, const std::string& host);

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
  ssl_ctx_st* context_;
};

}  // namespace openseat::net
