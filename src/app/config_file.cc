// The configuration file. docs/configuration.md describes it.
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "app/agents.h"
#include "app/config.h"
#include "app/toml_file.h"
#include "base/json.h"
#include "net/origin.h"
#include "net/url.h"

namespace openseat::app {
namespace {

struct Source {
  const std::string& path;
  std::vector<std::string>* left_out;  // null: nobody asks
};

// Reads one table of the file; at the end, every key that was not asked for is an error.
class Section {
 public:
  Section(const Source& source, std::string name, const toml::table* table)
      : source_(source), name_(std::move(name)), table_(table) {}

  void Text(std::string_view key, std::string& out) {
    Read<std::string>(key, "a text", [&](const std::string& value) { out = value; });
  }
  void Bool(std::string_view key, bool& out) {
    Read<bool>(key, "true or false", [&](bool value) { out = value; });
  }
  template <typename Number>
  void Count(std::string_view key, Number& out, std::int64_t low, std::int64_t high) {
    Read<std::int64_t>(key, "a whole number", [&](std::int64_t value) {
      if (value < low || value > high) {
        Complain(key, "must be from " + std::to_string(low) + " to " + std::to_string(high) + "; got " +
                          std::to_string(value));
        return;
      }
      out = static_cast<Number>(value);
    });
  }
  void Seconds(std::string_view key, Duration& out) {
    Read<double>(key, "a number of seconds", [&](double value) {
      constexpr double kTenYears = 10.0 * 365 * 24 * 3600;
      if (!(value >= 0 && value <= kTenYears)) {
        Complain(key, "must be a number of seconds from 0 up");
        return;
      }
      out = Duration(static_cast<std::int64_t>(value * 1e6));
    });
  }
  // 0: none.
  void SecondsOrNone(std::string_view key, std::optional<Duration>& out) {
    if (Node(key) == nullptr) return;
    Duration limit{0};
    Seconds(key, limit);
    out = limit > Duration(0) ? std::optional(limit) : std::nullopt;
  }
  template <typename Enum>
  void OneOf(std::string_view key, Enum& out, std::initializer_list<std::pair<std::string_view, Enum>> values) {
    Read<std::string>(key, "a text", [&](const std::string& text) {
      std::string names;
      for (const auto& [name, value] : values) {
        if (text == name) {
          out = value;
          return;
        }
        names += (names.empty() ? "\"" : ", \"") + std::string(name) + "\"";
      }
      Complain(key, "must be one of " + names + "; got \"" + text + "\"");
    });
  }
  template <typename T>
  void Parsed(std::string_view key, T& out, const std::function<Result<T>(std::string_view)>& parse) {
    Read<std::string>(key, "a text", [&](const std::string& text) {
      Result<T> value = parse(text);
      if (value) {
        out = std::move(*value);
      } else {
        Complain(key, value.error().message);
      }
    });
  }
  const toml::node* Node(std::string_view key) {
    known_.insert(std::string(key));
    return table_ == nullptr ? nullptr : table_->get(key);
  }
  const toml::table* Table() const { return table_; }
  void Complain(std::string_view key, const std::string& what) {
    if (error_) return;
    const toml::node* node = table_ == nullptr ? nullptr : table_->get(key);
    const std::string line = node == nullptr ? "" : ":" + std::to_string(node->source().begin.line);
    error_ = Error{ErrorCode::kInvalid, source_.path + line + ": " + Dotted(key) + " " + what, Dotted(key)};
  }
  Result<void> Finish() {
    if (!error_ && table_ != nullptr) {
      for (const auto& [key, node] : *table_) {
        if (!known_.contains(std::string(key.str()))) Complain(key.str(), "is not known here");
      }
    }
    if (error_) return Fail(*error_);
    for (const std::string& key : known_) {
      if (source_.left_out != nullptr && (table_ == nullptr || !table_->contains(key))) {
        source_.left_out->push_back(Dotted(key));
      }
    }
    return {};
  }

