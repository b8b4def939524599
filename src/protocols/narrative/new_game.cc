// NarrativeApi's POST /api/games.
#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

#include "agents/external/seat_token.h"
#include "base/json_members.h"
#include "games/narrative/narrative.h"
#include "net/client_address.h"
#include "net/percent.h"
#include "protocols/narrative/narrative_impl.h"
#include "protocols/narrative/render.h"

namespace openseat::narrative {
namespace {

using games::narrative::kNarrator;
using games::narrative::SavedTurn;
using games::narrative::StoryOf;

constexpr std::size_t kMaxKeys = 100'000;
constexpr std::size_t kDigest = 32;
constexpr std::string_view kExternal = "external";
// Whether a story that is passed on is private unless its request says otherwise: "1" or "0".
constexpr const char* kPrivateHeader = "X-Openseat-Private";

// The mark of a game that was made under a key: the request's digest, then the key.
std::string RefOf(const NewGameRequest& request) {
  return request.digest + ":" + request.key;
}

// Its opening could not be told: there is no such story.
bool HasFailed(const GameView& view) {
  return view.seen.outcome && view.story->turns().empty() && view.narrator != kExternal;
}

// The mark of a match; "" if it was not made under a key, or is no story after all.
std::string_view RefOf(const Match& match) {
  if (match.game()->info().id != games::narrative::kGameId) return {};
  if (match.status() == MatchStatus::kDone && (!match.started() || HasFailed(ViewOf(match)))) return {};
  const json::Value* ref = json::Find(match.spec().options, "ref");
  if (ref == nullptr || !ref->is_string()) return {};
  const std::string_view mark = json::View(ref->get_string());
  return mark.size() <= kDigest + 1 || mark[kDigest] != ':' ? std::string_view() : mark;
}

Failure FailureOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalid:
    case ErrorCode::kNotFound:
    case ErrorCode::kDenied:
    case ErrorCode::kParse: {
      json::Array path{"narrator"};
      if (!error.path.empty()) path.emplace_back(error.path);
      return InvalidRequest(std::move(path), error.message);
    }
    default:
      return {503, "UNAVAILABLE", error.message};
  }
}

// The turns that a branch begins with. Completes what the request leaves to the other story, which `narrator` tells.
Read<json::Array> BeginBranch(NewGameRequest& request, const GameView& other, const AgentSpec& narrator,
                              const AgentKinds& kinds) {
  const games::narrative::Story& story = *other.story;
  const std::size_t turn = request.from->turn;
  if (turn > story.turns().size()) {
    return tl::unexpected(
        InvalidRequest({"from", "turn"}, "The story has " + std::to_string(story.turns().size()) + " turn(s)"));
  }
  request.turns = request.turns.value_or(story.max_turns());
  if (!story.After(turn).ending().empty() || *request.turns <= static_cast<int>(turn)) {
    return tl::unexpected(InvalidRequest({"from", "turn"}, "The story ends with this turn; nothing can follow it"));
  }
  request.scenario = story.scenario().id;
  if (request.player.empty()) request.player = other.seen.names[kNarrator + 1];
  // A narrator from elsewhere was asked for the other story only.
  const AgentKind* kind = kinds.Find(narrator.kind);
  if (!request.narrator && kind != nullptr && kind->plays_from == PlaysFrom::kHere) request.narrator = narrator;
  json::Array begun;
  for (std::size_t i = 0; i < turn; ++i) begun.push_back(SavedTurn(*story.turns()[i], /*with_ref=*/false));
  return begun;
}

}  // namespace

