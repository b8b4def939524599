// For tests: an authorization server's key, and tokens signed with it.
#pragma once

#include <cjose/cjose.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "base/json.h"

namespace openseat::oauth {

class TestSigner {
 public:
  explicit TestSigner(std::string kid, std::string algorithm = "ES256")
      : kid_(std::move(kid)), algorithm_(std::move(algorithm)) {
    cjose_err error{};
    key_ = algorithm_.starts_with("ES")   ? cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, &error)
           : algorithm_.starts_with("HS") ? cjose_jwk_create_oct_random(512, &error)
                                          : cjose_jwk_create_RSA_random(2048, nullptr, 0, &error);
    OPENSEAT_CHECK(key_ != nullptr, error.message);
    cjose_jwk_set_kid(key_, kid_.c_str(), kid_.size(), &error);
  }
  ~TestSigner() { cjose_jwk_release(key_); }
  TestSigner(const TestSigner&) = delete;
  TestSigner& operator=(const TestSigner&) = delete;

  // As it appears in a key set.
  std::string PublicKey() const {
    cjose_err error{};
    char* text = cjose_jwk_to_json(key_, false, &error);
    std::string out(text);
    std::free(text);
    return out;
  }
  std::string Sign(const json::Object& claims) const {
    cjose_err error{};
    cjose_header_t* head = cjose_header_new(&error);
    cjose_header_set(head, "alg", algorithm_.c_str(), &error);
    if (!kid_.empty()) cjose_header_set(head, "kid", kid_.c_str(), &error);
    const std::string text = json::Write(claims);
    cjose_jws_t* jws =
        cjose_jws_sign(key_, head, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), &error);
    OPENSEAT_CHECK(jws != nullptr, error.message);
    const char* token = nullptr;
    cjose_jws_export(jws, &token, &error);
    std::string out(token);
    cjose_jws_release(jws);
    cjose_header_release(head);
    return out;
  }

 private:
  const std::string kid_;
  const std::string algorithm_;
  cjose_jwk_t* key_ = nullptr;
};

}  // namespace openseat::oauth
