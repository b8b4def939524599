#include "net/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <span>
#include <system_error>

#include "base/check.h"

namespace openseat::net {
namespace {

std::string OpenSslError() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "unknown error";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "error " + std::to_string(code);
}

// Why OpenSSL could not read a file of this kind.
Error Unreadable(const std::string& what, const std::string& file) {
  std::string why = OpenSslError();
  if (::access(file.c_str(), R_OK) != 0) {
    why = std::generic_category().message(errno);
  } else {
    why = "expected PEM, \"-----BEGIN …\" (" + why + ")";
  }
  return {ErrorCode::kInvalid, "cannot read the " + what + " " + file + ": " + why, file};
}

}  // namespace

// What OpenSSL calls for a stream. Its own socket BIO writes without MSG_NOSIGNAL, so a peer that is gone would kill
// the process.
struct TlsSocket {
  static TlsStream& StreamOf(BIO* bio) { return *static_cast<TlsStream*>(BIO_get_data(bio)); }

  static int Read(BIO* bio, char* data, int size) {
    BIO_clear_retry_flags(bio);
    TlsStream& stream = StreamOf(bio);
    const ssize_t n = ::recv(stream.socket_, data, static_cast<std::size_t>(size), 0);
    const bool later = n < 0 && (errno == EAGAIN || errno == EINTR);
    if (n > 0) stream.records_.OnContent(std::as_bytes(std::span(data, static_cast<std::size_t>(n))));
    if (!stream.records_.problem().empty()) return -1;
    if (later) BIO_set_retry_read(bio);
    return static_cast<int>(n);
  }

