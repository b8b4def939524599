#include "attack/attack.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "attack/attacks_by_requests.h"
#include "base/digest.h"
#include "net/percent.h"

namespace openseat::tests {

namespace {

constexpr const char* kStalls = "openseat_loop_stall_seconds";

}  // namespace

void Attack::StartUnwatched(const std::string& config, const std::vector<std::string>& more,
                            const std::string& log_file) {
  const std::string file = data_.path() + "/openseat.toml";
  WriteTextFile(file, config);
  std::vector<std::string> arguments{"--config", file, "--log-level", "warn"};
  if (std::ranges::find(more, "--shards") == more.end()) arguments.insert(arguments.end(), {"--shards", "2"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  if (!more.empty() && more.front() == "relay") {
    arguments = more;
    arguments.insert(arguments.begin() + 1, {"--config", file});
  }
  server_ = std::make_unique<RealServer>(data_.path(), arguments, log_file.empty() ? data_.path() + "/log" : log_file);
}

void Attack::StartAlone(const std::string& config, const std::vector<std::string>& more, const std::string& log_file) {
  watch_.reset();
  StartUnwatched(config, more, log_file);
  watch_.emplace(server_->pid());
}

void Attack::Start(const std::string& config, const std::vector<std::string>& more) {
  StartAlone(config, more);
  BeginNeighbor();
}

void Attack::BeginNeighbor() {
  neighbor_ = std::make_unique<Neighbor>(*server_);
}

std::string Attack::NewKey(const std::string& label) {
  Process create(OPENSEAT_BINARY, {"key", "create", "--data-dir", data_dir(), "--label", label}, {}, "/dev/null");
  std::string key;
  EXPECT_TRUE(create.ReadLine(key));
  EXPECT_EQ(create.Wait(), 0);
  return key;
}

void Attack::ExpectUnnoticed(std::size_t trips) {
  neighbor().WaitForTrips(trips);
  const Neighbor::Report report = neighbor().Stop();
  if (!kMeasured) return;
  // A trip passes through several threads, each of which must be scheduled.
  const std::chrono::nanoseconds machine = 8 * report.late.longest;
  EXPECT_LT(report.p99(), kUnnoticed + machine);
  EXPECT_LT(report.longest(), kLongest + machine);
}

std::size_t Attack::LongTurns() {
  const RealServer::Observed turns = server().Observations(kStalls, "0.05");
  return static_cast<std::size_t>(turns.all - turns.within);
}

void Attack::ExpectNoWorkOver(const char* bound) {
  if (!kMeasured) return;
  const RealServer::Observed worked = server().Observations(kStallsOfCpu, bound);
  EXPECT_EQ(worked.within, worked.all) << "turns in which a loop worked for " << bound << " s at most";
}

void Attack::ExpectNoStall() {
  if (!kMeasured) return;
  ExpectNoWorkOver("0.05");
  const std::size_t turns = LongTurns();
  const Watch::Report held = watch_->Read();
  const double waited = std::chrono::duration<double>(held.longest).count();
  EXPECT_LE(turns, held.times) << "turns of more than 50 ms; the machine held threads of the server up for " << waited
                               << " s at most";
  // The first bound of the histogram that such a turn may reach.
  std::string bound = "0.5";
  for (const char* lower : {"0.25", "0.1"}) {
    if (std::stod(lower) >= 0.05 + waited) bound = lower;
  }
  const RealServer::Observed stalls = server().Observations(kStalls, bound);
  EXPECT_EQ(stalls.within, stalls.all) << "turns of " << bound << " s at most";
}

void Attack::WaitUntilDone(const std::string& id) {
  // No measurement: far longer than any match here takes, and less than ctest's limit.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(kMeasured ? 4 : 20);
  json::Value last;
  do {
    last = server().Get("/api/v1/tables/" + id);
    if (json::TextOf(last, "status") == "done") return;
  } while (last.is_object() && std::chrono::steady_clock::now() < deadline);
  FAIL() << "the match " << id << " does not end: " << json::Write(last);
}

json::Array Attack::Tables() {
  json::Array tables;
  for (std::string path = "/api/v1/tables"; !path.empty();) {
    const json::Value page = server().Get(path);
    for (const json::Value& table : page.at("tables").as_array()) tables.push_back(table);
    const std::string_view next = json::TextOf(page, "next");
    path = next.empty() ? "" : "/api/v1/tables?cursor=" + net::PercentEncode(next);
  }
  return tables;
}

std::string Attack::TableOf(const std::string& game) {
  // What the game has sent may be on its way.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  do {
    for (const json::Value& table : Tables()) {
      if (table.at("game") == json::Value(game)) return std::string(json::TextOf(table, "id"));
    }
  } while (std::chrono::steady_clock::now() < deadline);
  throw std::runtime_error("no table of " + game);
}

std::string Attack::DiagnosticsOf(const std::string& game) {
  return json::Write(server().Get("/api/v1/tables/" + TableOf(game) + "/diagnostics"));
}

std::string Attack::WaitForDiagnostic(const std::string& game, const std::string& what) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (;;) {
    std::string found = DiagnosticsOf(game);
    if (found.find(what) != std::string::npos || std::chrono::steady_clock::now() > deadline) return found;
  }
}

void Attack::ExpectMemoryBelow(std::uint64_t bytes) {
  if (kMeasured) {
    EXPECT_LT(server().PeakResidentBytes(), bytes);
  }
}

std::size_t Attack::Scaled(std::size_t short_form) {
  const char* scale = std::getenv("OPENSEAT_ATTACK_SCALE");
  return scale == nullptr ? short_form : short_form * std::stoul(scale);
}

void OwnedAttack::SetUp() {
  WriteTextFile(data_dir() + "/admin-token.sha256", Sha256Hex(kToken) + "\n");
}

net::TestClient::Answer OwnedAttack::Ask(const std::string& line, const std::string& headers, const std::string& body) {
  return AskOnce(server(), line, headers, body);
}

}  // namespace openseat::tests
