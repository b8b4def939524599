#include "attack/attacks_by_requests.h"

#include <chrono>
#include <thread>
#include <utility>

namespace openseat::tests {
namespace {

constexpr std::string_view kSlow = R"(
const spin = () => { for (let i = 0; i < 300000; ++i); };
export const info = { id: 'slow', title: 'Slow', description: 'Slow', rules: 'Wait.', seats: { min: 2, max: 2 }, actions: { wait: 'Wait' } };
export const setup = () => ({ turn: 0, left: 1000 });
export const awaited = (state) => [state.turn];
export const actions = () => [{ name: 'wait' }];
export const apply = (state) => { spin(); return { state: { turn: 1 - state.turn, left: state.left - 1 } }; };
export const observe = (state) => ({ left: state.left });
export const outcome = (state) => (state.left === 0 ? { winners: [], reason: 'waited' } : null);
)";

json::Array TwoRandomAgents() {
  const json::Object random{{"agent", json::Object{{"kind", "random"}}}};
  return {random, random};
}

// The body of an answer, null if it is not JSON.
json::Value BodyOf(const net::TestClient::Answer& answer) {
  const auto body = json::Parse(answer.body);
  return body ? *body : json::Value();
}

}  // namespace

net::TestClient::Answer AskOnce(const RealServer& server, std::string_view line, std::string_view headers,
                                std::string_view body) {
  net::TestClient client(server.port());
  return client.Request(std::string(line) + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n" + std::string(body));
}

// --- Large answers ---

std::string MakeRandomMatch(const RealServer& server, const std::string& game) {
  const json::Object match{{"game", game}, {"seats", TwoRandomAgents()}};
  return std::string(json::TextOf(BodyOf(AskOnce(server, "POST /api/v1/matches", {}, json::Write(match))), "match-id"));
}

std::string PlayRandomMatch(const RealServer& server, const std::string& game) {
  std::string id = MakeRandomMatch(server, game);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!id.empty() && std::chrono::steady_clock::now() < deadline) {
    if (json::TextOf(BodyOf(AskOnce(server, "GET /api/v1/tables/" + id)), "status") == "done") return id;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return "";
}

LargeAnswers AskAtOnce(const RealServer& server, const std::string& ask, std::size_t clients, std::size_t rounds) {
  std::vector<std::unique_ptr<net::TestClient>> asking;
  for (std::size_t i = 0; i < clients; ++i) asking.push_back(std::make_unique<net::TestClient>(server.port()));
  for (const auto& client : asking) {
    for (std::size_t i = 0; i < rounds; ++i) client->Send(ask);
  }
  LargeAnswers answers;
  for (const auto& client : asking) {
    for (std::size_t i = 0; i < rounds; ++i) {
      const net::TestClient::Answer answer = client->ReadAnswer();
      if (answer.status != 200) {
        answers.refused += answer.status == 0 ? 0 : 1;
        break;
      }
      ++answers.whole;
      answers.compressed += answer.headers.count("content-encoding");
    }
  }
  return answers;
}

LargeAnswers AskForTranscripts(const RealServer& server, const std::string& match, std::size_t clients,
                               std::size_t rounds) {
  return AskAtOnce(server,
                   "GET /api/v1/tables/" + match +
                       "/transcript?limit=40 HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br, gzip;q=0.5\r\n\r\n",
                   clients, rounds);
}

std::vector<int> AskForReplays(const RealServer& server, const std::string& match, std::size_t clients) {
  constexpr std::array kQueries{"?said=true",     "?page=2",     "?viewer=1&step=50",
                                "?viewer=nobody", "?page=99999", "?event=7"};
  std::vector<std::unique_ptr<net::TestClient>> asking;
  for (std::size_t i = 0; i < clients; ++i) {
    net::TestClient& client = *asking.emplace_back(std::make_unique<net::TestClient>(server.port()));
    for (const char* query : kQueries) {
      client.Send("GET /api/v1/tables/" + match + "/replay" + query +
                  " HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br\r\n\r\n");
    }
  }
  std::vector<int> statuses;
  for (const auto& client : asking) {
    for (std::size_t i = 0; i < kQueries.size(); ++i) statuses.push_back(client->ReadAnswer().status);
  }
  return statuses;
}

// --- Uploads ---

int UploadThroughAProxy(const RealServer& server, std::string_view from) {
  return AskOnce(server, "POST /openenv/tictactoe/reset", std::string(from) + "Content-Type: application/json\r\n",
                 std::string(4 * kMiB, 'x'))
      .status;
}

// --- Games ---

std::string SlowGame() {
  return std::string(kSlow);
}

std::string LongSlowGame() {
  std::string slow(kSlow);
  const auto change = [&slow](std::string_view from, std::string_view to) {
    slow.replace(slow.find(from), from.size(), to);
  };
  change("300000", "100000");
  change("left: 1000", "left: 60");
  return slow;
}

std::string GameFiles(const std::string& text, const std::string& name) {
  return json::Write(json::Object{{"files", json::Array{json::Object{{"name", name}, {"text", text}}}}});
}

std::vector<std::string> BodiesThatAreNoFiles() {
  std::vector<std::string> bodies{"{",
                                  "{}",
                                  R"({"files":[]})",
                                  R"({"files":[7]})",
                                  R"({"files":[{"name":"a.js","text":7}]})",
                                  R"({"files":[{"name":"a.js","text":""},{"name":"a.js","text":""}]})",
                                  R"({"files":[{"name":"a.js","text":""}],"games":0})",
                                  R"({"files":[{"name":"a.js","text":""}],"games":1e9})"};
  for (const char* name : {"", "a", "../a.js", "/a.js", "b/../a.js", "b//a.js", ".a.js", "a\\b.js", "a\n.js"}) {
    bodies.push_back(GameFiles("", name));
  }
  return bodies;
}

std::vector<std::string> FilesThatAreNoGames() {
  const std::string deep(100'000, '[');
  return {
      GameFiles(std::string(300'000, ' ')),  // beyond the size of a script
      GameFiles("export const info = " + deep),
      GameFiles("let a: " + deep, "a.ts"),
      GameFiles("while (true);"),
  };
}

std::vector<int> TryToUpload(const RealServer& server, std::string_view headers) {
  const std::string body = GameFiles(SlowGame());
  std::vector<int> statuses;
  for (const char* line : {"POST /api/v1/games", "POST /api/v1/games/check", "GET /api/v1/games",
                           "GET /api/v1/games/slow/source", "DELETE /api/v1/games/slow"}) {
    statuses.push_back(AskOnce(server, line, headers, body).status);
  }
  return statuses;
}

std::vector<std::unique_ptr<net::TestClient>> AskForChecks(const RealServer& server, std::size_t count) {
  const std::string body = GameFiles(SlowGame());
  std::vector<std::unique_ptr<net::TestClient>> clients;
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<net::TestClient>(server.port()));
    clients.back()->Send("POST /api/v1/games/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " +
                         std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  return clients;
}

std::vector<json::Value> ForkLate(const RealServer& server, const std::string& match, std::size_t count) {
  const std::string body = json::Write(json::Object{{"decision", 58}, {"seats", TwoRandomAgents()}});
  std::vector<json::Value> forks;
  for (std::size_t i = 0; i < count; ++i) {
    forks.push_back(BodyOf(AskOnce(server, "POST /api/v1/tables/" + match + "/fork", {}, body)));
  }
  return forks;
}

// --- Searches ---

std::vector<std::string> FillWithSearches(const RealServer& server, std::size_t count) {
  const json::Object bot{{"agent", json::Object{{"kind", "search"}, {"ms", 600'000}, {"threads", 4}}}};
  const std::string body = json::Write(json::Object{{"game", "connectm"}, {"seats", json::Array{bot, bot}}});
  std::vector<std::string> matches;
  for (std::size_t i = 0; i < count; ++i) {
    std::string id(json::TextOf(BodyOf(AskOnce(server, "POST /api/v1/matches", {}, body)), "match-id"));
    if (!id.empty()) matches.push_back(std::move(id));
  }
  return matches;
}

void EndSearches(const RealServer& server, const std::vector<std::string>& matches) {
  for (const std::string& match : matches) {
    AskOnce(server, "POST /api/v1/tables/" + match + "/control", {}, R"({"command":"forfeit","seat":0})");
  }
}

// --- Guesses ---

std::vector<int> GuessSignIns(const RealServer& server, std::string_view from, std::size_t count) {
  std::vector<int> told;
  for (std::size_t i = 0; i < count; ++i) {
    told.push_back(AskOnce(server, "GET /auth/callback?code=c&state=" + std::to_string(i), from).status);
  }
  return told;
}

std::vector<int> BeginSignIns(const RealServer& server, std::string_view from, std::size_t count) {
  std::vector<int> told;
  for (std::size_t i = 0; i < count; ++i) {
    told.push_back(AskOnce(server, "GET /auth/login?to=https://evil.example/", from).status);
  }
  return told;
}

std::vector<std::string> GuessSeatCodes(WireClient& client, std::size_t count) {
  std::vector<std::string> answers;
  for (std::size_t i = 0; i < count; ++i) {
    answers.push_back(json::Write(client.Ask("take-on", json::Object{{"code", "guess" + std::to_string(i)}})));
  }
  return answers;
}

// --- Foreign pages ---

std::vector<int> ActAsForeignPage(const RealServer& server) {
  constexpr std::string_view kForeign = "Origin: http://evil.example\r\n";
  std::vector<int> statuses;
  for (const char* path : kSockets) {
    statuses.push_back(net::TestClient(server.port()).Request(UpgradeHead(path, kForeign)).status);
  }
  for (const char* line : kRequestsOfPages) statuses.push_back(AskOnce(server, line, kForeign).status);
  return statuses;
}

}  // namespace openseat::tests
