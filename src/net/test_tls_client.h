// A blocking TLS client for tests, with OpenSSL itself, to offer what our client would not.
#pragma once

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "net/test_client.h"

namespace openseat::net {

class OpenSslClient {
 public:
  explicit OpenSslClient(std::uint16_t port) : client_(port) {}
  ~OpenSslClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }
  OpenSslClient(const OpenSslClient&) = delete;
  OpenSslClient& operator=(const OpenSslClient&) = delete;

  SSL_CTX* context() { return context_; }
  bool Connect() {
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, client_.descriptor());
    return SSL_connect(ssl_) == 1;
  }
  std::string Cipher() { return SSL_get_cipher_name(ssl_); }
  void SendAsItIs(const std::string& bytes) { client_.Send(bytes); }
  SSL* ssl() { return ssl_; }
  // So many KeyUpdates and then `data`, in one piece.
  void SendKeyUpdates(std::size_t count, const std::string& data) {
    BIO* const gathered = BIO_new(BIO_s_mem());
    BIO* const socket = SSL_get_wbio(ssl_);
    BIO_up_ref(socket);
    SSL_set0_wbio(ssl_, gathered);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(SSL_key_update(ssl_, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
      EXPECT_EQ(SSL_do_handshake(ssl_), 1);
    }
    SSL_write(ssl_, data.data(), static_cast<int>(data.size()));
    std::string bytes(BIO_ctrl_pending(gathered), '\0');
    BIO_read(gathered, bytes.data(), static_cast<int>(bytes.size()));
    client_.Send(bytes);
    SSL_set0_wbio(ssl_, socket);
  }
  std::string Ask(const std::string& request) {
    SSL_write(ssl_, request.data(), static_cast<int>(request.size()));
    return Read();
  }
  // What has come; "" at the end.
  std::string Read() {
    std::string answer(4096, '\0');
    answer.resize(static_cast<std::size_t>(std::max(SSL_read(ssl_, answer.data(), 4096), 0)));
    return answer;
  }

 private:
  TestClient client_;
  SSL_CTX* const context_ = SSL_CTX_new(TLS_client_method());
  SSL* ssl_ = nullptr;
};

}  // namespace openseat::net