void NarrativeApi::CreateGame(const net::HttpRequest& request, net::HttpReply reply) {
  Read<NewGameRequest> read = ReadNewGame(request, kinds_);
  const bool keyed = read && !read->key.empty();
  const auto answer = std::make_shared<Answer>(std::move(reply), keyed ? "game " + RefOf(*read) : std::string());
  if (!read) return answer->Fail(read.error());
  const std::optional<int> version = VersionWish(request, read->version).BestOf({1, 2});
  if (!version) return answer->Fail(NotAcceptable({1, 2}));
  const std::string_view told = IsPassedOn(request) ? request.headers.Get(kPrivateHeader) : std::string_view();
  const bool is_private = read->is_private.value_or(told.empty() ? !net::IsLocal(request) : told == "1");
  std::shared_ptr<net::HttpRequest> asked;
  if (keyed && InCluster()) {
    asked = std::make_shared<net::HttpRequest>(request);
    asked->headers.Set(kPrivateHeader, is_private ? "1" : "0");
  }
  const auto wanted = std::make_shared<const WantedGame>(
      WantedGame{std::move(*read), *version, is_private, answer, request.payer, std::move(asked)});
  if (!keyed) {
    if (Admit(request, *answer)) Start(wanted, nullptr);
    return;
  }
  if (!Admit(request, *answer)) return;
  index_home_.Post([this, wanted] { LoadKeys([this, wanted] { CreateUnderKey(wanted); }); });
}

// On index_home_: the options of games from an earlier run, or of another server before, say which of them were made
// under keys.
void NarrativeApi::LoadKeys(BilledTask then) {
  const auto now = InCluster() ? cluster_.others->Served() : net::OtherServers::Serving();
  if (keys_loaded_ && now.takes == searched_.takes && (now.shards & ~searched_.shards) == 0) return then();
  waiting_for_keys_.push_back(std::move(then));
  if (waiting_for_keys_.size() > 1) return;
  struct Found {
    std::mutex mutex;
    std::unordered_map<std::string, std::shared_ptr<Made>> made;
  };
  const auto found = std::make_shared<Found>();
  lobby_.Visit(
      index_home_,
      [found](const Match& match) {
        const std::string_view mark = RefOf(match);
        if (mark.empty()) return;
        const std::lock_guard lock(found->mutex);
        found->made[std::string(mark.substr(kDigest + 1))] =
            std::make_shared<Made>(Made{std::string(mark.substr(0, kDigest)), match.id(), {}});
      },
      [this, found, now] {
        made_.merge(found->made);
        LimitKeys(kMaxKeys);
        keys_loaded_ = true;
        searched_ = now;
        // Stories that came meanwhile may have been missed.
        for (BilledTask& waiting : std::exchange(waiting_for_keys_, {})) LoadKeys(std::move(waiting));
      });
}

// Any keys that are not in use: they need not be the oldest, since nobody comes back for the others either.
void NarrativeApi::LimitKeys(std::size_t most) {
  for (auto it = made_.begin(); it != made_.end() && made_.size() > most;) {
    it = it->second->id ? made_.erase(it) : std::next(it);
  }
}

void NarrativeApi::Forget(const std::string& key, const std::shared_ptr<Made>& made) {
  if (const auto found = made_.find(key); found != made_.end() && found->second == made) made_.erase(found);
}

void NarrativeApi::PassOn(const std::shared_ptr<const WantedGame>& wanted) {
  const std::optional<std::string> maker = cluster_.maker(wanted->request.key);
  // Two servers that do not agree must not send a request to and fro.
  if (!maker || maker->empty() || IsPassedOn(*wanted->asked)) return wanted->answer->Fail(KeyMoves());
  cluster_.others->PassOn(*maker, *wanted->asked, [answer = wanted->answer](net::HttpResponse response) {
    answer->Relay(std::move(response));
  });
}

