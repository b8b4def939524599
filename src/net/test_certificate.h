// A certificate of our own, for tests of TLS.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "net/server.h"

namespace openseat::net {

// A self-signed certificate for `name` ("DNS:localhost,IP:127.0.0.1") and its key, in files that are deleted with the
// object.
class TestCertificate {
 public:
  explicit TestCertificate(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() / ("openseat-tls-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, name.c_str());
    X509_add_ext(certificate, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(certificate, key, EVP_sha256());
    Write(this->certificate(), [&](std::FILE* file) { PEM_write_X509(file, certificate); });
    Write(this->key(),
          [&](std::FILE* file) { PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr); });
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ~TestCertificate() { std::filesystem::remove_all(folder_); }
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  std::string certificate() const { return folder_ / "certificate.pem"; }
  std::string key() const { return folder_ / "key.pem"; }
  ListenAddress Address() const {
    ListenAddress address;
    address.certificate_file = certificate();
    address.key_file = key();
    return address;
  }

 private:
  static void Write(const std::string& path, const std::function<void(std::FILE*)>& write) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    write(file);
    std::fclose(file);
  }

  const std::filesystem::path folder_;
};

}  // namespace openseat::net
