#include "app/config.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <set>
#include <system_error>
#include <utility>

#include "app/agents.h"
#include "base/log.h"
#include "base/text.h"
#include "net/url.h"
#include "store/nats_format.h"

namespace openseat::app {
namespace {

constexpr std::size_t kMaxClusterWord = 32;
// Of the journal of a single machine.
constexpr std::uint64_t kJournalMaxBytes = std::uint64_t{16} << 30;
constexpr std::size_t kMaxAddress = 200;
// Files that are no connections of clients: databases, logs, calls to models and webhooks. A 16th, but this many at
// least.
constexpr std::uint64_t kOtherFiles = 200;

Result<void> CheckCluster(const Config& config) {
  const ClusterConfig& cluster = config.cluster;
  if (cluster.servers.empty()) return {};
  if (cluster.certificate.empty() != cluster.key.empty()) {
    return Fail(ErrorCode::kInvalid, "TLS to NATS needs both a certificate and a key", "cluster.key");
  }
  if (!cluster.advertise.empty()) {
    const Result<net::ListenAddress> address = ParseListenAddress(cluster.advertise);
    if (!address || address->host.empty() || address->port == 0 || cluster.advertise.size() > kMaxAddress ||
        cluster.advertise.find_first_of(" /@") != std::string::npos) {
      return Fail(ErrorCode::kInvalid,
                  "--advertise is HOST:PORT, where other nodes reach this one; got \"" + cluster.advertise + "\"",
                  "cluster.advertise");
    }
  }
  if (cluster.advertise.empty() && !config.listen.empty()) {
    const std::string& host = config.listen.front().host;
    if (host.empty() || host == "0.0.0.0" || host == "::") {
      return Fail(ErrorCode::kInvalid,
                  "the other nodes of the cluster must reach this one, and --listen names no host; --advertise "
                  "HOST:PORT says where",
                  "cluster.advertise");
    }
  }
  if (config.keep_recordings > Duration(0)) {
    return Fail(ErrorCode::kInvalid, "[journal] keep cannot be used in a cluster, whose journal keeps everything",
                "journal.keep");
  }
  return {};
}

}  // namespace

std::string DefaultDataDir() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0') {
    return std::string(data) + "/openseat";
  }
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr || *home == '\0' ? "." : home) + "/.local/share/openseat";
}

std::optional<std::string> FromEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void AddModel(llm::Model model, std::vector<llm::Model>& models) {
  std::erase_if(models, [&](const llm::Model& each) { return each.name == model.name; });
  models.push_back(std::move(model));
}

Result<void> AddModelFlags(const std::vector<std::string>& flags, std::vector<llm::Model>& models) {
  std::set<std::string> named;
  for (const std::string& flag : flags) {
    Result<llm::Model> model = llm::ParseModelFlag(flag, FromEnvironment);
    if (!model) return Fail(model.error());
    if (!named.insert(model->name).second) {
      return Fail(ErrorCode::kInvalid, "--model names \"" + model->name + "\" twice");
    }
    if (const std::string_view variable = llm::MissingKey(*model); !variable.empty()) {
      log::Warn("model {} has no key: set {}, or name another variable with api_key_env", model->name, variable);
    }
    AddModel(std::move(*model), models);
  }
  return {};
}

Result<net::ListenAddress> ParseListenAddress(std::string_view text) {
  const auto fail = [&] {
    return Fail(
        ErrorCode::kInvalid,
        "an address to listen on is HOST:PORT, as in 127.0.0.1:8000 or [::1]:8000; got \"" + std::string(text) + "\"");
  };
  net::ListenAddress address;
  std::string_view port = text;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.starts_with('[')) {
      if (!host.ends_with(']') || host.size() < 3) return fail();
      host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
      return fail();
    }
    address.host = host.empty() ? "0.0.0.0" : std::string(host);
  }
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || parsed.ec != std::errc() || parsed.ptr != port.data() + port.size()) return fail();
  return address;
}

std::vector<std::string> SplitAgents(std::string_view rest) {
  std::vector<std::string> agents;
  const auto is_option = [](std::string_view piece) {
    const std::size_t equals = piece.find('=');
    return equals != std::string_view::npos && piece.find(':') > equals;
  };
  while (!rest.empty()) {
    std::size_t end = rest.find(',');
    while (end != std::string_view::npos && rest.substr(0, end).find(':') != std::string_view::npos &&
           is_option(rest.substr(end + 1, rest.find(',', end + 1) - end - 1))) {
      end = rest.find(',', end + 1);
    }
    const std::string_view agent = rest.substr(0, end);
    rest.remove_prefix(agent.size() == rest.size() ? rest.size() : agent.size() + 1);
    agents.emplace_back(agent);
  }
  return agents;
}

