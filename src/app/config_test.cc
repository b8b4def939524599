#include "app/config.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/server_flags.h"

namespace openseat::app {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class ConfigTest : public ::testing::Test {
 protected:
  // `left_out`: the known keys that the text does not set.
  Result<Config> Read(const std::string& text, std::vector<std::string>* left_out = nullptr) {
    const std::string path = ::testing::TempDir() + "openseat-config-test-" + std::to_string(::getpid()) + ".toml";
    std::ofstream(path) << text;
    Config config;
    Result<void> read = ReadConfigFile(path, config, left_out);
    std::filesystem::remove(path);
    if (!read) return Fail(read.error());
    return config;
  }
  std::string Complaint(const std::string& text) { return Read(text).error().message; }
};

TEST(AddModelFlags, TakesEachNameOnce) {
  std::vector<llm::Model> models;
  const std::string local = "@http://127.0.0.1:9/v1";
  ASSERT_TRUE(AddModelFlags({"a=openai:x" + local, "b=openai:y" + local}, models));
  ASSERT_TRUE(AddModelFlags({"a=openai:z" + local}, models)) << "in place of the config file's";
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models.back().model, "z");
  const auto twice = AddModelFlags({"c=openai:x" + local, "c=openai:y" + local}, models);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "--model names \"c\" twice");
}

// Without it, what was encrypted would not be as soon as somebody names another port.
TEST_F(ConfigTest, TheFilesCertificateIsThatOfTheFlagsAddresses) {
  const std::string path = ::testing::TempDir() + "openseat-flags-test-" + std::to_string(::getpid()) + ".toml";
  std::ofstream(path) << "[server]\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n";
  ServerFlags flags;
  flags.config_file = path;
  flags.listen = {"127.0.0.1:1", "127.0.0.1:2"};
  Config config;
  ASSERT_TRUE(UseServerFlags(flags, config));
  ASSERT_EQ(config.listen.size(), 2u);
  for (const net::ListenAddress& address : config.listen) {
    EXPECT_EQ(address.certificate_file, "cert.pem");
    EXPECT_EQ(address.key_file, "key.pem");
  }
  EXPECT_EQ(config.listen.back().port, 2);
  flags.certificate = "other.pem";
  Config overridden;
  ASSERT_TRUE(UseServerFlags(flags, overridden));
  EXPECT_EQ(overridden.listen.front().certificate_file, "other.pem");
  EXPECT_EQ(overridden.listen.front().key_file, "key.pem");
  std::filesystem::remove(path);
}

