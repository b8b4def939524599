// The registry over REST: /api/v1/accounts, /api/v1/keys, /api/v1/decks, and the cards for decks.
// See docs/protocols/registry.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/deck.h"
#include "core/registry.h"
#include "net/json_request.h"
#include "net/router.h"
#include "schema/schema.h"

namespace openseat::registry_api {

// Who asks.
struct Caller {
  AccountId account;      // of who has signed in; empty: nobody
  bool only_own = false;  // may see and change only decks of that account
};

class RegistryApi {
 public:
  using WhoAsks = std::function<Caller(const net::HttpRequest& request)>;

  // All references outlive it, and it outlives the server's connections. `scheduler`: where the registry's answers are
  // turned into API answers. `games`: those with decks. Without `who`, the operator asks.
  RegistryApi(Registry& registry, Scheduler& scheduler, std::vector<const DeckRules*> games, WhoAsks who = {});

  void AddRoutes(net::Router& router);

 private:
  using Reply = std::shared_ptr<net::OneReply>;

  void AddAccountRoutes(net::Router& router);
  void AddKeyRoutes(net::Router& router);
  void AddDeckRoutes(net::Router& router);

  void CreateAccount(const net::HttpRequest& request, Reply reply);
  void CreateKey(const net::HttpRequest& request, const Reply& reply);
  void ListKeys(const net::HttpRequest& request, Reply reply);
  void ListDecks(const net::HttpRequest& request, const Reply& reply);
  // Reads the deck in the body; it is stored under this id (empty: a new one), or only checked.
  enum class Keep { kNew, kReplace, kNot };
  void TakeDeck(const net::HttpRequest& request, const Reply& reply, Keep keep);
  void DeckText(const net::HttpRequest& request, const Reply& reply);
  void ListCards(const net::HttpRequest& request, const Reply& reply);

  // nullptr if no such game has decks.
  const DeckRules* RulesOf(std::string_view game) const;
  // Calls `then` with the account with this id or name; "" means no account. Answers the request if there is none.
  template <typename Then>
  void WithAccount(const std::string& named, Reply reply, Then then);
  // From a body that matches the schema.
  Result<DeckList> ReadDeck(const json::Object& body) const;
  json::Object Shown(const StoredDeck& deck) const;

  Caller CallerOf(const net::HttpRequest& request) const { return who_ ? who_(request) : Caller(); }
  // Calls `then` with the deck that the request names. A caller who may not see it is told that it does not exist.
  void WithDeck(const net::HttpRequest& request, const Reply& reply, std::function<void(StoredDeck)> then);

  Registry& registry_;
  Scheduler& scheduler_;
  const WhoAsks who_;
  const std::vector<const DeckRules*> games_;
  const std::shared_ptr<const schema::Schema> account_body_;
  const std::shared_ptr<const schema::Schema> key_body_;
  const std::shared_ptr<const schema::Schema> deck_body_;
};

}  // namespace openseat::registry_api