Result<MatchRequest> ParseMatchRequest(std::string_view text) {
  MatchRequest request;
  const std::size_t colon = text.find(':');
  request.game = std::string(text.substr(0, colon));
  if (request.game.empty()) {
    return Fail(ErrorCode::kInvalid,
                "a match is GAME:SEAT,SEAT, as in tictactoe:open,random; got \"" + std::string(text) + "\"");
  }
  const std::string_view seats = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  for (const std::string& seat : SplitAgents(seats)) {
    PlannedSeat& planned = request.seats.emplace_back();
    if (seat == "open") continue;
    Result<AgentSpec> agent = DescribedAgents().Parse(seat);
    if (!agent) return Fail(agent.error());
    planned.agent = std::move(*agent);
  }
  return request;
}

Result<Duration> ParseAge(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::int64_t kMost = 100'000;
  if (problem == std::errc() && count >= 0 && count <= kMost) {
    if (unit == "w") return std::chrono::hours(7 * 24 * count);
    if (unit == "d") return std::chrono::hours(24 * count);
    if (unit == "h") return std::chrono::hours(count);
    if (unit == "m") return std::chrono::minutes(count);
    if (unit == "s") return std::chrono::seconds(count);
  }
  return Fail(ErrorCode::kInvalid, "an age must be a number up to 100000 and w, d, h, m or s, such as 30d; got \"" +
                                       std::string(text) + "\"");
}

std::string ClusterConfig::DefaultNode() {
  std::array<char, 256> host{};
  std::string out;
  if (gethostname(host.data(), host.size() - 1) == 0) {
    for (const char c : std::string_view(host.data())) {
      if (out.size() < kMaxClusterWord) out += IsAlphanumeric(c) || c == '_' ? c : '-';
    }
  }
  return out.empty() ? "node" : out;
}

Result<std::string> ParseClusterWord(std::string_view text) {
  if (Result<void> checked = store::CheckClusterName(text); !checked) return Fail(checked.error());
  return std::string(text);
}

Result<std::string> ParseNatsServers(std::string_view text) {
  std::string_view rest = text;
  do {
    const std::string_view server = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), server.size() + 1));
    const bool named = server.starts_with("nats://") || server.starts_with("tls://");
    if (!named || server.ends_with("//") || server.find_first_of(" \"'") != std::string_view::npos) {
      return Fail(ErrorCode::kInvalid,
                  "NATS servers are URLs with commas between them, as in nats://a:4222,nats://b:4222");
    }
  } while (!rest.empty());
  return std::string(text);
}

std::uint64_t JournalMaxBytes(const Config& config) {
  return config.journal_max_bytes.value_or(kJournalMaxBytes);
}

std::uint64_t ConnectionsWithin(std::uint64_t files, std::uint64_t max_connections) {
  const std::uint64_t others = std::min(std::max(files / 16, kOtherFiles), files / 2);
  const std::uint64_t most = std::max<std::uint64_t>(files - others, 1);
  return max_connections == 0 ? most : std::min(max_connections, most);
}

Result<void> CheckConfig(const Config& config) {
  if (config.listen.empty() && !config.stdio) return Fail(ErrorCode::kInvalid, "there is no address to listen on");
  for (const net::ListenAddress& address : config.listen) {
    if (address.certificate_file.empty() != address.key_file.empty()) {
      return Fail(ErrorCode::kInvalid, "TLS needs both a certificate and a key");
    }
    if (!net::IsLoopbackHost(address.host) && address.certificate_file.empty() && !config.insecure) {
      return Fail(ErrorCode::kDenied,
                  "listening on " + address.host +
                      ", which others can reach, needs TLS (--certificate and --key) or an explicit --insecure");
    }
  }
  if (config.chimera_listen && !net::IsLoopbackHost(config.chimera_listen->host) && !config.insecure) {
    return Fail(ErrorCode::kDenied, "Chimera's own port on " + config.chimera_listen->host +
                                        " has no TLS; it needs an explicit --insecure");
  }
  const std::uint64_t most = JournalMaxBytes(config);
  if (most != 0 && config.journal_reserve_bytes >= most) {
    return Fail(ErrorCode::kInvalid, "[journal] reserve_bytes must be less than max_bytes: it is a part of them",
                "journal.reserve_bytes");
  }
  return CheckCluster(config);
}

}  // namespace openseat::app