TEST_F(ConfigTest, RefusesWhatNestsTooDeeply) {
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  const std::string deep = repeated("a.", 50'000) + "a";
  for (const std::string& text :
       {"\n" + deep + " = 1", "\n[" + deep + "]", "\n" + repeated("\"a.b\" . ", 50'000) + "c = 1",
        "\nx = {\"y\" = '\"', " + deep + " = 1}", "\nx = {y = \"\"\"y\"\"\"\"\", " + deep + " = 1}",
        "\nx = {y = \"\\\"\", " + deep + " = 1}", "# \"\"\"\n" + deep + " = 1"}) {
    EXPECT_THAT(Complaint(text), HasSubstr(".toml:2: a key has at most 32 parts")) << text.substr(0, 40);
  }
  EXPECT_THAT(Complaint("x = " + repeated("[", 50'000)), HasSubstr(".toml:1: brackets nest at most 32 deep"));
  EXPECT_THAT(Complaint("x = " + repeated("{y = ", 50'000)), HasSubstr(".toml:1: brackets nest at most 32 deep"));
  // What looks like it, and is not.
  const std::string dots = repeated(".", 100);
  EXPECT_THAT(Complaint("x = [" + repeated("1.5, ", 100) + "1.5]"), HasSubstr("x is not known here"));
  EXPECT_THAT(Complaint("x = \"" + dots + "\" # " + dots), HasSubstr("x is not known here"));
  EXPECT_THAT(Complaint("x = \"\"\"\n" + dots + "\"\n[[[" + dots + "\"\"\"\n'" + dots + "' = 1"),
              HasSubstr("is not known here"));
  EXPECT_THAT(Complaint(repeated("[[y.z]]\n", 100)), HasSubstr("y is not known here"));
}

TEST_F(ConfigTest, ReadsOnlySmallFiles) {
  Config config;
  EXPECT_THAT(ReadConfigFile("/dev/zero", config).error().message, HasSubstr("it is not a regular file"));
  EXPECT_THAT(Complaint("x = \"" + std::string(1u << 20, 'x') + "\""), HasSubstr("has more than 1048576 bytes"));
}

TEST_F(ConfigTest, ReadsEverySection) {
  const Result<Config> config = Read(R"(
    [server]
    listen = ["127.0.0.1:9000", "[::1]:9001"]
    shards = 2
    hosts = ["Play.example"]
    [access]
    origins = ["http://localhost:5173/"]
    [limits]
    max_message_bytes = 65536
    keep_alive_timeout = 2.5
    [journal]
    keep = 3600
    max_bytes = 1000000000
    [voice]
    record = true
    max_programs = 9
    max_recorded_bytes = 2000000000
    [log]
    level = "debug"
    [neuro]
    registration = "replace"
    result_timeout = 5
    [agent_api]
    rate = 0
    burst = 7
    [match]
    start = ["tictactoe:open,random", "rps:neuro:ws://127.0.0.1:9000,open"]
    [agent]
    kind = "random"
    seed = 3
    [agents."Buckshot Roulette"]
    kind = "script"
    file = "moves.json"
  )");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  ASSERT_EQ(config->listen.size(), 2u);
  EXPECT_EQ(config->journal_max_bytes, 1'000'000'000u);
  EXPECT_TRUE(config->record_voice);
  EXPECT_EQ(config->max_voice_programs, 9u);
  EXPECT_EQ(config->max_recorded_voice, 2'000'000'000u);
  EXPECT_EQ(config->listen[1].host, "::1");
  EXPECT_EQ(config->access.hosts, std::vector<std::string>{"play.example"});
  EXPECT_EQ(config->access.origins, std::vector<std::string>{"http://localhost:5173"});
  EXPECT_EQ(config->limits.max_message_bytes, 65536u);
  EXPECT_EQ(config->limits.keep_alive_timeout, std::chrono::milliseconds(2500));
  EXPECT_EQ(config->log_level, log::Level::kDebug);
  EXPECT_EQ(config->neuro.at_start().registration, neuro::NeuroOptions::Registration::kReplace);
  EXPECT_EQ(config->neuro.at_start().result_timeout, std::chrono::seconds(5));
  EXPECT_EQ(config->agent_rate.per_second, 0);
  EXPECT_EQ(config->agent_rate.burst, 7);
  ASSERT_EQ(config->matches.size(), 2u);
  EXPECT_EQ(config->matches[1].game, "rps");
  EXPECT_EQ(config->agent.options.at("seed"), json::Value(3));
  EXPECT_EQ(config->agents.at("Buckshot Roulette").kind, "script");
}

// The block of TOML in docs/configuration.md.
std::string DocumentedFile() {
  std::ifstream page("docs/configuration.md");
  const std::string text(std::istreambuf_iterator<char>(page), {});
  const std::string_view kBegin = "```toml\n";
  const std::size_t begin = text.find(kBegin);
  if (begin == std::string::npos) return "";
  const std::size_t end = text.find("```", begin + kBegin.size());
  return text.substr(begin + kBegin.size(), end - begin - kBegin.size());
}

// The example in docs/configuration.md, which people copy.
TEST_F(ConfigTest, ReadsTheDocumentationsExample) {
  std::vector<std::string> left_out;
  ASSERT_EQ(::setenv("MY_KEY", "secret", 1), 0);
  const Result<Config> config = Read(DocumentedFile(), &left_out);
  ::unsetenv("MY_KEY");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->agent_rate.per_second, 100);
  EXPECT_EQ(config->budget, BudgetLimits()) << "the page shows the defaults";
  EXPECT_THAT(left_out, UnorderedElementsAre("mcp.client_secret_env", "sign_in.client_secret_env"))
      << "the page has every key that the program knows, but those that stand for client_secret";
}

TEST_F(ConfigTest, TellsWhichKeysAFileLeavesOut) {
  std::vector<std::string> left_out;
  ASSERT_TRUE(Read("[limits]\nmax_tables = 3\n[log]\nlevel = \"info\"", &left_out).has_value());
  EXPECT_THAT(left_out, Contains("limits.max_matches"));
  EXPECT_THAT(left_out, Contains("limits.max_tables_per_key"));
  EXPECT_THAT(left_out, Contains("server.listen"));
  EXPECT_THAT(left_out, Not(Contains("limits.max_tables")));
  EXPECT_THAT(left_out, Not(Contains("log.level")));
}

// Its table of limits has a row for every limit that is a setting, and no other rows.
TEST_F(ConfigTest, TheDocumentationHasEveryLimit) {
  std::ifstream page("docs/configuration.md");
  const std::string text(std::istreambuf_iterator<char>(page), {});
  std::set<std::string> settings{"server.search_threads"};  // it refuses nothing: what is more waits
  for (const LimitInfo& limit : kLimits) {
    if (!limit.fixed) settings.emplace(limit.setting);
  }
  std::set<std::string> rows;
  std::istringstream table(text.substr(text.find("\n| setting of `[limits]`") + 1));
  for (std::string line; std::getline(table, line) && line.starts_with('|');) {
    if (line.starts_with("| `")) rows.insert(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_EQ(rows, settings);
}

TEST_F(ConfigTest, ThisMachineHasLimitsOfItsOwn) {
  const Result<Config> config = Read(R"(
    [limits]
    max_memory = 1000000
    max_tables_per_address = 3
    messages_per_second = 5
    messages_burst = 6
    [limits.loopback]
    max_tables_per_address = 4
    message_timeout = 1.5
  )");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->budget.max_memory, 1'000'000u);
  EXPECT_EQ(config->budget.others.max_tables_per_address, 3u);
  EXPECT_EQ(config->budget.others.messages, (RateLimit{.per_second = 5, .burst = 6}));
  EXPECT_EQ(config->budget.loopback.max_tables_per_address, 4u);
  EXPECT_EQ(config->budget.loopback.message_timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(config->budget.loopback.messages, PeerLimits::Loopback().messages);
  EXPECT_THAT(Complaint("[limits.loopback]\nmax_memory = 1"), HasSubstr("limits.loopback.max_memory is not known"));
  EXPECT_THAT(Complaint("[limits]\nloopback = 1"), HasSubstr("must be a section"));
}

TEST_F(ConfigTest, AKeyMayHaveFourTimesAsMuchAsAnAddressUnlessTheFileSaysMore) {
  const Result<Config> config = Read(R"(
    [limits]
    max_matches_per_address = 2000
    messages_per_second_per_address = 0
    max_tables_per_key = 7
    bytes_per_second_per_key = 1000
    bytes_burst_per_key = 2000
  )");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->budget.keys.max_matches_per_key, 8000u);
  EXPECT_EQ(config->budget.keys.messages.per_second, 0);
  EXPECT_EQ(config->budget.keys.max_tables_per_key, 7u);
  EXPECT_EQ(config->budget.keys.bytes, (RateLimit{.per_second = 1000, .burst = 2000}));
  EXPECT_EQ(config->budget.keys.max_watched_per_key, BudgetLimits().keys.max_watched_per_key);
  EXPECT_THAT(Complaint("[limits.loopback]\nmax_tables_per_key = 1"), HasSubstr("is not known"));
}

TEST_F(ConfigTest, ASettingOfNeuroHoldsUnderEveryProfile) {
  const auto config = Read("[neuro]\nprofile = \"chaos\"\nprofile_seed = 7\ncharacter = \"evil\"\nforce_attempts = 9");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->neuro.start, neuro::Profile::kChaos);
  EXPECT_EQ(config->neuro.seed, 7u);
  for (const neuro::NeuroOptions& options : config->neuro.all) {
    EXPECT_EQ(options.force_attempts, 9);
    EXPECT_EQ(options.display_name, "Evil Neuro");
  }
  EXPECT_EQ(config->neuro.Of(neuro::Profile::kProduction).registration, neuro::NeuroOptions::Registration::kReplace);
  EXPECT_THAT(Complaint("[neuro]\nprofile = \"wild\""),
              HasSubstr("must be one of \"document\", \"production\", \"chaos\""));
  EXPECT_THAT(Complaint("[neuro]\ncharacter = \"vedal\""), HasSubstr("must be neuro, evil or openseat; got \"vedal\""));
}

TEST_F(ConfigTest, SaysWhichLineIsWrongAndWhatWasExpected) {
  EXPECT_THAT(Complaint("[server]\nshards = \"two\""), HasSubstr(":2: server.shards must be a whole number"));
  EXPECT_THAT(Complaint("[server]\nlive_analysis = 20001"), HasSubstr("from 0 to 20000; got 20001"));
  EXPECT_THAT(Complaint("[server]\nshards = 1000"), HasSubstr("from 0 to 256; got 1000"));
  EXPECT_THAT(Complaint("[neuro]\nspeed = 1"), HasSubstr("neuro.speed is not known here"));
  EXPECT_THAT(Complaint("[nuero]\nspeed = 1"), HasSubstr("nuero is not known here"));
  EXPECT_THAT(Complaint("neuro = 3"), HasSubstr("must be a section"));
  EXPECT_THAT(Complaint("[neuro]\nregistration = \"keep\""),
              HasSubstr("must be one of \"ignore\", \"replace\"; got \"keep\""));
  EXPECT_THAT(Complaint("[server]\nlisten = \"nowhere\""), HasSubstr("HOST:PORT"));
  EXPECT_THAT(Complaint("[agents.X]\nseed = 1"), HasSubstr("needs kind"));
  EXPECT_THAT(Complaint("[server"), HasSubstr(".toml:1"));
}

// "kind{options}" by seat.
std::string Seats(std::string_view text) {
  const Result<MatchRequest> request = ParseMatchRequest(text);
  if (!request) return request.error().message;
  std::string out = request->game;
  for (const PlannedSeat& seat : request->seats) {
    out += " " + (seat.agent.kind.empty() ? "open" : seat.agent.kind + json::Write(seat.agent.options));
  }
  return out;
}

TEST(MatchRequest, IsAGameAndItsSeats) {
  EXPECT_EQ(Seats("tictactoe"), "tictactoe");
  EXPECT_EQ(Seats("tictactoe:open,random"), "tictactoe open random{}");
  EXPECT_EQ(Seats("tictactoe:random:seed=1,invalid=0.5,open"), R"(tictactoe random{"seed":1,"invalid":0.5} open)");
  EXPECT_EQ(Seats("connectm:script:a=b.json,open"), R"(connectm script{"file":"a=b.json"} open)");
  EXPECT_EQ(Seats("rps:neuro:ws://[::1]:8000/?key=1,random:seed=2"),
            R"(rps neuro{"url":"ws://[::1]:8000/?key=1"} random{"seed":2})");
  EXPECT_EQ(Seats("rps:neuro:url=ws://h:1/,game=My Game,patience_ms=7,neuro:wss://h"),
            R"(rps neuro{"url":"ws://h:1/","game":"My Game","patience_ms":7} neuro{"url":"wss://h"})");
  EXPECT_THAT(Seats(":open"), HasSubstr("GAME:SEAT,SEAT"));
  EXPECT_THAT(Seats("rps:random:seed"), HasSubstr("name=value"));
}

TEST(ListenAddress, IsReadInEveryForm) {
  const auto read = [](std::string_view text) {
    const auto address = ParseListenAddress(text);
    return address ? address->host + " " + std::to_string(address->port) : "error";
  };
  EXPECT_EQ(read("127.0.0.1:8000"), "127.0.0.1 8000");
  EXPECT_EQ(read("8000"), "127.0.0.1 8000");
  EXPECT_EQ(read(":8000"), "0.0.0.0 8000");
  EXPECT_EQ(read("[::1]:0"), "::1 0");
  for (const char* bad : {"", "host", "host:", "host:99999", "host:-1", "::1:80", "[]:80", "host:8x"})
    EXPECT_EQ(read(bad), "error") << bad;
}

TEST(CheckConfig, AsksForTlsBeyondLoopback) {
  Config config;
  EXPECT_TRUE(CheckConfig(config).has_value());
  config.listen.front().host = "0.0.0.0";
  EXPECT_THAT(CheckConfig(config).error().message, HasSubstr("--insecure"));
  config.insecure = true;
  EXPECT_TRUE(CheckConfig(config).has_value());
  config.listen.front().certificate_file = "cert.pem";
  EXPECT_THAT(CheckConfig(config).error().message, HasSubstr("both"));

  Config named;
  named.listen.front().host = "127.evil.example";
  EXPECT_THAT(CheckConfig(named).error().message, HasSubstr("--insecure")) << "a name, and no address of this machine";
  named.listen.front().host = "127.0.0.2";
  EXPECT_TRUE(CheckConfig(named).has_value());
}

TEST(CheckConfig, ANodeSaysWhereTheOthersReachIt) {
  Config config;
  config.insecure = true;
  config.cluster.servers = "nats://a:4222";
  EXPECT_TRUE(CheckConfig(config).has_value());
  for (const char* any : {"0.0.0.0", "::"}) {
    config.listen.front().host = any;
    EXPECT_THAT(CheckConfig(config).error().message, HasSubstr("--advertise HOST:PORT says where"));
  }
  config.cluster.advertise = "10.0.0.1:8000";
  EXPECT_TRUE(CheckConfig(config).has_value());
}

TEST_F(ConfigTest, ReadsWhoseAccessTokensAreTaken) {
  EXPECT_FALSE(Read("")->mcp_authorization);
  const Result<Config> config = Read(R"(
    [mcp]
    resource = "https://play.example/mcp"
    authorization_servers = ["https://auth.example", "https://other.example"]
    scopes = "play"
  )");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  ASSERT_TRUE(config->mcp_authorization);
  EXPECT_EQ(config->mcp_authorization->rules.resource, "https://play.example/mcp");
  EXPECT_EQ(config->mcp_authorization->rules.issuers.size(), 2u);
  EXPECT_EQ(config->mcp_authorization->rules.scopes, std::vector<std::string>{"play"});
  EXPECT_THAT(Complaint("[mcp]\nresource = \"https://play.example/mcp\""), HasSubstr("authorization_servers"));
  EXPECT_THAT(Complaint("[mcp]\nauthorization_servers = [7]"), HasSubstr("list of strings"));
  EXPECT_THAT(Complaint("[mcp]\nresources = \"x\""), HasSubstr("mcp.resources"));
  EXPECT_THAT(Complaint("[mcp]\nclient_secret_env = \"OPENSEAT_NO_SUCH_VARIABLE\""), HasSubstr("is not set"));
}

TEST_F(ConfigTest, AnAgeIsANumberAndAUnit) {
  EXPECT_EQ(ParseAge("1w"), Duration(std::chrono::hours(168)));
  EXPECT_EQ(ParseAge("30d"), Duration(std::chrono::hours(720)));
  EXPECT_EQ(ParseAge("12h"), Duration(std::chrono::hours(12)));
  EXPECT_EQ(ParseAge("90m"), Duration(std::chrono::minutes(90)));
  EXPECT_EQ(ParseAge("0s"), Duration(0));
  for (const char* text : {"", "d", "30", "30 d", "-1d", "1y", "1.5d", "100001d", "99999999999999999999d", "1dd"}) {
    EXPECT_EQ(ParseAge(text).error().code, ErrorCode::kInvalid) << text;
  }
}

TEST_F(ConfigTest, AClusterHasNoLimitUnlessTheFileNamesOne) {
  const std::string cluster = "[cluster]\nservers = \"nats://a:4222\"\n";
  EXPECT_EQ(JournalMaxBytes(Read("").value()), std::uint64_t{16} << 30);
  EXPECT_EQ(JournalMaxBytes(Read("[journal]\nmax_bytes = 0").value()), 0u);
  EXPECT_EQ(JournalMaxBytes(Read(cluster).value()), std::uint64_t{16} << 30);
  EXPECT_EQ(JournalMaxBytes(Read(cluster + "[journal]\nmax_bytes = 1000").value()), 1000u);
}

TEST(Connections, LeaveSomeOfTheFilesThatMayBeOpen) {
  EXPECT_EQ(ConnectionsWithin(1'000'000, 65'536), 65'536u);
  EXPECT_EQ(ConnectionsWithin(20'000, 65'536), 18'750u);
  EXPECT_EQ(ConnectionsWithin(20'000, 100), 100u);
  EXPECT_EQ(ConnectionsWithin(20'000, 0), 18'750u) << "no limit but this one";
  EXPECT_EQ(ConnectionsWithin(1'024, 65'536), 824u);
  EXPECT_EQ(ConnectionsWithin(64, 65'536), 32u);
  EXPECT_GT(ConnectionsWithin(0, 65'536), 0u);
}

TEST_F(ConfigTest, TheReserveIsAPartOfTheJournal) {
  Config config;
  config.journal_max_bytes = 1000;
  config.journal_reserve_bytes = 1000;
  EXPECT_THAT(CheckConfig(config).error().message, HasSubstr("must be less than max_bytes"));
  config.journal_max_bytes = 0;
  EXPECT_TRUE(CheckConfig(config));
}

}  // namespace
}  // namespace openseat::app
