// KeySource: the keys of one authorization server, fetched when they are needed first, kept, and fetched again for a
// key that is not among them, though never more often than every few seconds, whoever sends tokens.
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
  // `jwks_url` "": as the server's metadata says (RFC 8414, OpenID Connect Discovery). `caller` and `home` outlive it.
  KeySource(std::string issuer, std::string jwks_url, net::HttpCaller& caller, Scheduler& home);

  // `done` gets keys with one of that id, if the server has such; at once or later. kIo where no keys can be had.
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
  std::vector<std::string> candidates_;  // where the metadata may be
  std::size_t candidate_ = 0;
  std::shared_ptr<const KeySet> keys_;  // null before they were fetched
  std::optional<Instant> fetched_;      // when the last try ended
  std::string failure_;                 // of the last try
  bool fetching_ = false;
  std::deque<Done> waiting_;
  net::ScopedHttpCall call_;
};

// Where the metadata of an issuer may lie, in the order in which they are asked for.
std::vector<std::string> MetadataUrls(std::string_view issuer);

// https, or http to this machine's own names: where keys and tokens may travel.
bool IsSafeUrl(std::string_view url);

}  // namespace openseat::oauth