 private:
  std::string Dotted(std::string_view key) const {
    return name_.empty() ? std::string(key) : name_ + "." + std::string(key);
  }
  template <typename T, typename Use>
  void Read(std::string_view key, const char* expected, Use use) {
    const toml::node* node = Node(key);
    if (node == nullptr) return;
    if (const auto value = node->value_exact<T>()) {
      use(*value);
      return;
    }
    if constexpr (std::is_same_v<T, double>) {
      if (const auto whole = node->value_exact<std::int64_t>()) {
        use(static_cast<double>(*whole));
        return;
      }
    }
    Complain(key, std::string("must be ") + expected);
  }

  const Source source_;
  const std::string name_;
  const toml::table* table_;
  std::set<std::string> known_;
  std::optional<Error> error_;
};

json::Value ToJson(const toml::node& node) {
  if (const auto* text = node.as_string()) return json::Value(std::string(text->get()));
  if (const auto* whole = node.as_integer()) return json::Value(whole->get());
  if (const auto* number = node.as_floating_point()) return json::Value(number->get());
  if (const auto* flag = node.as_boolean()) return json::Value(flag->get());
  if (const auto* list = node.as_array()) {
    json::Array out;
    for (const toml::node& each : *list) out.push_back(ToJson(each));
    return out;
  }
  if (const auto* table = node.as_table()) {
    json::Object out;
    for (const auto& [key, value] : *table) out[key.str()] = ToJson(value);
    return out;
  }
  return nullptr;
}

Result<AgentSpec> ToAgent(const std::string& where, const toml::table& table) {
  json::Value options = ToJson(table);
  AgentSpec spec;
  spec.options = std::move(options.get_object());
  const json::Value* kind = json::Find(spec.options, "kind");
  if (kind == nullptr || !kind->is_string()) {
    return Fail(ErrorCode::kInvalid,
                where + ": an agent needs kind = …: one of " + DescribedAgents().Names(Namer::kOwner), "kind");
  }
  spec.kind = std::string(json::View(kind->get_string()));
  spec.options.erase("kind");
  return spec;
}

// A key whose value is a list of strings, or one string.
void TextsOf(Section& section, std::string_view key, std::vector<std::string>& out) {
  const toml::node* node = section.Node(key);
  if (node == nullptr) return;
  const toml::array* list = node->as_array();
  std::size_t wrong = 0;
  const auto add = [&](const toml::node& each) {
    const auto text = each.value_exact<std::string>();
    wrong += text ? 0 : 1;
    if (text) out.push_back(*text);
  };
  if (list == nullptr) {
    add(*node);
  } else {
    for (const toml::node& each : *list) add(each);
  }
  if (wrong > 0) section.Complain(key, "must be a string or a list of strings");
}

// The keys of [limits] that apply to one address, one connection or one table; [limits.loopback] has the same keys.
void ReadPeerLimits(Section& section, PeerLimits& limits) {
  constexpr std::int64_t kMany = std::int64_t{1} << 50;
  for (const auto& [key, value] :
       {std::pair("max_connections_per_address", &limits.max_connections_per_address),
        std::pair("max_tables_per_address", &limits.max_tables_per_address),
        std::pair("max_matches_per_address", &limits.max_matches_per_address),
        std::pair("max_watched_per_address", &limits.max_watched_per_address),
        std::pair("max_unfinished_bytes_per_address", &limits.max_unfinished_bytes_per_address),
        std::pair("max_webhook_bytes_per_address", &limits.max_webhook_bytes_per_address),
        std::pair("max_table_bytes_per_address", &limits.max_table_bytes_per_address),
        std::pair("max_unread_bytes_per_address", &limits.max_unread_bytes_per_address),
        std::pair("max_waiting_bytes_per_address", &limits.max_waiting_bytes_per_address),
        std::pair("max_watched", &limits.max_watched), std::pair("max_waiting_items", &limits.max_waiting_items),
        std::pair("max_waiting_bytes", &limits.max_waiting_bytes),
        std::pair("max_message_values", &limits.max_message_values), std::pair("max_actions", &limits.max_actions),
        std::pair("max_schema_bytes", &limits.max_schema_bytes),
        std::pair("max_journal_bytes", &limits.max_journal_bytes)}) {
    section.Count(key, *value, 0, kMany);
  }
  struct Rate {
    const char* per_second;
    const char* burst;
    RateLimit& limit;
  };
  for (const Rate& rate :
       {Rate{"messages_per_second", "messages_burst", limits.messages},
        Rate{"bytes_per_second", "bytes_burst", limits.bytes},
        Rate{"messages_per_second_per_address", "messages_burst_per_address", limits.messages_of_address},
        Rate{"bytes_per_second_per_address", "bytes_burst_per_address", limits.bytes_of_address},
        Rate{"match_bytes_per_second_per_address", "match_bytes_burst_per_address", limits.match_bytes},
        Rate{"journal_bytes_per_second", "journal_bytes_burst", limits.journal_bytes}}) {
    section.Count(rate.per_second, rate.limit.per_second, 0, kMany);
    section.Count(rate.burst, rate.limit.burst, 1, kMany);
  }
  section.Seconds("message_timeout", limits.message_timeout);
}

// The settings of [limits] that apply to one API key.
void ReadKeyLimits(Section& section, KeyLimits& limits) {
  constexpr std::int64_t kMany = std::int64_t{1} << 50;
  section.Count("max_tables_per_key", limits.max_tables_per_key, 0, kMany);
  section.Count("max_matches_per_key", limits.max_matches_per_key, 0, kMany);
  section.Count("max_watched_per_key", limits.max_watched_per_key, 0, kMany);
  section.Count("max_unfinished_bytes_per_key", limits.max_unfinished_bytes_per_key, 0, kMany);
  section.Count("max_webhook_bytes_per_key", limits.max_webhook_bytes_per_key, 0, kMany);
  section.Count("max_table_bytes_per_key", limits.max_table_bytes_per_key, 0, kMany);
  section.Count("max_waiting_bytes_per_key", limits.max_waiting_bytes_per_key, 0, kMany);
  section.Count("messages_per_second_per_key", limits.messages.per_second, 0, kMany);
  section.Count("messages_burst_per_key", limits.messages.burst, 1, kMany);
  section.Count("bytes_per_second_per_key", limits.bytes.per_second, 0, kMany);
  section.Count("bytes_burst_per_key", limits.bytes.burst, 1, kMany);
  section.Count("match_bytes_per_second_per_key", limits.match_bytes.per_second, 0, kMany);
  section.Count("match_bytes_burst_per_key", limits.match_bytes.burst, 1, kMany);
}

// A secret, or the environment variable that holds it.
void SecretOf(Section& section, std::string& secret) {
  section.Text("client_secret", secret);
  std::string name;
  section.Text("client_secret_env", name);
  if (name.empty()) return;
  const std::optional<std::string> found = FromEnvironment(name);
  if (!found) section.Complain("client_secret_env", "names the variable " + name + ", which is not set");
  secret = found.value_or("");
}

// [mcp]: whose access tokens are accepted at /mcp.
Result<void> ReadMcp(const Source& source, const toml::table* table, Config& config) {
  if (table == nullptr) return {};
  Section mcp(source, "mcp", table);
  oauth::VerifierOptions options;
  mcp.Text("resource", options.rules.resource);
  TextsOf(mcp, "authorization_servers", options.rules.issuers);
  TextsOf(mcp, "scopes", options.rules.scopes);
  mcp.Text("jwks_url", options.jwks_url);
  mcp.Text("introspection_url", options.introspection_url);
  mcp.Text("client_id", options.client_id);
  SecretOf(mcp, options.client_secret);
  if (Result<void> done = mcp.Finish(); !done) return done;
  if (Result<void> checked = oauth::CheckOptions(options); !checked) {
    return Fail(ErrorCode::kInvalid, source.path + ": [mcp]: " + checked.error().message, checked.error().path);
  }
  config.mcp_authorization = std::move(options);
  return {};
}

Result<void> ReadSignIn(const Source& source, const toml::table* table, oauth::SignInOptions& options) {
  if (table == nullptr) return {};
  Section section(source, "sign_in", table);
  section.Text("issuer", options.issuer);
  section.Text("client_id", options.client_id);
  section.Text("public_url", options.public_url);
  section.Text("name", options.name);
  SecretOf(section, options.client_secret);
  if (Result<void> done = section.Finish(); !done) return done;
  if (Result<void> checked = oauth::CheckSignIn(options); !checked) {
    return Fail(ErrorCode::kInvalid, source.path + ": [sign_in]: " + checked.error().message, checked.error().path);
  }
  return {};
}

const toml::table* SubTable(const toml::table& root, std::string_view name) {
  const toml::node* node = root.get(name);
  return node == nullptr ? nullptr : node->as_table();
}

// What a profile leaves to the operator, and what differs from it.
void ReadNeuro(Section& section, neuro::NeuroOptions& options) {
  using Registration = neuro::NeuroOptions::Registration;
  using Reregister = neuro::NeuroOptions::Reregister;
  section.OneOf<Registration>("registration", options.registration,
                              {{"ignore", Registration::kIgnore}, {"replace", Registration::kReplace}});
  section.OneOf<Reregister>(
      "reregister", options.reregister,
      {{"never", Reregister::kNever}, {"when-silent", Reregister::kWhenSilent}, {"always", Reregister::kAlways}});
  section.Bool("startup_ack", options.startup_ack);
  std::string character;
  section.Text("character", character);
  if (!character.empty()) {
    if (const Result<void> set = neuro::SetCharacter(character, options); !set) {
      section.Complain("character", "names a character: " + set.error().message);
    }
  }
  section.Text("character_id", options.character_id);
  section.Text("display_name", options.display_name);
  section.Bool("shutdown_requests", options.shutdown_requests);
  section.Bool("speech_finished", options.speech_finished);
  section.Count("force_attempts", options.force_attempts, 0, 1000);
  section.SecondsOrNone("force_limit", options.force_limit);
  section.Seconds("result_timeout", options.result_timeout);
  section.Seconds("silent_after", options.silent_after);
  section.Seconds("keep", options.keep);
}

}  // namespace

Result<void> ReadConfigFile(const std::string& path, Config& config, std::vector<std::string>* left_out) {
  const Source source{.path = path, .left_out = left_out};
  const Result<toml::table> file = ReadTomlFile(path);
  if (!file) return Fail(file.error());
  const toml::table& root = *file;

  Section top(source, "", &root);
  for (const char* name : {"server", "access", "limits", "journal", "cluster", "log", "neuro", "voice", "match",
                           "narrative", "models", "agent_api", "mcp", "sign_in", "agent", "agents"}) {
    if (const toml::node* node = top.Node(name); node != nullptr && !node->is_table())
      top.Complain(name, "must be a section");
  }
  if (Result<void> done = top.Finish(); !done) return done;

  Section server(source, "server", SubTable(root, "server"));
  std::string certificate;
  std::string key;
  server.Text("certificate", certificate);
  server.Text("key", key);
  server.Bool("insecure", config.insecure);
  server.Bool("test_games", config.test_games);
  server.Bool("allow_fixtures", config.allow_fixtures);
  server.Text("games", config.games);
  if (server.Node("chimera_listen") != nullptr) {
    std::string text;
    server.Text("chimera_listen", text);
    config.chimera_asked = true;
    config.chimera_listen.reset();
    if (text != "none") {
      Result<net::ListenAddress> address = ParseListenAddress(text);
      if (address) {
        config.chimera_listen = std::move(*address);
      } else {
        server.Complain("chimera_listen", address.error().message);
      }
    }
  }
  server.Count("shards", config.shards, 0, kMaxShards);
  server.Count("search_threads", config.search_threads, 0, kMaxShards);
  server.Count("live_analysis", config.live_analysis, 0, kMaxLiveAnalysis);
  server.Text("data_dir", config.data_dir);
  if (const toml::node* listen = server.Node("listen")) {
    config.listen.clear();
    const auto add = [&](const toml::node& node) {
      const auto text = node.value_exact<std::string>();
      Result<net::ListenAddress> address =
          text ? ParseListenAddress(*text) : Fail(ErrorCode::kInvalid, "must be \"HOST:PORT\" or a list of them");
      if (address) {
        config.listen.push_back(std::move(*address));
      } else {
        server.Complain("listen", address.error().message);
      }
    };
    if (const toml::array* list = listen->as_array()) {
      for (const toml::node& node : *list) add(node);
    } else {
      add(*listen);
    }
  }
  if (const toml::node* hosts = server.Node("hosts")) {
    const toml::array* list = hosts->as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if (const auto name = (*list)[i].value_exact<std::string>()) config.access.hosts.push_back(net::HostOnly(*name));
    }
    if (list == nullptr || config.access.hosts.size() != list->size()) {
      server.Complain("hosts", "must be a list of names");
    }
  }
  std::vector<std::string> proxies;
  TextsOf(server, "proxies", proxies);
  if (Result<net::Proxies> parsed = net::Proxies::Parse(proxies)) {
    config.proxies = std::move(*parsed);
  } else {
    server.Complain("proxies", "is a list of proxies on other machines: " + parsed.error().message);
  }
  for (net::ListenAddress& address : config.listen) {
    if (!certificate.empty()) address.certificate_file = certificate;
    if (!key.empty()) address.key_file = key;
  }
  if (Result<void> done = server.Finish(); !done) return done;

