// The narrative protocol, /api/games…: stories played over HTTP. docs/narrative.md describes it.
//
// A story is a hosted match of the game "narrative" with the narrator's agent at seat 0 and, at seat 1, a seat that is
// played from outside and has no token: it is played through this API. Requests do their work on the match's scheduler.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/loop_bill.h"
#include "base/rate_limit.h"
#include "core/journal.h"
#include "core/table.h"
#include "match/lobby.h"
#include "net/other_servers.h"
#include "net/router.h"
#include "protocols/narrative/archive.h"
#include "protocols/narrative/negotiation.h"
#include "protocols/narrative/options.h"
#include "protocols/narrative/render.h"
#include "protocols/narrative/replies.h"
#include "protocols/narrative/requests.h"

namespace openseat::narrative {

class NarrativeApi {
 public:
  // Turns a narrator as a caller names it into one that may be journaled; `done` runs on the scheduler.
  using PrepareAgent =
      std::function<void(Scheduler& scheduler, AgentSpec named, std::function<void(Result<AgentSpec>)> done)>;
  // What was made for a narrator is not needed: there is no story.
  using ForgetAgent = std::function<void(Scheduler& scheduler, const AgentSpec& prepared)>;

  // All references outlive it, and it outlives the server's connections. REQUIRES that the lobby has the game.
  NarrativeApi(TableDirectory& directory, Journal& journal, Lobby& lobby, const AgentKinds& kinds, PrepareAgent prepare,
               ForgetAgent forget, NarrativeOptions options);
  ~NarrativeApi();

  void AddRoutes(net::Router& router);

  // In a cluster, one server makes the stories of an Idempotency-Key, wherever a request comes to. Any thread.
  struct Cluster {
    const net::OtherServers* others = nullptr;
    // The server that makes the stories of this key: "" for this one; nullopt while that is undecided.
    std::function<std::optional<std::string>(const std::string& key)> maker{};
  };
  // Before the first request. What it names outlives this.
  void SetCluster(Cluster cluster) { cluster_ = std::move(cluster); }
  // Where servers ask each other about keys.
  static constexpr const char* kKeyPath = "/narrative/key";

 private:
  // The one reply to a request. If its last holder has not answered, the connection does (500).
  class Answer;
  using AnswerPtr = std::shared_ptr<Answer>;
  struct WantedGame;
  struct WantedTurn;
  struct Home;
  struct Made;

  void ListGames(const net::HttpRequest& request, net::HttpReply reply);
  void CreateGame(const net::HttpRequest& request, net::HttpReply reply);
  void GetGame(const net::HttpRequest& request, net::HttpReply reply);
  void PlayTurn(const net::HttpRequest& request, net::HttpReply reply);
  void ListTurns(const net::HttpRequest& request, net::HttpReply reply);
  void StreamEvents(const net::HttpRequest& request, net::HttpReply reply);

  // Whether the caller may have one more turn narrated now; answers if not.
  bool Admit(const net::HttpRequest& request, Answer& answer);
  // Runs `live` on the match's scheduler if the story is live, else `recorded` on the archive's thread; `fail` on any
  // thread if there is no such story.
  void FindGame(const MatchName& name, std::function<void(const Failure&)> fail,
                std::function<void(Match&, const MatchRef&)> live, std::function<void(const Record&)> recorded);
  // The same, answering the failure.
  void OnGame(const MatchName& name, const AnswerPtr& answer, std::function<void(Match&, const MatchRef&)> live,
              std::function<void(const Record&)> recorded);
  // The same where both show it alike.
  void OnView(const MatchName& name, const AnswerPtr& answer, const std::function<void(const GameView&)>& show);

  // --- New games (new_game.cc). The state of keys lives on the index's scheduler. ---
  void CreateUnderKey(const std::shared_ptr<const WantedGame>& wanted);
  // Runs `then` once the keys of all stories that were here at some moment since are known.
  void LoadKeys(BilledTask then);
  // Forgets finished ones until there are no more than `most`, or none is finished.
  void LimitKeys(std::size_t most);
  // There is no story after all.
  void Forget(const std::string& key, const std::shared_ptr<Made>& made);
  // The shards, as bits, of whose stories all keys are known here.
  std::uint64_t KeysKnown() const { return cluster_.others->ServedSince(searched_); }
  bool InCluster() const { return cluster_.others != nullptr; }
  bool IsPassedOn(const net::HttpRequest& request) const { return InCluster() && cluster_.others->IsPassedOn(request); }
  bool MakesHere(const std::string& key) const { return !InCluster() || cluster_.maker(key) == std::string(); }
  // Another server makes the stories of its key.
  void PassOn(const std::shared_ptr<const WantedGame>& wanted);
  // Makes the story unless another server knows its key, or one does not tell.
  void StartIfNew(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made);
  void TellKey(const net::HttpRequest& request, net::HttpReply reply);
  // Answers what is known of a key. A story whose opening could not be told is forgotten first: the server that asks
  // cannot make this one forget it.
  void TellMade(const std::string& key, const std::shared_ptr<net::HttpReply>& reply);
  // The answer to a repeated request.
  void ReplyMade(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made, const TableId& id);
  void Start(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made);
  // Starts a story with the first turns of another one.
  void Branch(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made);
  void Open(Scheduler& home, const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made,
            std::vector<PlannedSeat> seats, const std::string& narrator_secret);
  // There is no game after all.
  void Abandon(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made,
               const Failure& failure);
  // Answers when the opening is told, or cannot be told. On the match's scheduler.
  void AwaitOpening(Match& match, const MatchRef& ref, const std::shared_ptr<const WantedGame>& wanted,
                    const std::shared_ptr<Made>& made);
  // With the opening, even if the story has continued since.
  void ReplyGame(GameView view, const WantedGame& wanted);
  // The game of `made`, or its error, is known: answers everyone who asked under the same key. Any scheduler.
  void Conclude(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made,
                std::optional<TableId> id);

  // --- Turns (turn.cc), on the match's scheduler. ---
  void Play(Match& match, const std::shared_ptr<const WantedTurn>& wanted);
  void Act(Match& match, const std::shared_ptr<const WantedTurn>& wanted);
  // Answers with a completed turn.
  void ReplyTurn(const Match& match, std::size_t number, const WantedTurn& wanted);
  // The same answer, with the turn's debug in its "turn" or, if `data` has "turns", in each of those.
  void ReplyWithDebug(const TableId& id, json::Object data, int status, const AnswerPtr& answer);
  Home& HomeOf(const Scheduler& scheduler);

  TableDirectory& directory_;
  Lobby& lobby_;
  const AgentKinds& kinds_;
  const PrepareAgent prepare_;
  const ForgetAgent forget_;
  const NarrativeOptions options_;
  Scheduler& index_home_;
  RateLimiter limiter_;
  std::atomic<std::size_t> running_ = 0;
  std::atomic<std::size_t> next_home_ = 0;
  std::vector<std::unique_ptr<Home>> homes_;  // by scheduler
  // On index_home_: the games that were made under a key.
  std::unordered_map<std::string, std::shared_ptr<Made>> made_;
  bool keys_loaded_ = false;
  net::OtherServers::Serving searched_;  // when they were
  std::vector<BilledTask> waiting_for_keys_;
  Cluster cluster_;
  Archive archive_;  // the last member: its thread uses the others
};

}  // namespace openseat::narrative