// A story that was made when another server had the key may be anywhere, or be about to be made. A story on its way
// between servers is at none of them: its shard is not among those that they know then.
void NarrativeApi::StartIfNew(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made) {
  // What comes here from now on is not looked for under this key.
  const auto heard = [this, wanted, made,
                      known = KeysKnown()](const std::vector<net::OtherServers::Answer>& answers) mutable {
    bool is_new = true;
    for (const net::OtherServers::Answer& answer : answers) {
      const Result<json::Value> told = answer.body ? json::Parse(*answer.body) : Fail(ErrorCode::kIo, "");
      if (!told || !told->is_object()) continue;
      const json::Object& about = told->get_object();
      known |= json::WholeOf(about, "known").value_or(0);
      is_new = is_new && !json::BoolOf(about, "making", false);
      const std::optional<std::string> id = json::FindText(about, "id");
      if (!id) continue;
      made->id = TableId(*id);
      made->digest = json::FindText(about, "digest").value_or(std::string());
    }
    is_new = is_new && known == ~std::uint64_t{0};
    if (is_new && !made->id) return Start(wanted, made);
    if (!made->id) made_.erase(wanted->request.key);
    made->waiting.insert(made->waiting.begin(), wanted);
    for (const auto& each : std::exchange(made->waiting, {})) {
      made->id ? CreateUnderKey(each) : each->answer->Fail(KeyMoves());
    }
  };
  cluster_.others->AskAll(*wanted->asked, std::string(kKeyPath) + "?key=" + net::PercentEncode(wanted->request.key),
                          heard);
}

void NarrativeApi::TellKey(const net::HttpRequest& request, net::HttpReply reply) {
  const std::string* key = request.Query("key");
  if (!IsPassedOn(request) || key == nullptr) {
    return std::move(reply).Send(net::OtherServers::NotForClients());
  }
  index_home_.Post([this, key = *key, waiting = std::make_shared<net::HttpReply>(std::move(reply))] {
    LoadKeys([this, key, waiting] { TellMade(key, waiting); });
  });
}

void NarrativeApi::TellMade(const std::string& key, const std::shared_ptr<net::HttpReply>& reply) {
  json::Object told{{"known", KeysKnown()}};
  const auto send = [reply](const json::Object& what) { std::move(*reply).Send(net::HttpResponse::Json(200, what)); };
  const auto found = made_.find(key);
  if (found == made_.end()) return send(told);
  const std::shared_ptr<Made>& made = found->second;
  if (!made->id) {
    told["making"] = true;
    return send(told);
  }
  told["id"] = made->id->str();
  told["digest"] = made->digest;
  const auto look = [this, key, made, reply, send, told](const GameView& view) {
    if (!HasFailed(view)) return send(told);
    index_home_.Post([this, key, made, reply] {
      Forget(key, made);
      TellMade(key, reply);
    });
  };
  FindGame(
      MatchName{*made->id, {}}, [send, told](const Failure&) { send(told); },
      [look](const Match& match, const MatchRef&) { look(ViewOf(match)); },
      [look](const Record& record) { look(ViewOf(record.fold)); });
}

// On index_home_.
void NarrativeApi::CreateUnderKey(const std::shared_ptr<const WantedGame>& wanted) {
  const NewGameRequest& request = wanted->request;
  if (const auto found = made_.find(request.key); found != made_.end()) {
    const std::shared_ptr<Made>& made = found->second;
    if (made->digest != request.digest) return wanted->answer->Fail(KeyReused());
    wanted->answer->SetReplayed();
    made->waiting.push_back(wanted);
    if (made->id) Conclude(wanted, made, made->id);
    return;
  }
  if (!MakesHere(request.key)) return PassOn(wanted);
  LimitKeys(kMaxKeys - 1);
  const auto made = std::make_shared<Made>(Made{request.digest, std::nullopt, {}});
  made_.emplace(request.key, made);
  InCluster() ? StartIfNew(wanted, made) : Start(wanted, made);
}

