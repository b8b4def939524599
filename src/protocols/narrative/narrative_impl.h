// What the parts of NarrativeApi share. Internal.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/http.h"
#include "protocols/narrative/narrative_api.h"
#include "protocols/narrative/replies.h"

namespace openseat::narrative {

class NarrativeApi::Answer {
 public:
  // With `key`, the mark of all requests that get the same answer, that answer has the same trace id each time; a
  // failure has its own.
  explicit Answer(net::HttpReply reply, std::string key = {}) : reply_(std::move(reply)), key_(std::move(key)) {}

  void Ok(int status, json::Object data) { Send(Succeeded(status, std::move(data), MakeTraceId(key_))); }
  void Fail(const Failure& failure) { Send(Failed(failure, MakeTraceId())); }
  // The answer is that of an earlier request with the same key.
  void SetReplayed() { replayed_ = true; }
  // A narrator from outside narrates with this token.
  void SetNarratorToken(std::string token) { narrator_token_ = std::move(token); }
  void AddNarrator(json::Object& data) const {
    if (!narrator_token_.empty()) data["narrator"].as_object()["token"] = narrator_token_;
  }
  // The answer of another server.
  void Relay(net::HttpResponse response) { Send(std::move(response)); }
  net::HttpReply TakeReply() { return std::move(*std::exchange(reply_, std::nullopt)); }

 private:
  void Send(net::HttpResponse response) {
    if (!reply_) return;
    if (replayed_) response.headers.Set("Idempotent-Replayed", "true");
    std::move(*std::exchange(reply_, std::nullopt)).Send(std::move(response));
  }

  std::optional<net::HttpReply> reply_;
  const std::string key_;
  std::string narrator_token_;
  bool replayed_ = false;
};

struct NarrativeApi::WantedGame {
  NewGameRequest request;
  int version = 1;
  bool is_private = false;
  AnswerPtr answer;
  std::shared_ptr<Payer> payer;
  std::shared_ptr<const net::HttpRequest> asked{};  // with a key, in a cluster: what other servers are asked
  json::Array begun{};                              // of a branch, once it is known: the turns that it begins with
  std::string unlike{};                             // and how the next one was told
};

struct NarrativeApi::WantedTurn {
  TurnRequest request;
  VersionWish version_wish;
  AnswerPtr answer;
};

// A game that is being made, or was made, under an Idempotency-Key.
struct NarrativeApi::Made {
  std::string digest;         // of the request
  std::optional<TableId> id;  // nullopt while it is being made
  std::vector<std::shared_ptr<const WantedGame>> waiting;
};

// Work in progress on one scheduler.
struct NarrativeApi::Home {
  struct Running {
    std::string key;
    std::vector<std::shared_ptr<const WantedTurn>> waiting;  // the first one acts
  };
  std::unordered_map<TableId, Running> running;
};

inline Failure KeyReused() {
  return {422, "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used for another request"};
}

// The match left while this waited for it: what was asked may have happened there.
inline Failure GoesOnElsewhere(const TableId& id) {
  return {503, "UNAVAILABLE", "The story " + id.str() + " goes on at another server: ask again, and look at it first"};
}

// Nothing has happened.
inline Failure KeyMoves() {
  return {503,
          "UNAVAILABLE",
          "Which server makes the story of this Idempotency-Key is undecided just now; ask again",
          {},
          std::chrono::seconds(1)};
}

inline Failure NotAcceptable(const std::vector<int>& supported) {
  return {406,
          "NOT_ACCEPTABLE",
          "No version of the schema that was asked for is supported here",
          {{"supported", json::Array(supported.begin(), supported.end())}}};
}

// The versions in which a story can be told whose narrations keep to `version`, best first: the second is a part of the
// first.
inline std::vector<int> VersionsOf(int version) {
  return version == 1 ? std::vector<int>{1} : std::vector<int>{2, 1};
}

}  // namespace openseat::narrative
