#include "oauth/key_source.h"

#include <algorithm>

#include "base/json.h"
#include "base/log.h"
#include "net/url.h"

namespace openseat::oauth {
namespace {

constexpr Duration kKeepFor = std::chrono::hours(1);
constexpr Duration kTryAgainAfter = std::chrono::seconds(10);
constexpr Duration kKeysTimeout = std::chrono::seconds(5);
constexpr std::size_t kMaxBytes = 256u << 10;
constexpr std::size_t kMaxWaiting = 10'000;

}  // namespace

bool IsSafeUrl(std::string_view url) {
  const Result<net::Url> parsed = net::ParseHttpUrl(url);
  return parsed && (parsed->tls || net::IsLoopbackHost(parsed->host));
}

std::vector<std::string> MetadataUrls(std::string_view issuer) {
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  const std::size_t path_at = issuer.find('/', issuer.find("://") + 3);
  const std::string origin(issuer.substr(0, path_at));
  const std::string path(path_at == std::string_view::npos ? "" : issuer.substr(path_at));
  std::vector<std::string> urls{origin + "/.well-known/oauth-authorization-server" + path,
                                origin + "/.well-known/openid-configuration" + path};
  if (!path.empty()) urls.push_back(origin + path + "/.well-known/openid-configuration");
  return urls;
}

KeySource::KeySource(std::string issuer, std::string jwks_url, net::HttpCaller& caller, Scheduler& home)
    : issuer_(std::move(issuer)),
      caller_(caller),
      home_(home),
      jwks_url_(std::move(jwks_url)),
      candidates_(jwks_url_.empty() ? MetadataUrls(issuer_) : std::vector<std::string>()) {}

void KeySource::Get(const std::string& key_id, Done done) {
  const Instant now = home_.clock().Monotonic();
  const bool tried_lately = fetched_ && now - *fetched_ < kTryAgainAfter;
  const bool good = keys_ != nullptr && keys_->Has(key_id) && now - *fetched_ < kKeepFor;
  if (good || (!fetching_ && tried_lately)) {
    done(keys_ != nullptr ? Result<std::shared_ptr<const KeySet>>(keys_) : Fail(ErrorCode::kIo, failure_));
    return;
  }
  if (waiting_.size() >= kMaxWaiting) {
    done(Fail(ErrorCode::kIo, "too many requests are waiting for the keys of " + issuer_));
    return;
  }
  waiting_.push_back(std::move(done));
  if (!fetching_) Fetch();
}

void KeySource::Fetch() {
  fetching_ = true;
  candidate_ = 0;
  if (candidates_.empty()) {
    FetchKeys();
  } else {
    Discover();
  }
}

void KeySource::Download(std::string url, std::function<void(const std::string& body)> use) {
  net::HttpCall call;
  call.url = url;
  call.headers.Add("Accept", "application/json");
  call.timeout = kKeysTimeout;
  call.connect_timeout = kKeysTimeout;
  call.max_body_bytes = kMaxBytes;
  call_.Start(caller_, home_, std::move(call),
              [this, url = std::move(url), use = std::move(use)](const Result<net::HttpResponse>& response) {
                if (!response) return Failed(response.error().message);
                if (response->status != 200) return Failed(url + " answered " + std::to_string(response->status));
                use(response->body);
              });
}

void KeySource::Discover() {
  Download(candidates_[candidate_], [this](const std::string& body) {
    const Result<json::Value> metadata = json::Parse(body);
    const auto text = [&](std::string_view name) -> std::string {
      const json::Value* value = metadata && metadata->is_object() ? json::Find(metadata->get_object(), name) : nullptr;
      return value != nullptr && value->is_string() ? std::string(json::View(value->get_string())) : std::string();
    };
    // Otherwise, one server could speak for another.
    if (text("issuer") != issuer_) return Failed(candidates_[candidate_] + " belongs to another issuer");
    if (!IsSafeUrl(text("jwks_uri"))) return Failed(candidates_[candidate_] + " has no trustworthy jwks_uri");
    jwks_url_ = text("jwks_uri");
    candidate_ = candidates_.size();
    FetchKeys();
  });
}

void KeySource::FetchKeys() {
  Download(jwks_url_, [this](const std::string& body) {
    Result<KeySet> keys = KeySet::Parse(body);
    if (!keys) return Failed(jwks_url_ + ": " + keys.error().message);
    keys_ = std::make_shared<const KeySet>(std::move(*keys));
    Answer();
  });
}

void KeySource::Failed(std::string why) {
  if (candidate_ + 1 < candidates_.size()) {
    ++candidate_;
    return Discover();
  }
  failure_ = "cannot get the keys of " + issuer_ + ": " + std::move(why);
  log::Warn("{}", failure_);
  Answer();
}

void KeySource::Answer() {
  fetching_ = false;
  fetched_ = home_.clock().Monotonic();
  for (Done& done : std::exchange(waiting_, {})) {
    done(keys_ != nullptr ? Result<std::shared_ptr<const KeySet>>(keys_) : Fail(ErrorCode::kIo, failure_));
  }
}

}  // namespace openseat::oauth