  Section access(source, "access", SubTable(root, "access"));
  std::vector<std::string> origins;
  TextsOf(access, "origins", origins);
  for (const std::string& text : origins) {
    Result<std::string> origin = net::ParseOrigin(text);
    if (!origin) access.Complain("origins", "is a list of origins: " + origin.error().message);
    if (origin) config.access.origins.push_back(std::move(*origin));
  }
  int wrong_per_minute = 60;
  access.Count("wrong_per_minute", wrong_per_minute, 1, 1'000'000);
  access.Count("wrong_burst", config.access.wrong.burst, 1, 1'000'000);
  config.access.wrong.per_second = wrong_per_minute / 60.0;
  access.OneOf<Games>("games", config.access.games, {{"open", Games::kOpen}, {"token", Games::kToken}});
  if (Result<void> done = access.Finish(); !done) return done;

  Section limits(source, "limits", SubTable(root, "limits"));
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  constexpr std::int64_t kTiB = std::int64_t{1} << 40;
  limits.Count("max_memory", config.budget.max_memory, 0, 1024 * kTiB);
  limits.Count("max_connections", config.budget.max_connections, 0, 10'000'000);
  limits.Count("max_tables", config.budget.max_tables, 0, 100'000'000);
  limits.Count("max_matches", config.budget.max_matches, 0, 100'000'000);
  limits.Count("max_unfinished_bytes", config.budget.max_unfinished_bytes, 0, 1024 * kTiB);
  limits.Count("max_webhook_bytes", config.budget.max_webhook_bytes, 0, 1024 * kTiB);
  limits.Count("max_table_bytes", config.budget.max_table_bytes, 0, 1024 * kTiB);
  limits.Count("max_waiting_bytes_in_all", config.budget.max_waiting_bytes_in_all, 0, 1024 * kTiB);
  ReadPeerLimits(limits, config.budget.others);
  config.budget.keys = KeyLimits::For(config.budget.others);
  ReadKeyLimits(limits, config.budget.keys);
  limits.Count("max_message_bytes", config.limits.max_message_bytes, 1024, kGiB);
  limits.Count("max_body_bytes", config.limits.max_body_bytes, 1024, kGiB);
  limits.Count("max_header_bytes", config.limits.max_header_bytes, 1024, 1 << 20);
  limits.Count("max_outbox_bytes", config.limits.max_outbox_bytes, 4096, kGiB);
  limits.Seconds("header_timeout", config.limits.header_timeout);
  limits.Seconds("body_timeout", config.limits.body_timeout);
  limits.Seconds("keep_alive_timeout", config.limits.keep_alive_timeout);
  limits.Seconds("ping_interval", config.limits.ping_interval);
  limits.Seconds("pong_timeout", config.limits.pong_timeout);
  if (const toml::node* own = limits.Node("loopback"); own != nullptr && !own->is_table()) {
    limits.Complain("loopback", "must be a section");
  } else if (own != nullptr) {
    Section loopback(source, "limits.loopback", own->as_table());
    ReadPeerLimits(loopback, config.budget.loopback);
    if (Result<void> done = loopback.Finish(); !done) return done;
  }
  if (Result<void> done = limits.Finish(); !done) return done;

