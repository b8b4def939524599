// NarrativeApi's POST /api/games/:id/turns.
#include <algorithm>
#include <memory>
#include <utility>

#include "agents/external/external_agent.h"
#include "games/narrative/narrative.h"
#include "protocols/narrative/narrative_impl.h"
#include "protocols/narrative/render.h"

namespace openseat::narrative {
namespace {

using games::narrative::kNarrator;
using games::narrative::Story;
using games::narrative::StoryOf;
using games::narrative::Wish;

constexpr SeatIndex kPlayer = kNarrator + 1;

bool Same(const Wish& wish, const TurnRequest& request) {
  return wish.choice_id == request.choice_id && (!request.choice_id.empty() || wish.text == request.text);
}

// Whether callers of this protocol play the story, and not an agent or the holder of a token.
bool IsPlayedHere(const Match& match) {
  const std::vector<PlannedSeat>& seats = match.spec().seats;
  if (seats.size() != 2 || seats[kPlayer].agent.kind != "external") return false;
  const auto options = ParseExternalAgentOptions(seats[kPlayer].agent.options);
  return options && options->token_hash.empty() && options->key_hash.empty();
}

Failure Refusal(const Error& error, const Story& story) {
  switch (error.code) {
    case ErrorCode::kBusy:
      if (!error.path.empty()) return {429, "RATE_LIMITED", error.message, {}, error.wait};
      [[fallthrough]];
    case ErrorCode::kNotYourTurn:
      return {409, "TURN_IN_PROGRESS", "The last turn is still being narrated"};
    case ErrorCode::kClosed:
      return {409, "GAME_OVER", error.message};
    case ErrorCode::kIncorrectMove: {
      json::Array ids;
      for (const games::narrative::Offer& offer : story.Offers()) ids.emplace_back(offer.id);
      return {409, "CHOICE_NOT_ON_OFFER", "This choice is not on offer now", {{"choices", std::move(ids)}}};
    }
    case ErrorCode::kIncorrectData:
      return InvalidRequest({error.path}, error.message);
    default:
      return {503, "UNAVAILABLE", error.message};
  }
}

}  // namespace

void NarrativeApi::PlayTurn(const net::HttpRequest& request, net::HttpReply reply) {
  const MatchName name = ParseMatchName(request.Param("id"));
  const std::string& id = name.id.str();
  Read<TurnRequest> read = ReadTurn(request);
  const bool keyed = read && !read->key.empty();
  const auto answer =
      std::make_shared<Answer>(std::move(reply), keyed ? "turn " + id + " " + read->key : std::string());
  if (!read) return answer->Fail(read.error());
  if (!Admit(request, *answer)) return;
  VersionWish wish(request, read->version);
  const auto wanted = std::make_shared<const WantedTurn>(WantedTurn{std::move(*read), std::move(wish), answer});
  OnGame(
      name, answer, [this, wanted](Match& match, const MatchRef&) { Play(match, wanted); },
      [wanted, id = id](const Record& record) {
        // Nothing more can be played, but what was is still the answer to its request.
        const GameView view = ViewOf(record.fold);
        const std::vector<int> versions = VersionsOf(view.story->version());
        const std::optional<int> version = wanted->version_wish.BestOf(versions);
        if (!version) return wanted->answer->Fail(NotAcceptable(versions));
        const auto& turns = view.story->turns();
        const auto done = std::ranges::find_if(turns, [&](const auto& turn) {
          return !wanted->request.key.empty() && turn->wish && turn->wish->ref == wanted->request.key;
        });
        if (done == turns.end()) return wanted->answer->Fail({409, "GAME_OVER", "The story is over"});
        if (!Same(*(*done)->wish, wanted->request)) return wanted->answer->Fail(KeyReused());
        json::Object data = RenderTurn(view, static_cast<std::size_t>(done - turns.begin()) + 1);
        data["id"] = id;
        data["schemaVersion"] = *version;
        wanted->answer->SetReplayed();
        wanted->answer->Ok(200, std::move(data));
      });
}

void NarrativeApi::Play(Match& match, const std::shared_ptr<const WantedTurn>& wanted) {
  const TurnRequest& request = wanted->request;
  const Story& story = *StoryOf(match.state());
  const std::vector<int> versions = VersionsOf(story.version());
  if (!wanted->version_wish.BestOf(versions)) return wanted->answer->Fail(NotAcceptable(versions));
  if (!IsPlayedHere(match)) {
    return wanted->answer->Fail({403, "NOT_PLAYED_HERE", "The player of this story is an agent, or plays elsewhere"});
  }
  if (!request.key.empty()) {
    for (std::size_t i = 0; i < story.turns().size(); ++i) {
      const std::optional<Wish>& done = story.turns()[i]->wish;
      if (!done || done->ref != request.key) continue;
      if (!Same(*done, request)) return wanted->answer->Fail(KeyReused());
      wanted->answer->SetReplayed();
      return ReplyTurn(match, i + 1, *wanted);
    }
  }
  if (match.status() == MatchStatus::kDone) {
    return wanted->answer->Fail({409, "GAME_OVER", "The story is over: " + match.outcome()->reason});
  }
  auto& running = HomeOf(match.scheduler()).running;
  const auto found = running.find(match.id());
  if (found == running.end()) return Act(match, wanted);
  if (request.key.empty() || found->second.key != request.key) {
    return wanted->answer->Fail(Refusal({ErrorCode::kBusy, {}, {}}, story));
  }
  const TurnRequest& first = found->second.waiting.front()->request;
  if (first.choice_id != request.choice_id || first.text != request.text) return wanted->answer->Fail(KeyReused());
  wanted->answer->SetReplayed();
  found->second.waiting.push_back(wanted);
}

void NarrativeApi::Act(Match& match, const std::shared_ptr<const WantedTurn>& wanted) {
  const TurnRequest& request = wanted->request;
  HomeOf(match.scheduler()).running.emplace(match.id(), Home::Running{request.key, {wanted}});
  running_.fetch_add(1);
  json::Object data;
  if (request.choice_id.empty()) {
    data["text"] = request.text;
  } else {
    data["choiceId"] = request.choice_id;
  }
  if (!request.key.empty()) data["ref"] = request.key;
  Choice choice{.action = request.choice_id.empty() ? "say" : "choose", .data = std::move(data)};
  const auto end = [this, &match] {
    running_.fetch_sub(1);
    return std::move(HomeOf(match.scheduler()).running.extract(match.id()).mapped());
  };
  auto gone = match.WhenGone([end, id = match.id()] {
    for (const auto& each : end().waiting) each->answer->Fail(GoesOnElsewhere(id));
  });
  const auto told = [this, &match, end, gone = std::move(gone)](const Verdict& verdict) {
    const Home::Running done = end();
    const Story& story = *StoryOf(match.state());
    for (const auto& each : done.waiting) {
      if (verdict.accepted()) {
        ReplyTurn(match, story.turns().size(), *each);
      } else if (verdict.code == ErrorCode::kConflict || verdict.code == ErrorCode::kTimeout) {
        each->answer->Fail(UndoneFailure(match));
      } else {
        each->answer->Fail(Refusal(verdict.error(), story));
      }
    }
  };
  const Result<ChoiceId> chosen = match.seat(kPlayer).Choose(std::move(choice), told);
  if (!chosen) told(Verdict::Refused(chosen.error()));
}

void NarrativeApi::ReplyTurn(const Match& match, std::size_t number, const WantedTurn& wanted) {
  const GameView view = ViewOf(match);
  json::Object data = RenderTurn(view, number);
  data["id"] = match.id().str();
  // It was negotiated before.
  data["schemaVersion"] = wanted.version_wish.BestOf(VersionsOf(view.story->version())).value_or(view.story->version());
  if (wanted.request.debug) {
    ReplyWithDebug(match.id(), std::move(data), 200, wanted.answer);
  } else {
    wanted.answer->Ok(200, std::move(data));
  }
}

}  // namespace openseat::narrative
