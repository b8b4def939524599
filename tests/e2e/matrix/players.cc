#include "e2e/matrix/players.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "protocols/mcp/protocol.h"
#include "schema/generate/generate.h"
#include "schema/schema.h"

namespace openseat::tests {
namespace {

// Data that no action accepts.
json::Object Wrong() {
  return {{"wrong", true}};
}

std::string Header(std::string_view name, std::string_view value) {
  return std::string(name) + ": " + std::string(value) + "\r\n";
}

// `name`: the member with the action's name.
std::vector<Offer> OffersOf(const json::Value& actions, std::string_view name) {
  std::vector<Offer> offers;
  for (const json::Value& each : actions.as_array()) {
    const json::Value* schema = json::Find(each, "schema");
    offers.push_back({std::string(json::TextOf(each, name)), schema == nullptr ? json::Value() : *schema});
  }
  return offers;
}

// Acts at the seat of a key.
class AgentApi {
 public:
  AgentApi(const RealServer& server, const std::string& key)
      : http_(server.port()), header_(Header("X-JNet-API", key)) {}

  // The seat's state, once its version is beyond `since` or after five seconds.
  Http::Answer State(const json::Value& since) {
    return http_.Get("/game/state?wait=5" + (since.is_null() ? "" : "&since=" + json::Write(since)), header_);
  }

  // Takes one of the available actions; false if the server refuses it.
  bool Act(const json::Value& actions, Chooser& chooser) {
    if (json::TextOf(actions, "action-type") == "prompt") {
      const json::Value& prompt = actions.at("prompt");
      if (const json::Array& cards = prompt.at("selectable").as_array(); !cards.empty()) {
        return Post("/game/select", json::Object{{"card", json::Object{{"cid", chooser.Any(cards)}}}});
      }
      const json::Value& choice = chooser.Any(prompt.at("choices").as_array());
      return Post("/game/choice", json::Object{{"choice", json::Object{{"uuid", choice.at("uuid")}}}});
    }
    const json::Array& commands = actions.at("available-commands").as_array();
    // Netrunner's commands come with their arguments.
    if (json::Find(commands.at(0), "schema") == nullptr) return Post("/game/action", chooser.Any(commands));
    const Chooser::Choice choice = chooser.Choose(OffersOf(commands, "command"));
    if (!std::exchange(tried_, true)) {
      const Http::Answer answer =
          http_.Post("/game/action", json::Object{{"command", choice.action}, {"args", Wrong()}}, header_);
      EXPECT_EQ(answer.status, 500) << json::Write(answer.body);
    }
    json::Object body{{"command", choice.action}};
    if (!choice.data.is_null()) body["args"] = choice.data;
    return Post("/game/action", body);
  }

 private:
  bool Post(const char* path, const json::Value& body) {
    const Http::Answer answer = http_.Post(path, body, header_);
    EXPECT_EQ(answer.status, 200) << json::Write(body) << ": " << json::Write(answer.body);
    return answer.status == 200;
  }