  Section journal(source, "journal", SubTable(root, "journal"));
  constexpr std::int64_t kPiB = std::int64_t{1} << 50;
  journal.Seconds("keep", config.keep_recordings);
  journal.Count("max_bytes", config.journal_max_bytes, 0, kPiB);
  journal.Count("reserve_bytes", config.journal_reserve_bytes, 0, kPiB);
  if (Result<void> done = journal.Finish(); !done) return done;

  Section cluster(source, "cluster", SubTable(root, "cluster"));
  cluster.Parsed<std::string>("servers", config.cluster.servers, ParseNatsServers);
  cluster.Parsed<std::string>("name", config.cluster.name, ParseClusterWord);
  cluster.Parsed<std::string>("node", config.cluster.node, ParseClusterWord);
  cluster.Text("advertise", config.cluster.advertise);
  cluster.Text("credentials", config.cluster.credentials);
  cluster.Text("ca", config.cluster.ca);
  cluster.Text("certificate", config.cluster.certificate);
  cluster.Text("key", config.cluster.key);
  if (Result<void> done = cluster.Finish(); !done) return done;

  Section logging(source, "log", SubTable(root, "log"));
  logging.Parsed<log::Level>("level", config.log_level, log::ParseLevel);
  if (Result<void> done = logging.Finish(); !done) return done;