void NarrativeApi::Branch(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made) {
  const auto begin = [this, wanted, made](const GameView& view, const AgentSpec& narrator) {
    WantedGame branch = *wanted;
    Read<json::Array> begun = BeginBranch(branch.request, view, narrator, kinds_);
    if (!begun) return Abandon(wanted, made, begun.error());
    branch.begun = std::move(*begun);
    const auto& turns = view.story->turns();
    if (branch.request.from->differently && branch.begun.size() < turns.size()) {
      branch.unlike = json::TextOf(turns[branch.begun.size()]->narration, "narrative");
    }
    branch.version = view.story->version();
    Start(std::make_shared<const WantedGame>(std::move(branch)), made);
  };
  FindGame(
      ParseMatchName(wanted->request.from->id),
      [this, wanted, made](const Failure& failure) { Abandon(wanted, made, failure); },
      [begin](const Match& match, const MatchRef&) {
        const std::vector<PlannedSeat>& seats = match.spec().seats;
        begin(ViewOf(match), seats.empty() ? AgentSpec() : seats[kNarrator].agent);
      },
      [begin](const Record& record) {
        begin(ViewOf(record.fold), record.fold.players()[kNarrator].agent.value_or(AgentSpec()));
      });
}

void NarrativeApi::Start(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made) {
  const NewGameRequest& request = wanted->request;
  if (request.from && wanted->begun.empty()) return Branch(wanted, made);
  std::vector<PlannedSeat> seats(2);
  seats[kNarrator].name = request.player == "Narrator" ? "The Narrator" : "Narrator";
  seats[kNarrator + 1] = {request.player, {std::string(kExternal), {}}};
  AgentSpec narrator = request.narrator.value_or(options_.narrator);
  std::string secret;
  if (kinds_.IsPlayedFromOutside(narrator.kind)) secret = MintSeat(narrator.options).token;
  // Stories are assigned to the threads in turn.
  const std::vector<Scheduler*>& homes = directory_.schedulers();
  Scheduler& home = *homes[next_home_.fetch_add(1, std::memory_order_relaxed) % homes.size()];
  home.Post([this, &home, wanted, made, secret, narrator = std::move(narrator), seats = std::move(seats)] {
    prepare_(home, narrator, [this, &home, wanted, made, secret, seats](Result<AgentSpec> prepared) mutable {
      if (!prepared) return Abandon(wanted, made, FailureOf(prepared.error()));
      seats[kNarrator].agent = std::move(*prepared);
      Open(home, wanted, made, std::move(seats), secret);
    });
  });
}

void NarrativeApi::Open(Scheduler& home, const std::shared_ptr<const WantedGame>& wanted,
                        const std::shared_ptr<Made>& made, std::vector<PlannedSeat> seats,
                        const std::string& narrator_secret) {
  const NewGameRequest& request = wanted->request;
  if (made && !MakesHere(request.key)) {
    forget_(home, seats[kNarrator].agent);
    return Abandon(wanted, made, KeyMoves());
  }
  json::Object options{{"scenario", request.scenario}, {"schema_version", wanted->version}};
  if (request.turns) options["turns"] = *request.turns;
  if (!wanted->begun.empty()) options["begun"] = wanted->begun;
  if (!wanted->unlike.empty()) options["unlike"] = wanted->unlike;
  if (made) options["ref"] = RefOf(request);
  const auto opened = [this, &home, wanted, made, narrator_secret,
                       narrator = seats[kNarrator].agent](const Result<MatchRef>& ref) {
    if (!ref) {
      forget_(home, narrator);
      return Abandon(wanted, made, FailureOf(ref.error()));
    }
    if (!narrator_secret.empty()) {
      wanted->answer->SetNarratorToken(SeatToken{ref->id, kNarrator, narrator_secret}.Text());
    }
    lobby_.OnMatch(
        *ref, [this, wanted, made, ref = *ref](Match& match) { AwaitOpening(match, ref, wanted, made); },
        [this, wanted, made] { Abandon(wanted, made, {503, "UNAVAILABLE", "The story ended before it began"}); });
  };
  lobby_.Create(home, games::narrative::kGameId, options, std::move(seats), opened, wanted->payer,
                wanted->is_private ? Privacy::kPrivate : Privacy::kPublic, std::nullopt, {}, Maker::kAdministrator);
}

void NarrativeApi::Abandon(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made,
                           const Failure& failure) {
  wanted->answer->Fail(failure);
  Conclude(wanted, made, std::nullopt);
}

