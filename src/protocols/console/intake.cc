#include "protocols/console/intake.h"

#include <algorithm>
#include <utility>

#include "base/json_members.h"
#include "base/log.h"
#include "base/text.h"
#include "net/json_request.h"

namespace openseat::console {
namespace {

using net::TextMember;

constexpr std::uint64_t kMaxSeed = (1ull << 53) - 1;  // every JSON reader reads it exactly

// "" if there is none.
Result<std::string> TextOr(const json::Object& from, std::string_view name) {
  if (json::Find(from, name) == nullptr) return std::string();
  return TextMember(from, name);
}

// The index of the role among the game's roles.
Result<std::size_t> RoleIndex(const GameInfo& game, const std::string& role) {
  const auto found =
      std::ranges::find_if(game.roles, [&](const std::string& known) { return FoldName(known) == FoldName(role); });
  if (found != game.roles.end()) return static_cast<std::size_t>(found - game.roles.begin());
  const std::string known = Listing(game.roles);
  return Fail(ErrorCode::kInvalid,
              known.empty() ? game.title + " has no roles; leave \"role\" out"
                            : "a role of " + game.title + " is one of " + known + "; got " + Quote(role),
              "seats");
}

// The webhook targets of an agent as journaled; empty if it has none.
WebhookId TargetOf(const AgentSpec& agent) {
  const json::Value* target = agent.kind == "webhook" ? json::Find(agent.options, "target") : nullptr;
  if (target == nullptr || !target->is_string()) return {};
  return WebhookId(std::string(json::View(target->get_string())));
}

// An error of something inside `outer`.
Error Within(const std::string& outer, Error error) {
  const bool pointer = error.path.starts_with('/') || error.path.empty();
  error.path = outer + (pointer ? "" : ".") + error.path;
  return error;
}

struct ReadSeat {
  PlannedSeat planned;
  WantedSeat wanted;
};

Result<ReadSeat> ReadOneSeat(const json::Value& each, const AgentKinds& kinds) {
  if (!each.is_object())
    return Fail(ErrorCode::kInvalid, "a seat must be an object; got " + std::string(json::TypeName(each)));
  const json::Object& object = each.get_object();
  const Result<void> known = OnlyMembers(object, "a seat", {"role", "name", "deck", "agent"});
  if (!known) return Fail(known.error());
  ReadSeat seat;
  Result<std::string> name = TextOr(object, "name");
  if (!name) return Fail(std::move(name).error());
  Result<std::string> role = TextOr(object, "role");
  if (!role) return Fail(std::move(role).error());
  Result<std::string> deck = TextOr(object, "deck");
  if (!deck) return Fail(std::move(deck).error());
  seat.planned.name = std::move(*name);
  seat.wanted.role = std::move(*role);
  seat.wanted.deck = std::move(*deck);
  const json::Value* agent = json::Find(object, "agent");
  if (agent == nullptr) return seat;
  if (!agent->is_object())
    return Fail(ErrorCode::kInvalid, "agent must be an object; got " + std::string(json::TypeName(*agent)), "agent");
  if (json::TextOf(*agent, "kind") == "open") {
    return Fail(ErrorCode::kInvalid, "a seat that is open to anybody who joins has no agent: leave \"agent\" out",
                "agent");
  }
  Result<NamedAgent> named = ReadAgent(agent->get_object(), kinds);
  if (!named) return Fail(Within("agent", std::move(named).error()));
  seat.planned.agent = named->spec;
  seat.wanted.agent = std::move(*named);
  return seat;
}

}  // namespace

Result<void> OnlyMembers(const json::Object& object, std::string_view what,
                         std::initializer_list<std::string_view> known) {
  for (const auto& member : object) {
    const std::string_view name = json::KeyOf(member);
    if (std::ranges::find(known, name) != known.end()) continue;
    return Fail(ErrorCode::kInvalid,
                std::string(what) + " has no member " + Quote(name) + "; its members are " + Listing(known),
                Ellipsize(name, kQuotedBytes));
  }
  return {};
}

Result<NamedAgent> ReadAgent(const json::Object& named, const AgentKinds& kinds) {
  Result<std::string> kind = TextMember(named, "kind");
  if (!kind) return Fail(std::move(kind).error());
  NamedAgent agent;
  agent.spec = {std::move(*kind), named};
  json::Object& options = agent.spec.options;
  options.erase("kind");
  if (Result<void> fits = kinds.Check(agent.spec, Namer::kAdmin); !fits) return Fail(std::move(fits).error());
  if (kinds.IsPlayedFromOutside(agent.spec.kind)) {
    agent.secrets = MintSeat(options);
    agent.with_account = options.contains("account");
    if (agent.with_account) options.erase("key_sha256");
  }
  return agent;
}

void AddSecrets(const NamedAgent& agent, const TableId& table, SeatIndex seat, json::Object& out) {
  if (!agent.secrets) return;
  out["token"] = SeatToken{table, seat, agent.secrets->token}.Text();
  if (!agent.with_account) out["api-key"] = SeatToken{table, seat, agent.secrets->key}.Text();
}

Result<WantedMatch> ReadWantedMatch(const json::Object& body, const Lobby& lobby, const AgentKinds& kinds) {
  const Result<void> known = OnlyMembers(body, "a match", {"game", "options", "private", "seed", "terms", "seats"});
  if (!known) return Fail(known.error());
  Result<std::string> game = TextMember(body, "game");
  if (!game) return Fail(std::move(game).error());
  WantedMatch wanted;
  wanted.game = std::move(*game);
  const Game* rules = lobby.FindGame(wanted.game);
  if (rules == nullptr) return Fail(lobby.NoGame(wanted.game));
  if (const json::Value* options = json::Find(body, "options")) wanted.options = *options;
  if (const json::Value* flag = json::Find(body, "private")) {
    if (!flag->is_bool()) {
      return Fail(ErrorCode::kInvalid, "private must be true or false; got " + std::string(json::TypeName(*flag)),
                  "private");
    }
    wanted.is_private = flag->get_bool();
  }
  if (const json::Value* seed = json::Find(body, "seed")) {
    wanted.seed = json::WholeOf(body, "seed");
    if (!wanted.seed || *wanted.seed > kMaxSeed) {
      return Fail(ErrorCode::kInvalid, "seed must be a whole number from 0 to 2^53 - 1; got " + json::Excerpt(*seed),
                  "seed");
    }
  }
  if (const json::Value* given = json::Find(body, "terms")) {
    Result<MatchTerms> terms = ReadTerms(*given);
    if (!terms) return Fail(std::move(terms).error());
    wanted.terms = *terms;
  }
  const json::Value* seats = json::Find(body, "seats");
  if (seats == nullptr) return wanted;
  if (!seats->is_array())
    return Fail(ErrorCode::kInvalid, "seats must be a list; got " + std::string(json::TypeName(*seats)), "seats");
  // Seats with a role have fixed places; the others take the remaining places, in order.
  std::vector<std::optional<ReadSeat>> placed;
  std::vector<ReadSeat> rest;
  std::size_t number = 0;
  for (const json::Value& each : seats->get_array()) {
    Result<ReadSeat> seat = ReadOneSeat(each, kinds);
    if (!seat) return Fail(Within("seats[" + std::to_string(number) + "]", std::move(seat).error()));
    ++number;
    if (seat->wanted.role.empty()) {
      rest.push_back(std::move(*seat));
      continue;
    }
    const Result<std::size_t> index = RoleIndex(rules->info(), seat->wanted.role);
    if (!index) return Fail(index.error());
    if (placed.size() <= *index) placed.resize(*index + 1);
    if (placed[*index]) {
      return Fail(ErrorCode::kInvalid, "two seats have the role " + Quote(seat->wanted.role), "seats");
    }
    placed[*index] = std::move(*seat);
  }
  std::size_t at = 0;
  for (ReadSeat& seat : rest) {
    while (at < placed.size() && placed[at]) ++at;
    if (at == placed.size()) placed.emplace_back();
    placed[at] = std::move(seat);
  }
  wanted.sides = rules->info().roles;
  wanted.sides.resize(std::max(wanted.sides.size(), placed.size()));
  for (std::optional<ReadSeat>& seat : placed) {
    wanted.seats.push_back(seat ? std::move(seat->planned) : PlannedSeat());
    wanted.wanted.push_back(seat ? std::move(seat->wanted) : WantedSeat());
  }
  return wanted;
}

json::Array SeatsOf(const WantedMatch& wanted, const GameInfo& game, const TableId& match) {
  json::Array listed;
  for (std::size_t i = 0; i < wanted.seats.size(); ++i) {
    const PlannedSeat& seat = wanted.seats[i];
    json::Object entry;
    if (!wanted.wanted[i].role.empty()) {
      entry["role"] = wanted.wanted[i].role;
    } else if (i < game.roles.size()) {
      entry["role"] = game.roles[i];
    }
    if (!seat.name.empty()) entry["name"] = seat.name;
    entry["agent"] = seat.agent.kind.empty() ? "open" : seat.agent.kind;
    if (const auto& agent = wanted.wanted[i].agent) AddSecrets(*agent, match, static_cast<SeatIndex>(i), entry);
    listed.push_back(std::move(entry));
  }
  return listed;
}

Intake::Intake(Registry& registry, std::vector<const DeckRules*> rules, CheckWebhook check)
    : registry_(registry), rules_(std::move(rules)), check_(std::move(check)) {}

void Intake::PrepareAgent(Scheduler& scheduler, AgentSpec spec,
                          const std::function<void(Result<AgentSpec>)>& done) const {
  if (!spec.options.contains("account")) {
    PrepareWebhook(scheduler, std::move(spec), done);
    return;
  }
  Result<std::string> account = TextMember(spec.options, "account");
  if (!account) {
    done(Fail(std::move(account).error()));
    return;
  }
  registry_.FindAccount(*account, scheduler,
                        [this, &scheduler, spec = std::move(spec), done](const Result<Account>& found) mutable {
                          if (!found) {
                            done(Fail(ErrorCode::kInvalid, found.error().message, "account"));
                            return;
                          }
                          spec.options["account"] = found->id.str();
                          PrepareWebhook(scheduler, std::move(spec), done);
                        });
}

void Intake::PrepareWebhook(Scheduler& scheduler, AgentSpec spec,
                            const std::function<void(Result<AgentSpec>)>& done) const {
  if (spec.kind != "webhook") {
    done(std::move(spec));
    return;
  }
  Result<std::string> url = TextMember(spec.options, "url");
  Result<std::string> key = TextOr(spec.options, "key");
  if (!url || !key) {
    done(Fail(url ? key.error() : url.error()));
    return;
  }
  if (Result<void> allowed = check_(*url, *key); !allowed) {
    done(Fail(std::move(allowed).error()));
    return;
  }
  spec.options.erase("url");
  spec.options.erase("key");
  registry_.SaveWebhook({.id = {}, .url = std::move(*url), .key = std::move(*key), .created = {}}, scheduler,
                        [spec = std::move(spec), done](const Result<WebhookTarget>& saved) mutable {
                          if (!saved) {
                            done(Fail(saved.error()));
                            return;
                          }
                          spec.options["target"] = saved->id.str();
                          done(std::move(spec));
                        });
}

void Intake::PrepareMatch(Scheduler& scheduler, std::shared_ptr<WantedMatch> match,
                          std::function<void(Result<void>)> done) const {
  PrepareSeat(scheduler, match, 0, [this, &scheduler, match, done = std::move(done)](const Result<void>& prepared) {
    if (!prepared) Forget(scheduler, *match);
    done(prepared);
  });
}

void Intake::PrepareSeat(Scheduler& scheduler, const std::shared_ptr<WantedMatch>& match, std::size_t seat,
                         Next done) const {
  if (seat == match->seats.size()) {
    done({});
    return;
  }
  PrepareAgent(scheduler, match->seats[seat].agent,
               [this, &scheduler, match, seat, done = std::move(done)](const Result<AgentSpec>& spec) {
                 if (!spec) {
                   done(Fail(spec.error()));
                   return;
                 }
                 match->seats[seat].agent = *spec;
                 if (WebhookId target = TargetOf(*spec); !target.empty()) match->targets.push_back(std::move(target));
                 FindDeck(scheduler, match, seat, [this, &scheduler, match, seat, done](const Result<void>& found) {
                   if (!found) {
                     done(found);
                   } else {
                     PrepareSeat(scheduler, match, seat + 1, done);
                   }
                 });
               });
}

void Intake::FindDeck(Scheduler& scheduler, const std::shared_ptr<WantedMatch>& match, std::size_t seat,
                      Next done) const {
  const std::string& wanted = match->wanted[seat].deck;
  if (wanted.empty()) {
    done({});
    return;
  }
  registry_.ListDecks(
      {.game = match->game}, scheduler,
      [this, match, seat, wanted, done = std::move(done)](const Result<std::vector<StoredDeck>>& decks) {
        if (!decks) {
          done(Fail(decks.error()));
          return;
        }
        auto found = std::ranges::find_if(*decks, [&](const StoredDeck& deck) { return deck.id.str() == wanted; });
        if (found == decks->end()) {
          const auto named = [&](const StoredDeck& deck) { return FoldName(deck.list.name) == FoldName(wanted); };
          found = std::ranges::find_if(*decks, named);
          if (std::ranges::count_if(*decks, named) > 1) {
            done(Fail(ErrorCode::kInvalid, "several decks are called " + Quote(wanted) + "; name one by its id",
                      "deck"));
            return;
          }
        }
        if (found == decks->end()) {
          done(Fail(ErrorCode::kInvalid, "there is no deck " + Quote(wanted), "deck"));
          return;
        }
        done(UseDeck(*match, seat, found->list));
      });
}

Result<void> Intake::UseDeck(WantedMatch& match, std::size_t seat, const DeckList& deck) const {
  const auto rules = std::ranges::find(rules_, match.game, &DeckRules::game);
  if (rules == rules_.end()) return Fail(ErrorCode::kInvalid, match.game + " is not played with decks", "deck");
  const std::vector<DeckProblem> problems = (*rules)->Check(deck);
  if (!problems.empty()) {
    return Fail(ErrorCode::kInvalid, "the deck " + Quote(deck.name) + " is not legal: " + problems.front().message,
                "deck");
  }
  if (match.options.is_null()) match.options = json::Object();
  if (!match.options.is_object()) {
    return Fail(ErrorCode::kInvalid, "options must be an object; got " + std::string(json::TypeName(match.options)),
                "options");
  }
  json::Object& options = match.options.get_object();
  const std::string format = deck.format.empty() ? (*rules)->formats().front() : deck.format;
  if (match.deck_format.empty()) match.deck_format = format;
  if (match.deck_format != format) {
    return Fail(ErrorCode::kInvalid,
                "the decks of a match are of one format; " + Quote(deck.name) + " is of " + format +
                    ", and the one before it of " + match.deck_format,
                "deck");
  }
  if (!options.contains("format")) options["format"] = format;
  json::Value& decks = options["decks"];
  if (!decks.is_object()) decks = json::Object();
  const std::string side = FoldName(match.sides[seat]);
  if (deck.side != side) {
    return Fail(ErrorCode::kInvalid, "the deck " + Quote(deck.name) + " is the " + deck.side + "'s", "deck");
  }
  decks.get_object()[side] = (*rules)->ToOption(deck);
  return {};
}

void Intake::Forget(Scheduler& scheduler, const WantedMatch& match) const {
  for (const WebhookId& target : match.targets) Forget(scheduler, target);
}

void Intake::Forget(Scheduler& scheduler, const AgentSpec& prepared) const {
  if (const WebhookId target = TargetOf(prepared); !target.empty()) Forget(scheduler, target);
}

void Intake::ForgetOthers(Scheduler& scheduler, const std::vector<AgentSpec>& seated) const {
  std::vector<WebhookId> kept;
  for (const AgentSpec& agent : seated) {
    if (WebhookId target = TargetOf(agent); !target.empty()) kept.push_back(std::move(target));
  }
  registry_.KeepWebhooks(std::move(kept), scheduler, [](const Result<std::size_t>& gone) {
    if (!gone) {
      log::Warn("unused webhook targets were not forgotten: {}", gone.error().message);
    } else if (*gone > 0) {
      log::Info("forgot {} targets of webhooks whose tables ended with the server", *gone);
    }
  });
}

void Intake::Forget(Scheduler& scheduler, const WebhookId& target) const {
  registry_.ForgetWebhook(target, scheduler, [](const Result<WebhookTarget>& gone) {
    if (!gone) log::Warn("a webhook's target was not forgotten: {}", gone.error().message);
  });
}

}  // namespace openseat::console