  Section section(source, "neuro", SubTable(root, "neuro"));
  using neuro::Profile;
  section.OneOf<Profile>(
      "profile", config.neuro.start,
      {{"document", Profile::kDocument}, {"production", Profile::kProduction}, {"chaos", Profile::kChaos}});
  if (section.Node("profile_seed") != nullptr) {
    section.Count("profile_seed", config.neuro.seed.emplace(), 0, static_cast<std::int64_t>(neuro::kMaxProfileSeed));
  }
  for (neuro::NeuroOptions& options : config.neuro.all) ReadNeuro(section, options);
  if (Result<void> done = section.Finish(); !done) return done;

  Section voice(source, "voice", SubTable(root, "voice"));
  voice.Parsed<voice::VoiceOptions>("mode", config.voice, voice::ParseVoice);
  voice.Bool("record", config.record_voice);
  voice.Count("max_programs", config.max_voice_programs, 0, 10'000);
  voice.Count("max_recorded_bytes", config.max_recorded_voice, 0, kPiB);
  if (Result<void> done = voice.Finish(); !done) return done;

  Section agent_api(source, "agent_api", SubTable(root, "agent_api"));
  agent_api.Bool("allow_http_webhooks", config.webhooks.allow_http);
  agent_api.Bool("allow_private_webhooks", config.webhooks.allow_private);
  agent_api.Count("rate", config.agent_rate.per_second, 0, kMaxRate);
  agent_api.Count("burst", config.agent_rate.burst, 1, kMaxRate);
  if (Result<void> done = agent_api.Finish(); !done) return done;

  if (Result<void> read = ReadMcp(source, SubTable(root, "mcp"), config); !read) return read;
  if (Result<void> read = ReadSignIn(source, SubTable(root, "sign_in"), config.sign_in); !read) return read;

  Section match(source, "match", SubTable(root, "match"));
  match.Seconds("grace", config.match.grace);
  match.Seconds("grace_alone", config.match.grace_alone);
  match.Seconds("idle", config.match.idle);
  match.Seconds("linger", config.match_linger);
  match.SecondsOrNone("turn_limit", config.match.turn_limit);
  match.Count("max_waiting_joins", config.match.max_waiting_joins, 1, 1'000'000);
  match.Count("max_waiting_actions", config.match.max_waiting_actions, 1, 1'000'000);
  match.Count("max_waiting_bytes", config.match.max_waiting_bytes, 1024, kGiB);
  if (const toml::node* start = match.Node("start")) {
    const toml::array* list = start->as_array();
    if (list == nullptr) match.Complain("start", "must be a list of matches, as in [\"tictactoe:open,random\"]");
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const auto text = (*list)[i].value_exact<std::string>();
      Result<MatchRequest> request =
          text ? ParseMatchRequest(*text) : Fail(ErrorCode::kInvalid, "must be a list of strings");
      if (request) {
        config.matches.push_back(std::move(*request));
      } else {
        match.Complain("start", request.error().message);
      }
    }
  }
  if (Result<void> done = match.Finish(); !done) return done;

