#include "protocols/registry_api/registry_api.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/json_members.h"
#include "base/text.h"
#include "net/paging.h"
#include "net/schemas.h"
#include "protocols/registry_api/registry_json.h"

namespace openseat::registry_api {
namespace {

// Of a person who signed in.
constexpr std::size_t kMostOwnDecks = 200;
// Of the decks on a page; a page has one deck at least.
constexpr std::size_t kMaxPageBytes = 1u << 20;

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::Method;
using net::OneReply;
using net::RouteInfo;
using net::RouteParameter;
using net::schemas::Ref;

std::shared_ptr<const schema::Schema> MustCompile(const json::Value& source) {
  Result<std::shared_ptr<const schema::Schema>> compiled = schema::Schema::Compile(source);
  OPENSEAT_CHECK(compiled.has_value(), compiled ? "" : compiled.error().message.c_str());
  return *compiled;
}

// The body, if it matches the route's schema.
Result<json::Object> Body(const HttpRequest& request, const schema::Schema& schema) {
  Result<json::Object> body = net::ObjectBody(request);
  if (!body) return body;
  const std::vector<schema::Violation> violations = schema.Validate(*body);
  if (violations.empty()) return body;
  return Fail(ErrorCode::kInvalid, schema::Explain(violations), violations.front().instance_path);
}

RouteInfo Info(std::string operation, std::string summary, const char* tag) {
  RouteInfo info;
  info.operation = std::move(operation);
  info.summary = std::move(summary);
  info.tag = tag;
  return info;
}

template <typename T, typename Render>
json::Array Listed(const std::vector<T>& items, Render render) {
  json::Array listed;
  for (const T& item : items) listed.push_back(render(item));
  return listed;
}

// A time as text that sorts chronologically.
std::string Micros(Time time) {
  std::string digits = std::to_string(std::max<std::int64_t>(time.time_since_epoch().count(), 0));
  return std::string(20 - std::min<std::size_t>(digits.size(), 20), '0') + digits;
}

// Answers with what `render` makes of the registry's answer.
template <typename T, typename Render>
Registry::Done<T> Answer(std::shared_ptr<OneReply> reply, int status, Render render) {
  return [reply = std::move(reply), status, render = std::move(render)](Result<T> result) {
    reply->Send(status, result ? Result<json::Value>(render(std::move(*result))) : Fail(result.error()));
  };
}

json::Value RenderAccount(const Account& account) {
  return AccountJson(account);
}
json::Value RenderKey(const ApiKey& key) {
  return KeyJson(key);
}

}  // namespace

RegistryApi::RegistryApi(Registry& registry, Scheduler& scheduler, std::vector<const DeckRules*> games, WhoAsks who)
    : registry_(registry),
      scheduler_(scheduler),
      who_(std::move(who)),
      games_(std::move(games)),
      account_body_(MustCompile(AccountBodySchema())),
      key_body_(MustCompile(KeyBodySchema())),
      deck_body_(MustCompile(DeckBodySchema())) {}

const DeckRules* RegistryApi::RulesOf(std::string_view game) const {
  const auto found = std::ranges::find(games_, game, &DeckRules::game);
  return found == games_.end() ? nullptr : *found;
}

template <typename Then>
void RegistryApi::WithAccount(const std::string& named, Reply reply, Then then) {
  if (named.empty()) {
    then(AccountId());
    return;
  }
  registry_.FindAccount(named, scheduler_,
                        [reply = std::move(reply), then = std::move(then)](Result<Account> account) mutable {
                          if (account) {
                            then(account->id);
                          } else {
                            account.error().path = "account";
                            reply->Send(HttpResponse::FromError(account.error()));
                          }
                        });
}

void RegistryApi::AddRoutes(net::Router& router) {
  router.AddSchema("Account", AccountSchema());
  router.AddSchema("ApiKey", KeySchema());
  router.AddSchema("Deck", DeckSchema());
  router.AddSchema("Card", CardSchema());
  AddAccountRoutes(router);
  AddKeyRoutes(router);
  AddDeckRoutes(router);
}

void RegistryApi::AddAccountRoutes(net::Router& router) {
  RouteInfo list = Info("listAccounts", "All accounts, by name.", "accounts");
  list.response_schema = net::PageSchema("accounts", Ref("Account"));
  net::AddPageTo(list);
  list.response_example = json::Object{{"accounts", json::Array{AccountExample()}}};
  router.Add(Method::kGet, "/api/v1/accounts", list, [this](const HttpRequest& request, HttpReply reply) {
    const Result<net::Page> page = net::PageOf(request);
    if (!page) return std::move(reply).Send(HttpResponse::FromError(page.error()));
    registry_.ListAccounts(
        scheduler_,
        Answer<std::vector<Account>>(std::make_shared<OneReply>(std::move(reply)), 200,
                                     [page = *page](std::vector<Account> accounts) -> json::Value {
                                       std::string next = net::CutPage(accounts, page, [](const Account& account) {
                                         return FoldName(account.name);
                                       });
                                       return net::PageBody("accounts", Listed(accounts, AccountJson), std::move(next));
                                     }));
  });

  RouteInfo create = Info("createAccount", "Creates an account. Keys and decks may belong to it.", "accounts");
  create.request_schema = AccountBodySchema();
  create.request_example = json::Object{{"name", "Alex"}};
  create.status = 201;
  create.response_schema = Ref("Account");
  create.response_example = AccountExample();
  create.answers = {{409, "The name is taken."}};
  router.Add(Method::kPost, "/api/v1/accounts", create, [this](const HttpRequest& request, HttpReply reply) {
    CreateAccount(request, std::make_shared<OneReply>(std::move(reply)));
  });

  RouteInfo remove = Info("deleteAccount", "Deletes an account and its decks, and revokes its keys.", "accounts");
  remove.response_schema = Ref("Account");
  remove.answers = {{404, "Account not found."}};
  router.Add(Method::kDelete, "/api/v1/accounts/:id", remove, [this](const HttpRequest& request, HttpReply reply) {
    registry_.DeleteAccount(AccountId(std::string(request.Param("id"))), scheduler_,
                            Answer<Account>(std::make_shared<OneReply>(std::move(reply)), 200, RenderAccount));
  });
}

void RegistryApi::AddKeyRoutes(net::Router& router) {
  RouteInfo list = Info("listKeys", "API keys, newest first, without their secrets.", "keys");
  list.parameters = {{RouteParameter::In::kQuery, "minted", "Includes keys that were made for one seat of one match.",
                      json::Object{{"type", "boolean"}}}};
  list.response_schema = net::PageSchema("keys", Ref("ApiKey"));
  list.response_example = json::Object{{"keys", json::Array{KeyExample()}}};
  net::AddPageTo(list);
  router.Add(Method::kGet, "/api/v1/keys", list, [this](const HttpRequest& request, HttpReply reply) {
    ListKeys(request, std::make_shared<OneReply>(std::move(reply)));
  });

  RouteInfo create = Info("createKey", "Creates an API key. Its secret is shown only in this answer.", "keys");
  create.request_schema = KeyBodySchema();
  create.request_example = json::Object{{"label", "my bot"}};
  create.body_optional = true;
  create.status = 201;
  create.response_schema = json::Object{
      {"type", "object"},
      {"required", json::Array{"key", "secret"}},
      {"properties", json::Object{{"key", Ref("ApiKey")},
                                  {"secret", json::Object{{"type", "string"}, {"pattern", "^osk_[a-z2-7]{36}$"}}}}}};
  create.response_example = json::Object{{"key", KeyExample()}, {"secret", "osk_k3fqm2xq7ab4cek3fqm2xq7ab4cek3fqm2xq"}};
  create.answers = {{404, "Account not found."}};
  router.Add(Method::kPost, "/api/v1/keys", create, [this](const HttpRequest& request, HttpReply reply) {
    CreateKey(request, std::make_shared<OneReply>(std::move(reply)));
  });

  RouteInfo revoke = Info("revokeKey", "Revokes a key. It is refused from now on but stays in the list.", "keys");
  revoke.response_schema = Ref("ApiKey");
  revoke.answers = {{404, "Key not found."}};
  router.Add(Method::kDelete, "/api/v1/keys/:id", revoke, [this](const HttpRequest& request, HttpReply reply) {
    registry_.RevokeKey(KeyId(std::string(request.Param("id"))), scheduler_,
                        Answer<ApiKey>(std::make_shared<OneReply>(std::move(reply)), 200, RenderKey));
  });
}

void RegistryApi::AddDeckRoutes(net::Router& router) {
  const auto with_body = [](RouteInfo info) {
    info.description =
        "Give the cards in one of three forms: `cards` (copies by code or title, and `identity`), `text`, or "
        "`netrunnerdb`. A deck that is not legal is stored anyway; `problems` lists what is wrong with it.";
    info.request_schema = DeckBodySchema();
    info.request_example =
        json::Object{{"name", "Precision"}, {"text", "Haas-Bioroid: Precision Design\n3x Hedge Fund\n3x Palisade"}};
    info.response_schema = Ref("Deck");
    info.response_example = DeckExample();
    return info;
  };
  const net::RouteAnswer missing{404, "Deck not found."};

  RouteInfo list = Info("listDecks", "Decks, by name.", "decks");
  list.parameters = {{RouteParameter::In::kQuery, "game", "Only decks for this game.", nullptr},
                     {RouteParameter::In::kQuery, "side", "Only decks for this side.", nullptr},
                     {RouteParameter::In::kQuery, "account",
                      "Only this account's decks, by id or name; `none`: decks without an account.", nullptr}};
  list.response_schema = net::PageSchema("decks", Ref("Deck"));
  list.response_example = json::Object{{"decks", json::Array{DeckExample()}}};
  list.description = "A page ends after about 1 MiB, even if it has fewer than `limit` decks then.";
  list.answers = {{404, "Account not found."}};
  net::AddPageTo(list);
  router.Add(Method::kGet, "/api/v1/decks", list, [this](const HttpRequest& request, HttpReply reply) {
    ListDecks(request, std::make_shared<OneReply>(std::move(reply)));
  });

  RouteInfo create = with_body(Info("createDeck", "Creates a deck.", "decks"));
  create.status = 201;
  create.answers = {{404, "Account not found."}, {409, "The account has as many decks as it may have."}};
  router.Add(Method::kPost, "/api/v1/decks", create, [this](const HttpRequest& request, HttpReply reply) {
    TakeDeck(request, std::make_shared<OneReply>(std::move(reply)), Keep::kNew);
  });

  router.Add(Method::kPost, "/api/v1/decks/validate",
             with_body(Info("validateDeck", "Reports what is wrong with a deck; nothing is stored.", "decks")),
             [this](const HttpRequest& request, HttpReply reply) {
               TakeDeck(request, std::make_shared<OneReply>(std::move(reply)), Keep::kNot);
             });

  RouteInfo replace = with_body(Info("replaceDeck", "Replaces a deck.", "decks"));
  replace.answers = {{404, "Deck or account not found."}};
  router.Add(Method::kPut, "/api/v1/decks/:id", replace, [this](const HttpRequest& request, HttpReply reply) {
    TakeDeck(request, std::make_shared<OneReply>(std::move(reply)), Keep::kReplace);
  });

  const auto render = [this](const StoredDeck& deck) -> json::Value { return Shown(deck); };
  RouteInfo show = Info("getDeck", "One deck, and what is wrong with it.", "decks");
  show.response_schema = Ref("Deck");
  show.answers = {missing};
  router.Add(Method::kGet, "/api/v1/decks/:id", show, [this, render](const HttpRequest& request, HttpReply reply) {
    const auto one = std::make_shared<OneReply>(std::move(reply));
    WithDeck(request, one, [one, render](const StoredDeck& deck) { one->Send(HttpResponse::Json(200, render(deck))); });
  });

  RouteInfo remove = Info("deleteDeck", "Deletes a deck.", "decks");
  remove.response_schema = Ref("Deck");
  remove.answers = {missing};
  router.Add(Method::kDelete, "/api/v1/decks/:id", remove, [this, render](const HttpRequest& request, HttpReply reply) {
    const auto one = std::make_shared<OneReply>(std::move(reply));
    WithDeck(request, one, [this, one, render](const StoredDeck& deck) {
      registry_.DeleteDeck(deck.id, scheduler_, Answer<StoredDeck>(one, 200, render));
    });
  });

  RouteInfo text = Info("getDeckText", "A deck as text, for pasting elsewhere or importing here.", "decks");
  text.content_type = "text/plain";
  text.response_example = "Precision\n\nHaas-Bioroid: Precision Design\n\nOperation (3)\n3x Hedge Fund\n";
  text.answers = {missing};
  router.Add(Method::kGet, "/api/v1/decks/:id/text", text, [this](const HttpRequest& request, HttpReply reply) {
    DeckText(request, std::make_shared<OneReply>(std::move(reply)));
  });

  RouteInfo cards = Info("listCards", "The cards for a game's decks.", "decks");
  cards.response_schema = json::Object{
      {"type", "object"},
      {"required", json::Array{"game", "formats", "cards"}},
      {"properties",
       json::Object{{"game", json::Object{{"type", "string"}}},
                    {"formats", json::Object{{"type", "array"}, {"items", json::Object{{"type", "string"}}}}},
                    {"cards", json::Object{{"type", "array"}, {"items", Ref("Card")}}}}}};
  cards.answers = {{404, "Unknown game, or a game without decks."}};
  router.Add(Method::kGet, "/api/v1/hosted-games/:id/cards", cards,
             [this](const HttpRequest& request, HttpReply reply) {
               ListCards(request, std::make_shared<OneReply>(std::move(reply)));
             });
}

void RegistryApi::CreateAccount(const HttpRequest& request, Reply reply) {
  const Result<json::Object> body = Body(request, *account_body_);
  if (!body) {
    reply->Send(HttpResponse::FromError(body.error()));
    return;
  }
  registry_.CreateAccount(std::string(json::TextOf(*body, "name")), scheduler_,
                          Answer<Account>(std::move(reply), 201, RenderAccount));
}

void RegistryApi::CreateKey(const HttpRequest& request, const Reply& reply) {
  const Result<json::Object> body = Body(request, *key_body_);
  if (!body) {
    reply->Send(HttpResponse::FromError(body.error()));
    return;
  }
  WithAccount(std::string(json::TextOf(*body, "account")), reply,
              [this, reply, label = std::string(json::TextOf(*body, "label"))](AccountId account) {
                NewKey wanted;
                wanted.label = label;
                wanted.account = std::move(account);
                registry_.CreateKey(std::move(wanted), scheduler_,
                                    Answer<CreatedKey>(reply, 201, [](const CreatedKey& made) -> json::Value {
                                      return json::Object{{"key", KeyJson(made.key)}, {"secret", made.secret}};
                                    }));
              });
}

void RegistryApi::ListKeys(const HttpRequest& request, Reply reply) {
  const Result<bool> minted = net::FlagQuery(request, "minted");
  const Result<net::Page> page = net::PageOf(request);
  if (!minted || !page) {
    reply->Send(HttpResponse::FromError(minted ? page.error() : minted.error()));
    return;
  }
  registry_.ListKeys(
      *minted, scheduler_,
      Answer<std::vector<ApiKey>>(std::move(reply), 200, [page = *page](std::vector<ApiKey> keys) -> json::Value {
        const auto key_of = [](const ApiKey& key) { return Micros(key.created) + " " + key.id.str(); };
        std::string next = net::CutPage(keys, page, key_of, true);
        return net::PageBody("keys", Listed(keys, KeyJson), std::move(next));
      }));
}

json::Object RegistryApi::Shown(const StoredDeck& deck) const {
  const DeckRules* rules = RulesOf(deck.list.game);
  if (rules != nullptr) return DeckJson(deck, rules->Check(deck.list));
  return DeckJson(deck, {{"the game " + Quote(deck.list.game) + " has no decks here", {}}});
}

void RegistryApi::ListDecks(const HttpRequest& request, const Reply& reply) {
  const Result<net::Page> page = net::PageOf(request);
  if (!page) {
    reply->Send(HttpResponse::FromError(page.error()));
    return;
  }
  const auto query = [&](const char* name) {
    const std::string* text = request.Query(name);
    return text == nullptr ? std::string() : *text;
  };
  DeckFilter filter;
  filter.game = query("game");
  filter.side = query("side");
  const Caller caller = CallerOf(request);
  const std::string account = caller.only_own ? caller.account.str() : query("account");
  const auto list = [this, reply, filter, account, page = *page](AccountId id) {
    DeckFilter wanted = filter;
    if (!account.empty()) wanted.account = std::move(id);
    registry_.ListDecks(
        std::move(wanted), scheduler_,
        Answer<std::vector<StoredDeck>>(reply, 200, [this, page](std::vector<StoredDeck> decks) -> json::Value {
          const auto key_of = [](const StoredDeck& deck) { return FoldName(deck.list.name) + " " + deck.id.str(); };
          std::string next = net::CutPage(decks, page, key_of);
          json::Array shown;
          std::size_t bytes = 0;
          for (const StoredDeck& deck : decks) {
            json::Object each = Shown(deck);
            bytes += json::Write(each).size();
            if (bytes > kMaxPageBytes && !shown.empty()) {
              next = key_of(decks[shown.size() - 1]);
              break;
            }
            shown.push_back(std::move(each));
          }
          return net::PageBody("decks", std::move(shown), next);
        }));
  };
  if (account == "none") {
    list(AccountId());
  } else {
    WithAccount(account, reply, list);
  }
}

Result<DeckList> RegistryApi::ReadDeck(const json::Object& body) const {
  const std::string game =
      json::FindText(body, "game").value_or(games_.empty() ? std::string() : std::string(games_.front()->game()));
  const DeckRules* rules = RulesOf(game);
  if (rules == nullptr) return Fail(ErrorCode::kInvalid, "the game " + Quote(game) + " has no decks here", "game");
  const json::Value* text = json::Find(body, "text");
  const json::Value* document = json::Find(body, "netrunnerdb");
  const json::Value* cards = json::Find(body, "cards");
  if ((text != nullptr) + (document != nullptr) + (cards != nullptr) != 1) {
    return Fail(ErrorCode::kInvalid, R"(give the cards in exactly one of "cards", "text" and "netrunnerdb")", "cards");
  }
  DeckList list;
  if (text != nullptr || document != nullptr) {
    Result<DeckList> read =
        text != nullptr ? rules->FromText(json::View(text->get_string())) : rules->FromJson(*document);
    if (!read) return read;
    list = std::move(*read);
  } else {
    // The schema allows only whole numbers up to kMaxCopies, but 3.0 is one, too.
    for (const auto& [code, count] : cards->get_object()) {
      list.cards[std::string(json::View(code))] += count.to_number<int>();
    }
  }
  for (const auto& [member, value] : {std::pair<std::string_view, std::string*>{"name", &list.name},
                                      {"format", &list.format},
                                      {"side", &list.side},
                                      {"identity", &list.identity},
                                      {"notes", &list.notes}}) {
    if (json::Find(body, member) != nullptr) *value = json::TextOf(body, member);
  }
  if (list.name.empty()) list.name = "Unnamed deck";
  Result<DeckList> complete = rules->Complete(std::move(list));
  if (!complete) return complete;
  if (Result<void> size = CheckDeckSize(*complete); !size) return Fail(size.error());
  return complete;
}

void RegistryApi::TakeDeck(const HttpRequest& request, const Reply& reply, Keep keep) {
  const Result<json::Object> body = Body(request, *deck_body_);
  Result<DeckList> list = body ? ReadDeck(*body) : Result<DeckList>(Fail(body.error()));
  if (!list) {
    reply->Send(HttpResponse::FromError(list.error()));
    return;
  }
  StoredDeck deck;
  deck.list = std::move(*list);
  if (keep == Keep::kNot) {
    reply->Send(HttpResponse::Json(200, Shown(deck)));
    return;
  }
  const int status = keep == Keep::kNew ? 201 : 200;
  const Caller caller = CallerOf(request);
  // Who has signed in owns what they save.
  std::string owner(json::TextOf(*body, "account"));
  if (caller.only_own || (owner.empty() && !caller.account.empty())) owner = caller.account.str();
  const std::size_t most = caller.only_own ? kMostOwnDecks : 0;
  const auto save = [this, reply, status, owner, most](const StoredDeck& wanted) {
    WithAccount(owner, reply, [this, reply, wanted, status, most](AccountId account) {
      StoredDeck owned = wanted;
      owned.account = std::move(account);
      registry_.SaveDeck(
          std::move(owned), scheduler_,
          Answer<StoredDeck>(reply, status, [this](const StoredDeck& kept) -> json::Value { return Shown(kept); }),
          most);
    });
  };
  if (keep == Keep::kNew) return save(deck);
  WithDeck(request, reply, [deck = std::move(deck), save](const StoredDeck& former) mutable {
    deck.id = former.id;
    save(deck);
  });
}

void RegistryApi::WithDeck(const HttpRequest& request, const Reply& reply, std::function<void(StoredDeck)> then) {
  const DeckId id(std::string(request.Param("id")));
  registry_.FindDeck(id, scheduler_,
                     [id, reply, then = std::move(then), caller = CallerOf(request)](Result<StoredDeck> deck) {
                       if (deck && caller.only_own && deck->account != caller.account) {
                         deck = Fail(ErrorCode::kNotFound, "there is no deck " + Quote(id.str()), "id");
                       }
                       if (!deck) return reply->Send(HttpResponse::FromError(deck.error()));
                       then(std::move(*deck));
                     });
}

void RegistryApi::DeckText(const HttpRequest& request, const Reply& reply) {
  WithDeck(request, reply, [this, reply](const StoredDeck& deck) {
    const DeckRules* rules = RulesOf(deck.list.game);
    if (rules == nullptr) {
      reply->Send(
          HttpResponse::FromError({ErrorCode::kUnsupported, "decks of that game cannot be written as text", {}}));
    } else {
      reply->Send(HttpResponse::Text(200, rules->ToText(deck.list)));
    }
  });
}

void RegistryApi::ListCards(const HttpRequest& request, const Reply& reply) {
  const std::string game(request.Param("id"));
  const DeckRules* rules = RulesOf(game);
  if (rules == nullptr) {
    reply->Send(
        HttpResponse::FromError({ErrorCode::kNotFound, "the game " + Quote(game) + " has no cards here", "id"}));
    return;
  }
  json::Array formats;
  for (const std::string& format : rules->formats()) formats.push_back(json::Value(format));
  reply->Send(HttpResponse::Json(
      200, json::Object{{"game", rules->game()}, {"formats", std::move(formats)}, {"cards", rules->Cards()}}));
}

}  // namespace openseat::registry_api