void NarrativeApi::AwaitOpening(Match& match, const MatchRef& ref, const std::shared_ptr<const WantedGame>& wanted,
                                const std::shared_ptr<Made>& made) {
  // A narrator from outside learns of the story from this answer, so it cannot wait for the opening.
  const bool by_caller = match.spec().seats[kNarrator].agent.kind == kExternal;
  const auto settled = [this, wanted, made, by_caller](Match& now) {
    if (now.started() && (by_caller || !StoryOf(now.state())->turns().empty())) {
      ReplyGame(ViewOf(now), *wanted);
      Conclude(wanted, made, now.id());
      return true;
    }
    if (now.status() != MatchStatus::kDone) return false;
    const json::Object& failure = now.seat(kNarrator).failure();
    Abandon(wanted, made,
            failure.empty() ? Failure{504, "NARRATOR_TIMEOUT", now.outcome()->reason}
                            : NarratorFailure(failure, wanted->version));
    return true;
  };
  if (settled(match)) return;
  running_.fetch_add(1);
  const auto watch = std::make_shared<Match::WatchId>();
  const auto done = std::make_shared<bool>(false);
  auto gone = match.WhenGone([this, wanted, made, done, id = match.id()] {
    if (std::exchange(*done, true)) return;
    running_.fetch_sub(1);
    wanted->answer->Fail(GoesOnElsewhere(id));
    // Its next server knows the key, and whether its opening could be told.
    Conclude(wanted, made, InCluster() ? std::nullopt : std::optional(id));
  });
  *watch = match.Watch(Viewer::Spectator(), [this, &match, ref, settled, watch, done, gone = std::move(gone)](
                                                MatchEvent, const Match&, Viewer) {
    if (*done || !settled(match)) return;
    *done = true;
    running_.fetch_sub(1);
    lobby_.OnMatch(ref, [watch](Match& now) { now.Unwatch(*watch); }, [] {});
  });
}

void NarrativeApi::ReplyGame(GameView view, const WantedGame& wanted) {
  const std::size_t first = std::max<std::size_t>(view.begun, 1);
  const games::narrative::Story opening = view.story->After(std::min(view.story->turns().size(), first));
  view.story = &opening;
  view.narrating = opening.turns().empty();
  if (!opening.over()) view.seen.outcome.reset();
  // A branch has the version of the story that it began with.
  json::Object data = RenderGame(view, view.begun > 0 ? opening.version() : wanted.version);
  wanted.answer->AddNarrator(data);
  if (wanted.request.debug && !opening.turns().empty()) {
    ReplyWithDebug(view.seen.table, std::move(data), 201, wanted.answer);
  } else {
    wanted.answer->Ok(201, std::move(data));
  }
}

void NarrativeApi::Conclude(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made,
                            std::optional<TableId> id) {
  if (!made) return;
  index_home_.Post([this, key = wanted->request.key, made, id = std::move(id)] {
    made->id = id;
    // What failed may be tried again.
    if (!id) Forget(key, made);
    for (const auto& other : std::exchange(made->waiting, {})) {
      if (!id) {
        CreateUnderKey(other);
        continue;
      }
      ReplyMade(other, made, *id);
    }
  });
}

void NarrativeApi::ReplyMade(const std::shared_ptr<const WantedGame>& wanted, const std::shared_ptr<Made>& made,
                             const TableId& id) {
  OnGame(
      MatchName{id, {}}, wanted->answer,
      // After a restart, its opening may still be told.
      [this, wanted, made](Match& match, const MatchRef& ref) { AwaitOpening(match, ref, wanted, made); },
      [this, wanted, made, id](const Record& record) {
        const GameView view = ViewOf(record.fold);
        if (!view.story->turns().empty() || view.narrator == kExternal) return ReplyGame(view, *wanted);
        if (!view.seen.outcome) return wanted->answer->Fail(GoesOnElsewhere(id));
        Abandon(wanted, made, {504, "NARRATOR_TIMEOUT", view.seen.outcome->reason});
      });
}

}  // namespace openseat::narrative
