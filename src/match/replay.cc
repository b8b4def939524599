#include "match/replay.h"

#include <charconv>
#include <utility>

#include "base/text.h"
#include "base/time.h"

namespace openseat {
namespace {

constexpr std::size_t kReplayPage = 1000;

json::Object Envelope(const StoredEvent& event, std::string_view kind, json::Object payload) {
  return {
      {"seq", event.seq}, {"time", FormatIso8601(event.event.time)}, {"kind", kind}, {"payload", std::move(payload)}};
}

// What the viewer may know about a match from the start: not its seed, only the kinds of its agents, and of its options
// what the game shows.
json::Object PublicOpening(const MatchFold& fold, Viewer viewer) {
  const MatchSpec& spec = fold.spec();
  const GameInfo& info = spec.game->info();
  json::Object payload{{"kind", "hosted"}, {"game", info.id}, {"rules_version", fold.rules_version()}};
  if (!fold.has_rules()) {
    payload["warning"] = "begun by version " + std::to_string(fold.rules_version()) +
                         " of the rules; this program has version " + std::to_string(info.rules_version) +
                         " and shows what was recorded";
  } else if (!spec.options.is_null()) {
    payload["options"] = spec.game->PublicOptions(spec.options, viewer);
  }
  if (spec.fork) payload["fork"] = ForkName(*spec.fork);
  json::Array seats;
  for (const PlannedSeat& seat : spec.seats) {
    json::Object entry;
    if (!seat.agent.kind.empty()) entry = {{"name", seat.name}, {"agent", seat.agent.kind}};
    seats.push_back(std::move(entry));
  }
  if (!seats.empty()) payload["seats"] = std::move(seats);
  return payload;
}

// The players who have joined so far, before the match begins.
Result<std::vector<std::string>> PlayersOf(Journal& journal, const MatchSpec& spec) {
  std::vector<std::string> players;
  for (Seq after = 0;;) {
    const Result<std::vector<StoredEvent>> events = journal.Read(spec.id, after, kReplayPage);
    if (!events) return Fail(events.error());
    if (events->empty()) return players;
    for (const StoredEvent& event : *events) {
      if (event.event.kind != EventKind::kJoined) continue;
      const Result<json::Value> payload = json::Parse(event.event.payload);
      if (!payload) return Fail(payload.error());
      Result<SeatedPlayer> player = ReadJoined(*payload);
      if (!player) return Fail(std::move(player).error());
      players.push_back(std::move(player->name));
      if (players.size() == spec.players_needed()) return players;
    }
    after = events->back().seq;
  }
}

Result<Viewer> FindViewer(std::string_view text, const std::vector<std::string>& players) {
  if (text == kSpectatorViewer) return Viewer::Spectator();
  SeatIndex number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && number < players.size()) {
    return Viewer::Seat(number);
  }
  std::string known;
  for (SeatIndex seat = 0; seat < players.size(); ++seat) {
    if (players[seat] == text) return Viewer::Seat(seat);
    if (known.size() < kListedBytes)
      known += ", " + std::to_string(seat) + " (" + Ellipsize(players[seat], kQuotedBytes) + ")";
  }
  return Fail(ErrorCode::kInvalid, "the match can be seen as spectator" + known + "; got " + Quote(text), "viewer");
}

// Whether only the seat itself and its agent know of such events. Choices and verdicts are in older journals.
bool IsOfASeat(EventKind kind) {
  return kind == EventKind::kDecision || kind == EventKind::kChoice || kind == EventKind::kVerdict ||
         kind == EventKind::kRefusal || kind == EventKind::kDecisionEnd;
}

}  // namespace

std::optional<std::string> HostedGameOf(std::string_view opened_payload) {
  const Result<json::Value> opened = json::Parse(opened_payload);
  if (!opened) return std::nullopt;
  const json::Value* kind = json::Find(*opened, "kind");
  const json::Value* game = json::Find(*opened, "game");
  if (kind == nullptr || *kind != json::Value("hosted") || game == nullptr || !game->is_string()) return std::nullopt;
  return std::string(json::View(game->get_string()));
}

Replay::Replay(Journal& journal, const TableId& id, MatchFold fold, StoredEvent opened, Viewer viewer)
    : journal_(journal), id_(id), fold_(std::move(fold)), opened_(std::move(opened)), viewer_(viewer) {}

Result<Replay> Replay::Open(Journal& journal, const Game& game, const TableId& id, std::string_view viewer_text) {
  Result<std::vector<StoredEvent>> first = journal.Read(id, 0, 1);
  if (!first) return Fail(std::move(first).error());
  if (first->empty()) return Fail(ErrorCode::kParse, "the journal of " + id.str() + " is empty");
  Result<MatchFold> fold = MatchFold::Begin(id, game, first->front(), MatchFold::OldRules::kRead);
  if (!fold) return Fail(std::move(fold).error());
  const Result<std::vector<std::string>> players = PlayersOf(journal, fold->spec());
  if (!players) return Fail(players.error());
  const Result<Viewer> viewer = FindViewer(viewer_text, *players);
  if (!viewer) return Fail(viewer.error());
  return Replay(journal, id, std::move(*fold), std::move(first->front()), *viewer);
}