  static int Write(BIO* bio, const char* data, int size) {
    BIO_clear_retry_flags(bio);
    const ssize_t n = ::send(StreamOf(bio).socket_, data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
    return static_cast<int>(n);
  }

  static long Control(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static BIO* NewBio(TlsStream& stream) {
    static BIO_METHOD* const method = [] {
      BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
      OPENSEAT_CHECK(made != nullptr, "OpenSSL has memory for a BIO method");
      BIO_meth_set_read(made, Read);
      BIO_meth_set_write(made, Write);
      BIO_meth_set_ctrl(made, Control);
      return made;
    }();
    BIO* bio = BIO_new(method);
    OPENSEAT_CHECK(bio != nullptr, "OpenSSL has memory for a BIO");
    BIO_set_data(bio, &stream);
    BIO_set_init(bio, 1);
    return bio;
  }

  // OpenSSL shows a record's header before it reads what follows it.
  static void OnMessage(int sent, int /*version*/, int type, const void* data, std::size_t size, SSL* ssl,
                        void* stream) {
    if (sent != 0 || type != SSL3_RT_HEADER || size != TlsRecords::kHeaderBytes) return;
    const TlsRecords::Phase phase = SSL_is_init_finished(ssl) != 0       ? TlsRecords::Phase::kOver
                                    : SSL_version(ssl) == TLS1_3_VERSION ? TlsRecords::Phase::kHandshakeOfTls13
                                                                         : TlsRecords::Phase::kHandshake;
    static_cast<TlsStream*>(stream)->records_.OnHeader(
        std::span<const std::byte, TlsRecords::kHeaderBytes>(static_cast<const std::byte*>(data), size), phase);
  }
};

namespace {

SSL_CTX* NewContext(const SSL_METHOD* method) {
  SSL_CTX* context = SSL_CTX_new(method);
  OPENSEAT_CHECK(context != nullptr, "OpenSSL has memory for a context");
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // Idle connections keep no buffers; a write may be retried from a buffer that has moved.
  SSL_CTX_set_mode(context,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_msg_callback(context, TlsSocket::OnMessage);
  return context;
}

bool IsAddress(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 || inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

}  // namespace

TlsStream::TlsStream(SSL_CTX* context, int socket, bool accepts)
    : ssl_(SSL_new(context)), socket_(socket), records_(accepts) {
  OPENSEAT_CHECK(ssl_ != nullptr, "OpenSSL has memory for a connection");
  BIO* bio = TlsSocket::NewBio(*this);
  SSL_set_bio(ssl_, bio, bio);
  SSL_set_msg_callback_arg(ssl_, this);
  if (accepts) {
    SSL_set_accept_state(ssl_);
  } else {
    SSL_set_connect_state(ssl_);
  }
}

TlsStream::~TlsStream() {
  SSL_free(ssl_);
}

IoResult TlsStream::Read(char* data, std::size_t size) {
  ERR_clear_error();
  const int n = SSL_read(ssl_, data, static_cast<int>(std::min<std::size_t>(size, INT_MAX)));
  if (n <= 0) return Explain(n);
  records_.OnData(static_cast<std::size_t>(n));
  return {IoStatus::kOk, static_cast<std::size_t>(n)};
}

IoResult TlsStream::Write(const char* data, std::size_t size) {
  if (size == 0) return {IoStatus::kOk, 0};
  ERR_clear_error();
  const int n = SSL_write(ssl_, data, static_cast<int>(std::min<std::size_t>(size, INT_MAX)));
  if (n > 0) return {IoStatus::kOk, static_cast<std::size_t>(n)};
  return Explain(n);
}

std::size_t TlsStream::handshake_bytes() const {
  return SSL_is_init_finished(ssl_) != 0 ? 0 : kHandshakeBytes + records_.handshake_bytes();
}

// Whether a client has begun a message after the handshake. Until its rest comes, OpenSSL writes nothing, so all that
// the client is sent would wait here. KeyUpdate, the only such message, has five bytes: clients send it in one record.
bool TlsStream::LacksRestOfMessage() const {
  return SSL_is_server(ssl_) != 0 && records_.handshake_is_over() && SSL_is_init_finished(ssl_) == 0;
}

IoResult TlsStream::Explain(int result) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      if (!LacksRestOfMessage()) return {IoStatus::kWantRead, 0};
      problem_ = "the client sent only a part of a TLS message";
      return {IoStatus::kExcess, 0};
    case SSL_ERROR_WANT_WRITE:
      return {IoStatus::kWantWrite, 0};
    case SSL_ERROR_ZERO_RETURN:
      return {IoStatus::kEnd, 0};
    default:
      break;
  }
  if (!records_.problem().empty()) {
    problem_ = records_.problem();
    ERR_clear_error();
    return {IoStatus::kExcess, 0};
  }
  const long verified = SSL_get_verify_result(ssl_);
  if (verified != X509_V_OK) {
    problem_ = X509_verify_cert_error_string(verified);
    ERR_clear_error();
  } else if (ERR_peek_error() != 0) {
    problem_ = OpenSslError();
  }
  return {IoStatus::kError, 0};
}

void TlsStream::Shutdown() {
  ERR_clear_error();
  if (SSL_is_init_finished(ssl_) != 0) SSL_shutdown(ssl_);
  ERR_clear_error();
}

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
}

Result<std::shared_ptr<TlsContext>> TlsContext::ForServer(const std::string& certificate_file,
                                                          const std::string& key_file) {
  ERR_clear_error();
  std::shared_ptr<TlsContext> made(new TlsContext(NewContext(TLS_server_method())));
  SSL_CTX* context = made->context_;
  // Forward secrecy and authenticated encryption; all suites of TLS 1.3 have both.
  OPENSEAT_CHECK(SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1, "OpenSSL knows these ciphers");
  // In this order, a certificate that does not match is not reported as a key that cannot be read.
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Fail(Unreadable("private key", key_file));
  }
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1) {
    return Fail(Unreadable("certificate", certificate_file));
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    return Fail(ErrorCode::kInvalid, "the private key does not belong to the certificate", key_file);
  }
  // Clients resume by tickets, which they keep. The cache would hold 20,000 sessions of clients that take no tickets.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // Only HTTP/1.1 is spoken, so a client that offers others first must be told.
  SSL_CTX_set_alpn_select_cb(
      context,
      [](SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size, void*) {
        static constexpr unsigned char kOurs[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
        unsigned char* chosen = nullptr;
        const int found = SSL_select_next_proto(&chosen, out_size, kOurs, sizeof kOurs, in, in_size);
        *out = chosen;
        return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
      },
      nullptr);
  return made;
}

Result<std::shared_ptr<TlsContext>> TlsContext::ForClients() {
  ERR_clear_error();
  std::shared_ptr<TlsContext> made(new TlsContext(NewContext(TLS_client_method())));
  if (SSL_CTX_set_default_verify_paths(made->context_) != 1) {
    return Fail(ErrorCode::kIo, "cannot read the system's certificate authorities: " + OpenSslError());
  }
  SSL_CTX_set_verify(made->context_, SSL_VERIFY_PEER, nullptr);
  return made;
}

std::unique_ptr<TlsStream> TlsContext::Accept(int socket) {
  return std::unique_ptr<TlsStream>(new TlsStream(context_, socket, true));
}

std::unique_ptr<TlsStream> TlsContext::Connect(int socket, const std::string& host) {
  std::unique_ptr<TlsStream> stream(new TlsStream(context_, socket, false));
  SSL* const ssl = stream->ssl_;
  if (IsAddress(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
  } else {
    // SSL_set_tlsext_host_name, without the cast of that macro.
    SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, const_cast<char*>(host.c_str()));
    SSL_set1_host(ssl, host.c_str());
  }
  return stream;
}

}  // namespace openseat::net