  Section narrative(source, "narrative", SubTable(root, "narrative"));
  narrative.Parsed<AgentSpec>("narrator", config.narrative.narrator,
                              [](std::string_view text) { return DescribedAgents().Parse(text); });
  narrative.Count("max_running", config.narrative.max_running, 1, 100'000);
  double per_minute = config.narrative.rate.per_second * 60;
  narrative.Count("turns_per_minute", per_minute, 1, 1'000'000);
  config.narrative.rate.per_second = per_minute / 60;
  narrative.Count("burst", config.narrative.rate.burst, 1, 1'000'000);
  if (Result<void> done = narrative.Finish(); !done) return done;

  if (const toml::table* models = SubTable(root, "models")) {
    for (const auto& [name, node] : *models) {
      const std::string where = path + ": [models." + std::string(name.str()) + "]";
      const toml::table* table = node.as_table();
      if (table == nullptr) return Fail(ErrorCode::kInvalid, where + " must be a section with model = …", where);
      Result<llm::Model> model = llm::ParseModel(std::string(name.str()), ToJson(*table).get_object(), FromEnvironment);
      if (!model) return Fail(model.error().code, where + ": " + model.error().message, model.error().path);
      AddModel(std::move(*model), config.models);
    }
  }

  if (const toml::table* agent = SubTable(root, "agent")) {
    Result<AgentSpec> spec = ToAgent(path + ": [agent]", *agent);
    if (!spec) return Fail(spec.error());
    config.agent = std::move(*spec);
  }
  if (const toml::table* agents = SubTable(root, "agents")) {
    for (const auto& [game, node] : *agents) {
      const std::string where = path + ": [agents.\"" + std::string(game.str()) + "\"]";
      const toml::table* table = node.as_table();
      if (table == nullptr) return Fail(ErrorCode::kInvalid, where + " must be a section with kind = …", where);
      Result<AgentSpec> spec = ToAgent(where, *table);
      if (!spec) return Fail(spec.error());
      config.agents[std::string(game.str())] = std::move(*spec);
    }
  }
  return {};
}

}  // namespace openseat::app
