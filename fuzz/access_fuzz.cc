// Reads bytes as a request, and makes every decision that is made before a handler sees it: where it comes from, which
// page sent it, whether it has the token that it needs, which match and which page of a list it names, what the audit
// log says about it. The first byte says whether it came over loopback, and whether it asks for a page.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "app/access.h"
#include "app/audit_log.h"
#include "base/budget.h"
#include "base/check.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "match/invite.h"
#include "net/bearer.h"
#include "net/client_address.h"
#include "net/http_codec.h"
#include "net/origin.h"
#include "net/paging.h"
#include "net/url.h"

namespace openseat::app {
namespace {

constexpr std::string_view kToken = "thetokenofthisserversadministrator";
constexpr std::string_view kInvite = "k3fq2ab7cdk3fq2ab7cdk3fq2a";
constexpr std::string_view kAllowedOrigin = "http://localhost:5173";
constexpr std::string_view kHost = "play.example";

std::string NewDirectory() {
  const char* memory = "/dev/shm/openseat-fuzz-XXXXXX";
  std::string pattern = access("/dev/shm", W_OK) == 0 ? memory : "/tmp/openseat-fuzz-XXXXXX";
  OPENSEAT_CHECK(mkdtemp(pattern.data()) != nullptr, "a directory can be created");
  return pattern;
}

// A server's access checks, with the data that they need.
class Doors {
 public:
  Doors() : dir_(NewDirectory()), access_(Open(dir_)) {}
  ~Doors() {
    std::error_code ignored;
    std::filesystem::remove_all(dir_, ignored);
  }
  Doors(const Doors&) = delete;
  Doors& operator=(const Doors&) = delete;

  const Access& access() const { return access_; }
  // The audit log's line for this entry.
  std::string LineOf(const AuditEntry& entry) const {
    const std::string lines = dir_ + "/lines";
    std::filesystem::create_directory(lines);
    OPENSEAT_CHECK(AppendAudit(lines, entry, Time(std::chrono::seconds(1'800'000'000))).has_value(),
                   "the entry can be written");
    const std::string path = lines + "/" + std::string(kAuditFileName);
    std::ifstream file(path, std::ios::binary);
    std::string line{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::filesystem::remove(path);
    return line;
  }

 private:
  static Access Open(const std::string& dir) {
    std::ofstream(dir + "/admin-token.sha256") << Sha256Hex(kToken) << "\n";
    AccessOptions options;
    options.hosts = {std::string(kHost)};
    options.origins = {std::string(kAllowedOrigin)};
    options.wrong = {.per_second = 0, .burst = 1};
    Result<Access> access = Access::Open(dir, std::move(options));
    OPENSEAT_CHECK(access.has_value(), "access checks can be set up");
    return std::move(*access);
  }

  const std::string dir_;
  const Access access_;
};

// Whether a page of this origin can only have come from that host.
bool IsPageOf(std::string_view origin, std::string_view host) {
  const std::size_t slashes = origin.find("//");
  if (slashes == std::string_view::npos) return false;
  const std::string name = net::HostOnly(origin.substr(slashes + 2));
  return !name.empty() && AsciiLower(host).find(name) != std::string::npos;
}

void CheckOrigin(const net::HttpRequest& request) {
  const std::string from = net::ClientAddress(request);
  if (net::IsLocal(request) || !request.loopback) {
    OPENSEAT_CHECK(from == request.peer, "only a proxy on this machine can name another sender");
  } else {
    OPENSEAT_CHECK(AddressKey(from) != AddressKey("127.0.0.1"), "a forwarded request is not from this machine");
  }
  OPENSEAT_CHECK(AddressKey(AddressKey(from)) == AddressKey(from), "the key of an address's key is the same key");
}

void CheckGuard(const Doors& doors, const net::HttpRequest& request) {
  const Result<void> let_in = doors.access().Check(request);
  if (!let_in) {
    OPENSEAT_CHECK(!let_in.error().message.empty(), "a refusal says why");
    return;
  }
  const std::string_view host = request.headers.Get("Host");
  const std::string_view origin = request.headers.Get("Origin");
  OPENSEAT_CHECK(origin.empty() || AsciiLower(origin) == kAllowedOrigin || IsPageOf(origin, host),
                 "a page of another site is refused");
  OPENSEAT_CHECK(!origin.empty() || request.page || request.headers.Get("Sec-Fetch-Site") != "cross-site",
                 "a link from another site leads only to pages");
  OPENSEAT_CHECK(
      !request.loopback || host.empty() || net::HostOnly(host) == kHost || net::IsLoopbackHost(net::HostOnly(host)),
      "no other host name reaches this machine");
  OPENSEAT_CHECK(
      !NeedsAdmin(request.path) || net::IsLocal(request) || doors.access().IsAdminToken(net::BearerToken(request)),
      "a request from elsewhere needs the token");
}

void CheckNames(const Doors& doors, const net::HttpRequest& request) {
  const std::string last = request.path.substr(request.path.rfind('/') + 1);
  const MatchName name = ParseMatchName(last);
  OPENSEAT_CHECK(Opens(name, kInvite) == (name.invite == kInvite), "only a match's own invitation opens it");
  const bool pointed = last.find('.') != std::string::npos;
  OPENSEAT_CHECK(WithoutSecrets("/tables/" + last) == "/tables/" + name.id.str() + (pointed ? "." : ""),
                 "no invitation is logged");
  if (const Result<net::Page> page = net::PageOf(request)) {
    OPENSEAT_CHECK(page->limit >= 1 && page->limit <= net::kMaxPage, "a page is bounded");
  }
  static_cast<void>(net::WebSocketToken(request));
  const std::string line = doors.LineOf({.event = "admin",
                                         .what = "POST " + WithoutSecrets(request.path),
                                         .from = net::ClientAddress(request),
                                         .who = std::string(request.headers.Get("User-Agent"))});
  OPENSEAT_CHECK(line.find('\n') == line.size() - 1, "an entry is one line");
  OPENSEAT_CHECK(json::Parse(line).has_value(), "an entry is JSON");
}

}  // namespace
}  // namespace openseat::app

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openseat;
  static const app::Doors doors;
  if (size < 1) return 0;
  static const net::HttpLimits limits{.max_target_bytes = 1024, .max_header_bytes = 4096, .max_body_bytes = 1024};
  net::RequestParser parser(limits);
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  while (!bytes.empty() && parser.state() != net::RequestParser::State::kDone) {
    const std::size_t used = parser.Feed(bytes);
    if (used == 0) return 0;
    bytes.remove_prefix(used);
  }
  if (parser.state() != net::RequestParser::State::kDone) return 0;
  net::HttpRequest& request = parser.request();
  request.loopback = (data[0] & 1) != 0;
  request.page = (data[0] & 2) != 0;
  request.peer = request.loopback ? "127.0.0.1" : "203.0.113.9";
  request.forwarded_for = net::ForwardedFor(request);
  app::CheckOrigin(request);
  app::CheckGuard(doors, request);
  app::CheckNames(doors, request);
  return 0;
}
