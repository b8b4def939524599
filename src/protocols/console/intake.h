// What a request says about a match and its seats, and what must be looked up and stored before the match is made:
// accounts, decks, and the webhooks' targets, whose keys no journal may hold.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/external/seat_token.h"
#include "agents/kinds.h"
#include "core/agent.h"
#include "core/deck.h"
#include "core/registry.h"
#include "match/lobby.h"

namespace openseat::console {

// An agent as a request names it: {"kind", …options}.
struct NamedAgent {
  AgentSpec spec;                      // with the hashes of the secrets
  std::optional<SeatSecrets> secrets;  // if it is played from outside
  bool with_account = false;           // then its API key is the account's
};

// Errors: those of AgentKinds::Check for a caller of this API.
Result<NamedAgent> ReadAgent(const json::Object& named, const AgentKinds& kinds);
// Puts the seat's "token" and "api-key" into `out`, if it has any.
void AddSecrets(const NamedAgent& agent, const TableId& table, SeatIndex seat, json::Object& out);

struct WantedSeat {
  std::string role;  // as the request wrote it; may be empty
  std::string deck;  // a stored deck's id or name; may be empty
  std::optional<NamedAgent> agent;
};

struct WantedMatch {
  std::string game;
  json::Value options;
  std::optional<bool> is_private;  // nullopt if the request does not say
  std::optional<std::uint64_t> seed;
  MatchTerms terms{};
  std::vector<PlannedSeat> seats;  // in the order of the game's roles
  std::vector<WantedSeat> wanted;  // one per seat
  std::vector<std::string> sides;  // the game's name of each seat's role
  std::vector<WebhookId> targets;  // stored for the match
  std::string deck_format;         // of the stored decks so far
};

// `what`, as "a match", has only these members. kInvalid with a sentence if not.
Result<void> OnlyMembers(const json::Object& object, std::string_view what,
                         std::initializer_list<std::string_view> known);
// {"game", "options"?, "private"?, "seed"?, "terms"?, "seats"?: [{"role"?, "name"?, "deck"?, "agent"?}]}. Seats without
// a role are in order.
Result<WantedMatch> ReadWantedMatch(const json::Object& body, const Lobby& lobby, const AgentKinds& kinds);
// Who got which seat; tokens and keys are shown here and never again.
json::Array SeatsOf(const WantedMatch& wanted, const GameInfo& game, const TableId& match);

class Intake {
 public:
  // Whether a webhook may go to a URL with this key.
  using CheckWebhook = std::function<Result<void>(std::string_view url, std::string_view key)>;

  // `registry` and the rules outlive it.
  Intake(Registry& registry, std::vector<const DeckRules*> rules, CheckWebhook check);

  // `done` gets the spec in the form that may be journaled: an account as its id, a webhook's URL and key as a target.
  void PrepareAgent(Scheduler& scheduler, AgentSpec spec, const std::function<void(Result<AgentSpec>)>& done) const;
  // All agents of the match, and the decks put into its options.
  void PrepareMatch(Scheduler& scheduler, std::shared_ptr<WantedMatch> match,
                    std::function<void(Result<void>)> done) const;
  // The match was not made: deletes what was stored for it.
  void Forget(Scheduler& scheduler, const WantedMatch& match) const;
  // The same for one agent that was prepared and is not seated.
  void Forget(Scheduler& scheduler, const AgentSpec& prepared) const;
  // Deletes what was stored for seats other than `seated` by an earlier process that ended too soon. Call it before
  // anything is prepared.
  void ForgetOthers(Scheduler& scheduler, const std::vector<AgentSpec>& seated) const;

 private:
  using Next = std::function<void(Result<void>)>;

  void Forget(Scheduler& scheduler, const WebhookId& target) const;
  void PrepareWebhook(Scheduler& scheduler, AgentSpec spec, const std::function<void(Result<AgentSpec>)>& done) const;
  void PrepareSeat(Scheduler& scheduler, const std::shared_ptr<WantedMatch>& match, std::size_t seat, Next done) const;
  void FindDeck(Scheduler& scheduler, const std::shared_ptr<WantedMatch>& match, std::size_t seat, Next done) const;
  Result<void> UseDeck(WantedMatch& match, std::size_t seat, const DeckList& deck) const;

  Registry& registry_;
  const std::vector<const DeckRules*> rules_;
  const CheckWebhook check_;
};

}  // namespace openseat::console
