// Players from outside the server: each plays one seat to the end of its game, over one of the server's protocols. They
// do not know the rules; they pick one of the offered choices at random. If the protocol lets a choice reach the rules
// unchecked, each player first makes one that the rules must refuse.
//
// The Play functions block until the game is over, and fail the test if something goes wrong. Run each in its own
// thread; players share only the server.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "net/test_client.h"
#include "net/test_server.h"
#include "support/real_server.h"

namespace openseat::tests {

// What a seat may do.
struct Offer {
  std::string action;
  json::Value schema;  // of its data; null: the action takes none
};

// Picks one of the offered choices at random.
class Chooser {
 public:
  explicit Chooser(std::uint64_t seed) : rng_(seed) {}

  struct Choice {
    std::string action;
    json::Value data;  // null: none
  };
  // Never concedes, and never asks a question instead. Fails the test if nothing is left to choose.
  Choice Choose(const std::vector<Offer>& offers);
  const json::Value& Any(const json::Array& list) { return list[rng_.Below(list.size())]; }
  // Whether the action only concedes or asks.
  static bool IsNoMove(std::string_view action);

 private:
  Rng rng_;
};

// HTTP requests over one persistent connection.
class Http {
 public:
  explicit Http(std::uint16_t port) : client_(port) {}

  struct Answer {
    int status = 0;
    json::Value body;  // null if it is not JSON
  };
  // `headers`: additional ones, each with its line break.
  Answer Get(const std::string& path, const std::string& headers = {});
  Answer Post(const std::string& path, const json::Value& body, const std::string& headers = {});

 private:
  static Answer Read(const net::TestClient::Answer& answer);

  net::TestClient client_;
};

// Where a seat's webhooks arrive.
class Inbox {
 public:
  void Put(json::Value event);
  // The next event; null if none comes within ten seconds.
  json::Value Take();

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<json::Value> events_;
};

// Receives webhooks, for any number of seats.
class Receiver {
 public:
  Receiver();
  struct Address {
    std::string url;
    std::shared_ptr<Inbox> inbox;
  };
  Address Open();

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Inbox>, std::less<>> inboxes_;
  net::TestServer server_;  // last, because its thread uses the others
};

// Set once a game from elsewhere has gone. Its player is not told, so errors after that are expected.
using Over = std::atomic<bool>;

// The Agent API with a seat's API key: polls its state and acts.
void PlayOverRest(const RealServer& server, const std::string& key, Chooser& chooser, const Over& over);
// The Agent API, told by webhooks. They end with the event "game-ended".
void PlayByWebhooks(const RealServer& server, const std::string& key, Inbox& inbox, Chooser& chooser);

// An MCP host of revision 2026-07-28.
class McpHost {
 public:
  explicit McpHost(const RealServer& server) : http_(server.port()) {}

  // The result of a tool: {"structuredContent", "isError"?, …}.
  json::Value Call(const std::string& tool, json::Object arguments);
  // Plays from `view`, the answer that took the seat, to the end.
  void Play(json::Value view, Chooser& chooser, const Over& over);

 private:
  Http http_;
};

// A Chimera client with "actions": true, which has joined `match`.
void PlayOverChimera(WireClient& client, const std::string& match, Chooser& chooser);

// A person on the console page of a game from elsewhere: follows the table over the live WebSocket and chooses by hand.
void PlayAtConsole(RealServer& server, const std::string& table, Chooser& chooser);
// A person on a story's page.
void PlayStory(const RealServer& server, const std::string& story, Chooser& chooser);

// Returns when the table's game, which runs elsewhere, has disconnected.
void WaitUntilGone(const RealServer& server, const std::string& table);

}  // namespace openseat::tests