Result<void> Replay::Run(Seq after, const std::function<bool(json::Object)>& show) {
  if (opened_.seq > after && fold_.last_seq() == opened_.seq) {
    if (!show(Envelope(opened_, "opened", PublicOpening(fold_, viewer_)))) return {};
  }
  for (;;) {
    const Result<std::vector<StoredEvent>> events = journal_.Read(id_, fold_.last_seq(), kReplayPage);
    if (!events) return Fail(events.error());
    if (events->empty()) return {};
    for (const StoredEvent& event : *events) {
      Result<MatchFold::Step> step = fold_.Apply(event);
      if (!step) return Fail(std::move(step).error());
      if (event.seq <= after) {
        if (step->told && fold_.state() != nullptr) last_sight_ = fold_.View(viewer_).sight;
        continue;
      }
      std::optional<json::Object> told = Told(event, std::move(*step));
      if (told && !show(std::move(*told))) return {};
    }
  }
}

std::optional<json::Object> Replay::Told(const StoredEvent& event, MatchFold::Step step) {
  const EventKind kind = event.event.kind;
  json::Object payload;
  switch (kind) {
    case EventKind::kJoined: {
      const SeatedPlayer& player = fold_.players()[*step.seat];
      payload = {{"seat", *step.seat}, {"name", player.name}};
      if (player.agent) payload["agent"] = player.agent->kind;
      if (step.told) AddView(*step.told, payload);
      return Envelope(event, "joined", std::move(payload));
    }
    case EventKind::kHandedOver: {
      const SeatedPlayer& player = fold_.players()[*step.seat];
      payload = {{"seat", *step.seat}, {"name", player.name}, {"agent", player.agent->kind}};
      return Envelope(event, *EventKindName(kind), std::move(payload));
    }
    case EventKind::kPlayed: {
      // Only the seat that chose knows its choice; the others see what the rules let them see of it.
      bool own = viewer_.seat() == step.seat;
      // Without the rules only the choice itself can be shown; if nothing is hidden, all may see it.
      own = own || (!fold_.has_rules() && !fold_.spec().game->info().hides);
      if (own) {
        payload = std::move(step.payload.get_object());
        payload["result"] = std::move(step.result);
      } else if (!step.told) {
        return std::nullopt;
      }
      if (step.told) AddView(*step.told, payload);
      return Envelope(event, own ? "played" : "update", std::move(payload));
    }
    case EventKind::kTakenBack: {
      for (const char* name : {"seat", "choices"}) payload[name] = *json::Find(step.payload, name);
      last_sight_.reset();  // nothing new has happened
      AddView(*step.told, payload);
      return Envelope(event, *EventKindName(kind), std::move(payload));
    }
    case EventKind::kOffer:
    case EventKind::kChat:
      payload = std::move(step.payload.get_object());
      payload.erase("invite");  // for the players
      return Envelope(event, *EventKindName(kind), std::move(payload));
    case EventKind::kEnded:
      AddView(*step.told, payload);
      return Envelope(event, "ended", std::move(payload));
    case EventKind::kGap: {
      // The reason is for the operator.
      const Result<json::Value> gap = json::Parse(event.event.payload);
      if (!gap || !gap->is_object()) return std::nullopt;
      for (const char* name : {"lost", "since"}) {
        if (const json::Value* value = json::Find(*gap, name)) payload[name] = *value;
      }
      return Envelope(event, *EventKindName(kind), std::move(payload));
    }
    case EventKind::kClosed:
      break;
    default:
      if (!IsOfASeat(kind)) return std::nullopt;
      break;
  }
  const Result<json::Value> parsed = json::Parse(event.event.payload);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  if (kind != EventKind::kClosed) {
    const json::Value* seat = json::Find(*parsed, "seat");
    if (!viewer_.seat() || seat == nullptr || !json::Equal(*seat, json::Value(*viewer_.seat()))) return std::nullopt;
  }
  return Envelope(event, *EventKindName(kind), parsed->get_object());
}

void Replay::AddView(MatchEvent told, json::Object& payload) {
  const SeatView view = fold_.View(viewer_);
  payload["event"] = MatchEventName(told);
  payload["status"] = view.status;
  if (fold_.state() != nullptr) {
    payload["state"] = view.sight->Observe();
    if (shows_views_) {
      if (Result<json::Value> drawn = json::Parse(view.sight->View()); drawn) payload["view"] = *std::move(drawn);
    }
    if (const auto before = std::exchange(last_sight_, view.sight); before != nullptr) {
      const std::vector<std::string> news = view.sight->News(*before);
      if (!news.empty()) payload["news"] = json::Array(news.begin(), news.end());
    }
  } else if (const json::Value* seen = fold_.seen().Of(viewer_)) {
    payload["state"] = *seen;
  }
  AddOutcome(view, payload);
}

}  // namespace openseat
