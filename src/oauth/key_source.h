// KeySource: the keys of one authorization server. They are fetched when first needed, cached, and fetched again for
// an unknown key, though never more often than every few seconds, however many tokens arrive. A cached key is used at
// once, even while they are fetched.
//
// One thread: its scheduler's.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/scheduler.h"
#include "net/http_client.h"
#include "oauth/jwt.h"

namespace openseat::oauth {

class KeySource {
 public:
  // `jwks_url` "": from the server's metadata (RFC 8414, OpenID Connect Discovery). `caller` and `home` outlive it.
  KeySource(std::string issuer, std::string jwks_url, net::HttpCaller& caller, Scheduler& home);

  // `done` gets keys that include one with that id, if the server has it; at once or later. kIo if none can be fetched.
  using Done = std::function<void(Result<std::shared_ptr<const KeySet>>)>;
  void Get(const std::string& key_id, Done done);

 private:
  void Fetch();
  void Discover();
  void FetchKeys();
  void Download(std::string url, std::function<void(const std::string& body)> use);
  void Failed(std::string why);
  void Answer();

  const std::string issuer_;
  net::HttpCaller& caller_;
  Scheduler& home_;
  std::string jwks_url_;
  std::vector<std::string> candidates_;  // possible locations of the metadata
  std::size_t candidate_ = 0;
  std::shared_ptr<const KeySet> keys_;  // null before the first fetch
  std::optional<Instant> fetched_;      // when the last attempt ended
  std::string failure_;                 // of the last attempt
  bool fetching_ = false;
  std::deque<Done> waiting_;
  net::ScopedHttpCall call_;
};

// Possible locations of an issuer's metadata, in the order of requests.
std::vector<std::string> MetadataUrls(std::string_view issuer);

// https, or http to this machine's own names: where keys and tokens may be sent.
bool IsSafeUrl(std::string_view url);

}  // namespace openseat::oauth
