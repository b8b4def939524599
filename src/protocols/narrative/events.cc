#include "protocols/narrative/events.h"

#include <algorithm>
#include <string>
#include <utility>

#include "games/narrative/narrative.h"
#include "protocols/narrative/render.h"
#include "protocols/narrative/replies.h"

namespace openseat::narrative {
namespace {

constexpr Duration kKeepAlive = std::chrono::seconds(15);
// Turns that one listener is sent before others have their turn.
constexpr std::size_t kAtOnce = 8;

}  // namespace

EventStream::EventStream(Lobby& lobby, MatchRef ref, Match& match, net::HttpStream stream)
    : lobby_(lobby), ref_(std::move(ref)), match_(match), stream_(std::move(stream)) {}

void EventStream::Begin(Lobby& lobby, MatchRef ref, Match& match, net::HttpStream stream,
                        std::optional<std::size_t> last_seen) {
  const auto self = std::make_shared<EventStream>(lobby, std::move(ref), match, std::move(stream));
  const GameView view = ViewOf(match);
  const std::size_t turns = view.story->turns().size();
  self->told_ = std::min(turns, last_seen.value_or(turns));
  const json::Value status = RenderSummary(view).at("status");
  self->Send("status", json::Object{{"status", status}, {"turnNumber", turns}});
  self->watch_ =
      match.Watch(Viewer::Spectator(), [self](MatchEvent event, const Match&, Viewer) { self->Notice(event); });
  self->KeepAlive();
  self->CatchUp();
}

void EventStream::CatchUp() {
  behind_ = !SendTurns();
  if (behind_) {
    match_.scheduler().After(Duration(0), [self = weak_from_this()] {
      if (const auto alive = self.lock()) alive->CatchUp();
    });
  } else {
    Notice(match_.status() == MatchStatus::kDone ? MatchEvent::kEnd : MatchEvent::kUpdate);
  }
}

void EventStream::Notice(MatchEvent event) {
  if (!stream_ || behind_) return;
  if (match_.in_turn()) {
    const auto* story = games::narrative::StoryOf(match_.state());
    if (std::exchange(in_turn_, true)) return;
    const std::shared_ptr<const Sight> sight = match_.SightOf(Viewer::Spectator());
    const json::Value* pending = json::Find(sight->observation(), "pending");
    json::Object data{{"turnNumber", story->turns().size() + 1}};
    if (pending != nullptr) data["input"] = *pending;
    Send("turn-started", data);
    return;
  }
  const bool ended_turn = std::exchange(in_turn_, false);
  const std::size_t before = told_;
  if (!SendTurns()) return CatchUp();
  if (ended_turn && told_ == before && event != MatchEvent::kEnd) {
    Send("turn-failed", json::Object{{"turnNumber", told_ + 1}, {"error", ToJson(UndoneFailure(match_))}});
  }
  if (event == MatchEvent::kEnd) SendOver();
}

bool EventStream::SendTurns() {
  const GameView view = ViewOf(match_);
  const std::size_t turns = view.story->turns().size();
  for (std::size_t sent = 0; stream_ && told_ < turns; ++sent) {
    if (sent == kAtOnce) return false;
    ++told_;
    Send("turn", RenderTurn(view, told_), std::to_string(told_));
  }
  return true;
}

void EventStream::SendOver() {
  Send("over", json::Object{{"reason", match_.outcome()->reason}});
  End();
}

void EventStream::Send(std::string_view event, const json::Value& data, std::string_view id) {
  if (stream_ && !stream_->Write(net::ServerSentEvent(event, json::Write(data), id))) End();
}

void EventStream::KeepAlive() {
  if (!stream_) return;
  keep_alive_.Set(match_.scheduler(), kKeepAlive, [this] {
    if (stream_ && !stream_->Write(": still here\n\n")) return End();
    KeepAlive();
  });
}

void EventStream::End() {
  stream_.reset();
  // Later: the match may be telling others. By then it may be destroyed, and this with it.
  lobby_.OnMatch(
      ref_,
      [self = weak_from_this()](Match& match) {
        if (const auto alive = self.lock()) {
          alive->keep_alive_.Cancel();
          match.Unwatch(alive->watch_);
        }
      },
      [] {});
}

}  // namespace openseat::narrative
