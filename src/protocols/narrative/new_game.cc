// NarrativeApi's POST /api/games.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "agents/external/seat_token.h"
#include "games/narrative/narrative.h"
#include "net/client_address.h"
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

// The mark of a game that was made under a key: the request's digest, then the key.
std::string RefOf(const NewGameRequest& request) {
  return request.digest + ":" + request.key;
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
  const bool is_private = read->is_private.value_or(!net::IsLocal(request));
  const auto wanted =
      std::make_shared<const WantedGame>(WantedGame{std::move(*read), *version, is_private, answer, request.payer});
  if (!keyed) {
    if (Admit(request, *answer)) Start(wanted, nullptr);
    return;
  }
  if (!Admit(request, *answer)) return;
  index_home_.Post([this, wanted] { LoadKeys([this, wanted] { CreateUnderKey(wanted); }); });
}

// On index_home_: the options of games from an earlier run say which of them were made under keys.
void NarrativeApi::LoadKeys(Task then) {
  if (keys_loaded_) return then();
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
        if (match.game()->info().id != games::narrative::kGameId) return;
        const json::Value* ref = json::Find(match.spec().options, "ref");
        if (ref == nullptr || !ref->is_string()) return;
        const std::string_view mark = json::View(ref->get_string());
        if (mark.size() <= kDigest + 1 || mark[kDigest] != ':') return;
        const std::lock_guard lock(found->mutex);
        found->made[std::string(mark.substr(kDigest + 1))] =
            std::make_shared<Made>(Made{std::string(mark.substr(0, kDigest)), match.id(), {}});
      },
      [this, found] {
        made_ = std::move(found->made);
        keys_loaded_ = true;
        for (Task& task : std::exchange(waiting_for_keys_, {})) task();
      });
}

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
  if (made_.size() >= kMaxKeys) {
    // Any key that is not in use: it need not be the oldest, since nobody comes back for the others either.
    for (auto it = made_.begin(); it != made_.end(); ++it) {
      if (!it->second->id) continue;
      made_.erase(it);
      break;
    }
  }
  const auto made = std::make_shared<Made>(Made{request.digest, std::nullopt, {}});
  made_.emplace(request.key, made);
  Start(wanted, made);
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
    Conclude(wanted, made, id);
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
    if (!id) {
      if (const auto found = made_.find(key); found != made_.end() && found->second == made) made_.erase(found);
    }
    for (const auto& other : std::exchange(made->waiting, {})) {
      if (!id) {
        CreateUnderKey(other);
        continue;
      }
      OnView(MatchName{*id, {}}, other->answer, [this, other](const GameView& game) { ReplyGame(game, *other); });
    }
  });
}

}  // namespace openseat::narrative
