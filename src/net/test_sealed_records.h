// Records of TLS 1.3 that OpenSSL's client does not send, encrypted with the keys of its connection. For tests.
#pragma once

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace openseat::net {

// RFC 8446, sections 5.2, 5.3 and 7.
class SealedRecords {
 public:
  static constexpr int kHandshake = 22;
  static constexpr int kData = 23;

  // For the next connection of this context, before its handshake. Its client sends nothing else afterwards.
  explicit SealedRecords(SSL_CTX* context) {
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_ex_data(context, 0, this);
    SSL_CTX_set_keylog_callback(context, Hear);
  }
  SealedRecords(const SealedRecords&) = delete;
  SealedRecords& operator=(const SealedRecords&) = delete;

  // REQUIRES that the handshake is over. Content of at most 16 KiB.
  std::string Seal(int type, std::string_view content) {
    std::string plain(content);
    plain.push_back(static_cast<char>(type));
    constexpr std::size_t kTag = 16;
    std::string record = "\x17\x03\x03" + Number(plain.size() + kTag, 2);
    std::string nonce = Expand("iv", 12);
    const std::string number = Number(sent_++, 8);
    for (std::size_t i = 0; i < 8; ++i) nonce[4 + i] = static_cast<char>(nonce[4 + i] ^ number[i]);
    const std::string key = Expand("key", 16);
    EVP_CIPHER_CTX* const cipher = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(cipher, EVP_aes_128_gcm(), nullptr, Bytes(key), Bytes(nonce));
    int size = 0;
    EVP_EncryptUpdate(cipher, nullptr, &size, Bytes(record), static_cast<int>(record.size()));
    std::string sealed(plain.size() + kTag, '\0');
    auto* const out = reinterpret_cast<unsigned char*>(sealed.data());
    EVP_EncryptUpdate(cipher, out, &size, Bytes(plain), static_cast<int>(plain.size()));
    EVP_EncryptFinal_ex(cipher, out + size, &size);
    EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, kTag, out + plain.size());
    EVP_CIPHER_CTX_free(cipher);
    return record + sealed;
  }

  // After a whole KeyUpdate.
  void ChangeKey() {
    secret_ = Expand("traffic upd", secret_.size());
    sent_ = 0;
  }

 private:
  static const unsigned char* Bytes(const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  }
  static std::string Number(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i)));
    return out;
  }

  // "CLIENT_TRAFFIC_SECRET_0 RANDOM SECRET"
  static void Hear(const SSL* client, const char* line) {
    const std::string_view text(line);
    auto* const records = static_cast<SealedRecords*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(client), 0));
    if (records == nullptr || !text.starts_with("CLIENT_TRAFFIC_SECRET_0 ")) return;
    records->secret_.clear();
    for (std::size_t at = text.rfind(' ') + 1; at + 1 < text.size(); at += 2) {
      records->secret_.push_back(static_cast<char>(std::stoi(std::string(text.substr(at, 2)), nullptr, 16)));
    }
  }

  // HKDF-Expand-Label with an empty context; at most 32 bytes.
  std::string Expand(std::string_view label, std::size_t size) const {
    const std::string name = "tls13 " + std::string(label);
    const std::string info = Number(size, 2) + Number(name.size(), 1) + name + std::string(1, '\0') + "\x01";
    std::array<unsigned char, 32> made{};
    unsigned made_size = made.size();
    HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()), Bytes(info), info.size(), made.data(),
         &made_size);
    return {reinterpret_cast<const char*>(made.data()), size};
  }

  std::string secret_;
  std::uint64_t sent_ = 0;  // records, under this key
};

}  // namespace openseat::net