  Http http_;
  const std::string header_;
  bool tried_ = false;
};

}  // namespace

bool Chooser::IsNoMove(std::string_view action) {
  return action == "concede" || action == "drop_info";
}

Chooser::Choice Chooser::Choose(const std::vector<Offer>& offers) {
  std::vector<const Offer*> moves;
  for (const Offer& each : offers) {
    if (!IsNoMove(each.action)) moves.push_back(&each);
  }
  if (moves.empty()) {
    ADD_FAILURE() << "there is nothing to choose";
    return {};
  }
  const Offer& offer = *moves[rng_.Below(moves.size())];
  if (offer.schema.is_null()) return {offer.action, nullptr};
  const auto schema = schema::Schema::Compile(offer.schema);
  Result<json::Value> data = schema ? schema::Generate(**schema, rng_) : Fail(schema.error());
  EXPECT_TRUE(data.has_value()) << offer.action << ": " << data.error().message;
  return {offer.action, data ? std::move(*data) : json::Value()};
}

Http::Answer Http::Read(const net::TestClient::Answer& answer) {
  Result<json::Value> body = json::Parse(answer.body);
  return {answer.status, body ? std::move(*body) : json::Value()};
}

Http::Answer Http::Get(const std::string& path, const std::string& headers) {
  return Read(client_.Request("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers + "\r\n"));
}

Http::Answer Http::Post(const std::string& path, const json::Value& body, const std::string& headers) {
  const std::string text = json::Write(body);
  return Read(client_.Request("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
                              headers + Header("Content-Length", std::to_string(text.size())) + "\r\n" + text));
}

void Inbox::Put(json::Value event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
  came_.notify_one();
}

json::Value Inbox::Take() {
  std::unique_lock lock(mutex_);
  if (!came_.wait_for(lock, std::chrono::seconds(10), [this] { return !events_.empty(); })) {
    ADD_FAILURE() << "no webhook came for ten seconds";
    return nullptr;
  }
  json::Value event = std::move(events_.front());
  events_.pop_front();
  return event;
}

Receiver::Receiver()
    : server_([this](net::Router& router) {
        router.Add(net::Method::kPost, "/:seat", {}, [this](const net::HttpRequest& request, net::HttpReply reply) {
          Result<json::Value> event = json::Parse(request.body);
          const std::lock_guard lock(mutex_);
          const auto inbox = inboxes_.find(request.Param("seat"));
          const bool taken = event && inbox != inboxes_.end();
          if (taken) inbox->second->Put(std::move(*event));
          std::move(reply).Send(net::HttpResponse::Text(taken ? 200 : 404, ""));
        });
      }) {}

Receiver::Address Receiver::Open() {
  const std::lock_guard lock(mutex_);
  const std::string name = std::to_string(inboxes_.size());
  const auto inbox = std::make_shared<Inbox>();
  inboxes_.emplace(name, inbox);
  return {"http://127.0.0.1:" + std::to_string(server_.port()) + "/" + name, inbox};
}

void PlayOverRest(const RealServer& server, const std::string& key, Chooser& chooser, const Over& over) {
  AgentApi api(server, key);
  json::Value version;
  while (!over) {
    const auto [status, state] = api.State(version);
    if (status != 200) {
      EXPECT_TRUE(over) << json::Write(state);
      return;
    }
    version = state.at("version");
    const json::Value& actions = state.at("available-actions");
    const std::string_view type = json::TextOf(actions, "action-type");
    if (type == "game-over") return;
    if (type == "voluntary" || actions.at("can-act") == json::Value(false)) continue;
    if (!api.Act(actions, chooser)) return;
  }
}

void PlayByWebhooks(const RealServer& server, const std::string& key, Inbox& inbox, Chooser& chooser) {
  AgentApi api(server, key);
  std::int64_t answered = 0;
  for (;;) {
    const json::Value event = inbox.Take();
    const std::string_view name = json::TextOf(event, "event");
    if (event.is_null() || name == "game-ended") return;
    if (name != "prompt" && name != "turn-started" && name != "checkpoint") continue;
    const json::Value* actions = json::Find(event.at("payload"), "available-actions");
    const json::Value* eid = actions == nullptr ? nullptr : json::Find(*actions, "eid");
    // After a refusal the same decision is told again.
    if (eid == nullptr || eid->to_number<std::int64_t>() <= answered) continue;
    answered = eid->to_number<std::int64_t>();
    if (!api.Act(*actions, chooser)) return;
  }
}

json::Value McpHost::Call(const std::string& tool, json::Object arguments) {
  const json::Object meta{{"io.modelcontextprotocol/protocolVersion", mcp::kModernVersion},
                          {"io.modelcontextprotocol/clientCapabilities", json::Object()}};
  const Http::Answer answer = http_.Post(
      "/mcp",
      json::Object{{"jsonrpc", "2.0"},
                   {"id", 1},
                   {"method", "tools/call"},
                   {"params", json::Object{{"name", tool}, {"arguments", std::move(arguments)}, {"_meta", meta}}}},
      Header("Accept", "application/json, text/event-stream") + Header(mcp::kVersionHeader, mcp::kModernVersion) +
          Header(mcp::kMethodHeader, "tools/call") + Header(mcp::kNameHeader, tool));
  EXPECT_EQ(answer.status, 200) << tool << ": " << json::Write(answer.body);
  const json::Value* result = json::Find(answer.body, "result");
  return result == nullptr ? json::Value(json::Object()) : *result;
}

void McpHost::Play(json::Value view, Chooser& chooser, const Over& over) {
  const auto text = [&view](const char* name) { return std::string(json::TextOf(view, name)); };
  const json::Value token = view.at("token");
  bool tried = false;
  while (text("status") != "game_over" && !over) {
    json::Value result;
    if (text("status") == "your_turn") {
      json::Object act{{"token", token}, {"decision", view.at("decision").at("id")}, {"timeout_s", 5}};
      // A choice with an id needs no action and data; actions whose data is free have a schema instead.
      json::Array ids;
      if (const json::Value* choices = json::Find(view, "choices")) {
        for (const json::Value& choice : choices->as_array()) ids.push_back(choice.at("id"));
      }
      std::vector<Offer> offers;
      if (const json::Value* actions = json::Find(view, "actions"); actions != nullptr && ids.empty()) {
        offers = OffersOf(*actions, "action");
      }
      if (!std::exchange(tried, true)) {
        json::Object wrong = act;
        wrong["action"] = "wrong";
        wrong["data"] = Wrong();
        EXPECT_EQ(McpHost::Call("act", std::move(wrong)).at("isError"), json::Value(true));
      }
      if (!ids.empty()) {
        act["choice"] = chooser.Any(ids);
      } else {
        const Chooser::Choice choice = chooser.Choose(offers);
        act["action"] = choice.action;
        if (!choice.data.is_null()) act["data"] = choice.data;
      }
      result = Call("act", std::move(act));
    } else {
      result = Call("wait_for_turn", {{"token", token}, {"since", view.at("version")}, {"timeout_s", 5}});
    }
    const json::Value* next = json::Find(result, "structuredContent");
    if (next == nullptr || json::Find(result, "isError") != nullptr) {
      EXPECT_TRUE(over) << json::Write(result);
      return;
    }
    view = *next;
  }
}

void PlayOverChimera(WireClient& client, const std::string& match, Chooser& chooser) {
  bool tried = false;
  json::Value notice = client.Next();
  // Returns the response to an action. A notification that comes before it becomes the notice.
  const auto act = [&](const std::string& action, const json::Value& data) {
    json::Object params{{"match-id", match}, {"action", action}, {"data", data}};
    client.Send(json::Write(
        json::Object{{"type", "request"}, {"id", "r"}, {"operation", "game-action"}, {"params", std::move(params)}}));
    notice = nullptr;
    json::Value message = client.Next();
    while (json::TextOf(message, "type") == "notification") {
      notice = std::move(message);
      message = client.Next();
    }
    return message;
  };
  while (notice.is_object() && json::TextOf(notice, "event") != "end") {
    const json::Value* actions = json::Find(notice.at("data"), "match-actions");
    if (actions == nullptr) {
      ADD_FAILURE() << json::Write(notice);
      return;
    }
    const std::vector<Offer> offers = OffersOf(*actions, "name");
    if (std::ranges::any_of(offers, [](const Offer& each) { return !Chooser::IsNoMove(each.action); })) {
      const Chooser::Choice choice = chooser.Choose(offers);
      if (!std::exchange(tried, true)) {
        EXPECT_TRUE(act(choice.action, Wrong()).as_object().contains("error"));
      }
      // In Chimera every action has data.
      const json::Value answer = act(choice.action, choice.data.is_null() ? json::Value(json::Object()) : choice.data);
      // An action is too late if another seat has just ended the match.
      if (json::Find(answer, "result") == nullptr && notice.is_null()) {
        ADD_FAILURE() << choice.action << " " << json::Write(choice.data) << ": " << json::Write(answer);
        return;
      }
    } else {
      notice = nullptr;
    }
    if (json::TextOf(notice, "event") != "end") notice = client.Next();
  }
  EXPECT_TRUE(notice.is_object()) << "the connection ended before the match";
}

namespace {

// Calls `each` with the live events of these kinds of one table, until it returns false.
void Watch(const RealServer& server, const std::string& table, json::Array kinds,
           const std::function<bool(const json::Value& event)>& each) {
  WireClient live(server, "/api/v1/live");
  live.Send(
      json::Write(json::Object{{"op", "subscribe"}, {"table", table}, {"after", 0}, {"kinds", std::move(kinds)}}));
  for (;;) {
    const json::Value message = live.Next();
    if (message.is_null() || json::TextOf(message, "type") == "error") {
      ADD_FAILURE() << table << ": " << json::Write(message);
      return;
    }
    if (json::TextOf(message, "type") != "events") continue;
    for (const json::Value& event : message.at("events").as_array()) {
      if (!each(event)) return;
    }
  }
}

bool IsGone(const json::Value& event) {
  return json::TextOf(event, "kind") == "link" && json::TextOf(event.at("payload"), "state") == "disconnected";
}

}  // namespace

void WaitUntilGone(const RealServer& server, const std::string& table) {
  Watch(server, table, {"link"}, [](const json::Value& event) { return !IsGone(event); });
}

void PlayAtConsole(RealServer& server, const std::string& table, Chooser& chooser) {
  Http http(server.port());
  const std::string path = "/api/v1/tables/" + table;
  bool tried = false;
  Watch(server, table, {"decision", "link"}, [&](const json::Value& event) {
    if (json::TextOf(event, "kind") != "decision") return !IsGone(event);
    const json::Value seat = http.Get(path).body.at("seats").at(0);
    const json::Value* decision = json::Find(seat, "decision");
    // Past events come first; their decisions are over.
    if (decision == nullptr || decision->at("id") != event.at("payload").at("decision")) return true;
    std::vector<Offer> offers;
    for (Offer& offer : OffersOf(seat.at("actions"), "name")) {
      const json::Array& asked = decision->at("actions").as_array();
      if (std::ranges::find(asked, json::Value(offer.action)) != asked.end()) offers.push_back(std::move(offer));
    }
    const Chooser::Choice choice = chooser.Choose(offers);
    json::Object body{{"action", choice.action}, {"data", Wrong()}, {"decision", decision->at("id")}};
    if (!std::exchange(tried, true)) {
      EXPECT_EQ(http.Post(path + "/seats/0/choose", body).status, 422);
    }
    body["data"] = choice.data;
    const Http::Answer answer = http.Post(path + "/seats/0/choose", body);
    EXPECT_EQ(answer.status, 200) << json::Write(answer.body);
    return answer.status == 200;
  });
}

void PlayStory(const RealServer& server, const std::string& story, Chooser& chooser) {
  Http http(server.port());
  const std::string path = "/api/games/" + story;
  EXPECT_EQ(http.Post(path + "/turns", json::Object{{"choiceId", "none"}}).status, 409);
  Http::Answer answer = http.Get(path);
  while (answer.status == 200) {
    const json::Value& game = answer.body.at("data");
    if (game.at("state").at("over") == json::Value(true)) return;
    const json::Value& choice = chooser.Any(game.at("turn").at("choices").as_array());
    answer = http.Post(path + "/turns", json::Object{{"choiceId", choice.at("id")}});
  }
  ADD_FAILURE() << json::Write(answer.body);
}

}  // namespace openseat::tests
