#include "match/match_events.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "match/match.h"

namespace openseat {
namespace {

constexpr std::size_t kTypicalBytes = 160;  // of a choice's event
constexpr std::uint64_t kMostMilliseconds = 100ull * 24 * 3600 * 1000;

json::Object Describe(const AgentSpec& spec) {
  json::Object described = spec.options;
  described["kind"] = spec.kind;
  return described;
}

Result<std::uint64_t> NumberOf(const json::Value& payload, std::string_view name) {
  const json::Value* value = json::Find(payload, name);
  if (value != nullptr && value->is_int64() && value->get_int64() >= 0) {
    return static_cast<std::uint64_t>(value->get_int64());
  }
  if (value != nullptr && value->is_uint64()) return value->get_uint64();
  return Fail(ErrorCode::kParse, "an event's " + std::string(name) + " is not a number");
}

Result<SeatIndex> SeatOf(const json::Value& payload) {
  const Result<std::uint64_t> seat = NumberOf(payload, "seat");
  if (!seat) return Fail(seat.error());
  if (*seat >= SeatSet::kMaxSeats) return Fail(ErrorCode::kParse, "there is no seat " + std::to_string(*seat));
  return static_cast<SeatIndex>(*seat);
}

AgentSpec SpecOf(const json::Value& described) {
  AgentSpec spec;
  if (!described.is_object()) return spec;
  spec.kind = json::TextOf(described, "kind");
  spec.options = described.get_object();
  spec.options.erase("kind");
  return spec;
}

}  // namespace

std::string OpenedPayload(const MatchSpec& spec) {
  const GameInfo& info = spec.game->info();
  json::Object payload{
      {"kind", "hosted"}, {"game", info.id}, {"rules_version", info.rules_version}, {"seed", spec.seed}};
  if (!spec.invite.empty()) payload["invite"] = spec.invite;
  if (!spec.options.is_null()) payload["options"] = spec.options;
  if (spec.fork) payload["fork"] = ForkName(*spec.fork);
  if (spec.ends_with_server) payload["ends_with_server"] = true;
  if (spec.of_stranger) payload["of_stranger"] = true;
  if (json::Object terms = ToJson(spec.terms); !terms.empty()) payload["terms"] = std::move(terms);
  json::Array seats;
  for (const PlannedSeat& seat : spec.seats) {
    json::Object entry;
    if (!seat.agent.kind.empty()) entry = {{"name", seat.name}, {"agent", Describe(seat.agent)}};
    seats.push_back(std::move(entry));
  }
  if (!seats.empty()) payload["seats"] = std::move(seats);
  return json::Write(payload);
}

std::string JoinedPayload(SeatIndex seat, const SeatedPlayer& player) {
  json::Object payload{{"seat", seat}, {"name", player.name}};
  if (player.agent) {
    payload["agent"] = Describe(*player.agent);
  } else {
    payload["token"] = player.token_hash;
    if (!player.account.empty()) payload["account"] = player.account;
  }
  return json::Write(payload);
}

std::string PlayedPayload(SeatIndex seat, const PendingChoice& pending, const json::Value& result,
                          std::optional<Duration> clock) {
  const Choice& choice = pending.choice;
  std::string out;
  out.reserve(kTypicalBytes);
  out += "{\"seat\":";
  json::WriteNumber(std::uint64_t{seat}, out);
  if (choice.decision) {
    out += ",\"decision\":";
    json::WriteNumber(choice.decision->value(), out);
  }
  out += ",\"action\":";
  json::WriteString(choice.action, out);
  if (!choice.data.is_null()) {
    out += ",\"data\":";
    json::Write(choice.data, out);
  }
  if (!result.is_null()) {
    out += ",\"result\":";
    json::Write(result, out);
  }
  if (clock) {
    out += ",\"clock\":" + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(*clock).count());
  }
  if (choice.cpu_ms) out += ",\"cpu_ms\":" + json::Write(json::Value(std::round(*choice.cpu_ms * 100) / 100));
  if (!choice.retry.empty()) {
    out += ",\"retry\":";
    json::WriteString(choice.retry, out);
  }
  out += ",\"agent\":";
  json::WriteString(pending.agent, out);
  out += '}';
  return out;
}

std::string OfferPayload(const OfferEvent& offer) {
  json::Object payload{{"offer", OfferName(offer.offer)}};
  if (offer.match) {
    payload["match"] = offer.match->id.str();
    if (!offer.match->invite.empty()) payload["invite"] = offer.match->invite;
  } else {
    payload["seat"] = offer.seat;
    payload["answer"] = offer.accept ? "yes" : "no";
  }
  return json::Write(payload);
}

std::string TakenBackPayload(const TakenBackEvent& taken) {
  return json::Write(json::Object{{"seat", taken.seat}, {"choices", taken.choices}, {"state", taken.state}});
}

std::string ChatPayload(SeatIndex seat, std::string_view text) {
  return json::Write(json::Object{{"seat", seat}, {"text", text}});
}

std::string HandedOverPayload(const HandedOverEvent& handed) {
  return json::Write(json::Object{{"seat", handed.seat}, {"agent", Describe(handed.agent)}});
}

std::string EndedPayload(const EndedEvent& ended) {
  json::Array winners;
  for (const SeatIndex seat : ended.winners) winners.emplace_back(seat);
  json::Object payload{{"winners", std::move(winners)}, {"reason", ended.reason}};
  if (!ended.retry.empty()) {
    payload["seat"] = ended.seat;
    payload["retry"] = ended.retry;
  }
  return json::Write(payload);
}

Result<MatchSpec> ReadOpened(const json::Value& payload) {
  MatchSpec spec;
  const Result<std::uint64_t> seed = NumberOf(payload, "seed");
  if (!seed) return Fail(seed.error());
  spec.seed = *seed;
  spec.invite = json::TextOf(payload, "invite");
  if (const json::Value* options = json::Find(payload, "options")) spec.options = *options;
  spec.of_stranger = json::Find(payload, "of_stranger") != nullptr;
  if (const json::Value* named = json::Find(payload, "fork")) {
    Result<Fork> fork = ReadForkName(*named);
    if (!fork) return Fail(std::move(fork).error());
    spec.fork = std::move(*fork);
  }
  if (const json::Value* given = json::Find(payload, "terms")) {
    Result<MatchTerms> terms = ReadTerms(*given);
    if (!terms) return Fail(ErrorCode::kParse, terms.error().message);
    spec.terms = *terms;
  }
  if (const json::Value* seats = json::Find(payload, "seats"); seats != nullptr && seats->is_array()) {
    for (const json::Value& entry : seats->get_array()) {
      PlannedSeat& planned = spec.seats.emplace_back();
      planned.name = json::TextOf(entry, "name");
      if (const json::Value* agent = json::Find(entry, "agent")) planned.agent = SpecOf(*agent);
    }
  }
  return spec;
}

Result<int> ReadRulesVersion(const json::Value& opened) {
  if (json::Find(opened, "rules_version") == nullptr) return 1;
  const Result<std::uint64_t> version = NumberOf(opened, "rules_version");
  if (!version) return Fail(version.error());
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  if (*version == 0 || *version > kMost) return Fail(ErrorCode::kParse, "a version of rules is 1 or more");
  return static_cast<int>(*version);
}

Result<SeatedPlayer> ReadJoined(const json::Value& payload) {
  SeatedPlayer player{std::string(json::TextOf(payload, "name")), std::string(json::TextOf(payload, "token")),
                      std::nullopt, std::string(json::TextOf(payload, "account"))};
  if (player.name.empty()) return Fail(ErrorCode::kParse, "the player who joined has no name");
  if (const json::Value* agent = json::Find(payload, "agent"); agent != nullptr && agent->is_object()) {
    player.agent = SpecOf(*agent);
  }
  return player;
}

Result<PlayedEvent> ReadPlayed(const json::Value& payload) {
  const Result<SeatIndex> seat = SeatOf(payload);
  if (!seat) return Fail(seat.error());
  PlayedEvent played{*seat, std::string(json::TextOf(payload, "action")), nullptr, std::nullopt};
  if (json::Find(payload, "clock") != nullptr) {
    const Result<std::uint64_t> left = NumberOf(payload, "clock");
    if (!left) return Fail(left.error());
    played.clock = std::chrono::milliseconds(std::min(*left, kMostMilliseconds));
  }
  if (const json::Value* data = json::Find(payload, "data")) played.data = *data;
  played.retry = json::TextOf(payload, "retry");
  return played;
}

Result<OfferEvent> ReadOffer(const json::Value& payload) {
  const std::optional<Offer> offer = ParseOffer(json::TextOf(payload, "offer"));
  if (!offer) return Fail(ErrorCode::kParse, "there is no such offer");
  OfferEvent read{*offer, 0, json::TextOf(payload, "answer") == "yes", std::nullopt};
  if (const std::string_view match = json::TextOf(payload, "match"); !match.empty()) {
    read.match = MatchName{TableId(std::string(match)), std::string(json::TextOf(payload, "invite"))};
    return read;
  }
  const Result<SeatIndex> seat = SeatOf(payload);
  if (!seat) return Fail(seat.error());
  read.seat = *seat;
  return read;
}

Result<TakenBackEvent> ReadTakenBack(const json::Value& payload) {
  const Result<SeatIndex> seat = SeatOf(payload);
  if (!seat) return Fail(seat.error());
  const Result<std::uint64_t> choices = NumberOf(payload, "choices");
  if (!choices) return Fail(choices.error());
  const json::Value* state = json::Find(payload, "state");
  if (state == nullptr) return Fail(ErrorCode::kParse, "the position after a choice was taken back is missing");
  return TakenBackEvent{*seat, static_cast<std::size_t>(*choices), *state};
}

Result<ChatLine> ReadChat(const json::Value& payload, Time time) {
  const Result<SeatIndex> seat = SeatOf(payload);
  if (!seat) return Fail(seat.error());
  return ChatLine{*seat, std::string(json::TextOf(payload, "text")), time};
}

Result<HandedOverEvent> ReadHandedOver(const json::Value& payload) {
  const Result<SeatIndex> seat = SeatOf(payload);
  if (!seat) return Fail(seat.error());
  HandedOverEvent handed{*seat, {}};
  if (const json::Value* agent = json::Find(payload, "agent")) handed.agent = SpecOf(*agent);
  if (handed.agent.kind.empty()) return Fail(ErrorCode::kParse, "the new agent of the seat is not an agent");
  return handed;
}

Result<EndedEvent> ReadEnded(const json::Value& payload) {
  EndedEvent ended{{}, std::string(json::TextOf(payload, "reason"))};
  ended.retry = json::TextOf(payload, "retry");
  if (!ended.retry.empty()) {
    const Result<SeatIndex> seat = SeatOf(payload);
    if (!seat) return Fail(seat.error());
    ended.seat = *seat;
  }
  const json::Value* winners = json::Find(payload, "winners");
  if (winners == nullptr || !winners->is_array()) return ended;
  for (const json::Value& each : winners->get_array()) {
    if (!each.is_int64() || each.get_int64() < 0 || each.get_int64() >= SeatSet::kMaxSeats) {
      return Fail(ErrorCode::kParse, "a winner is not a seat");
    }
    ended.winners.Insert(static_cast<SeatIndex>(each.get_int64()));
  }
  return ended;
}

std::string InviteOf(std::string_view opened_payload) {
  const Result<json::Value> opened = json::Parse(opened_payload);
  return opened ? std::string(json::TextOf(*opened, "invite")) : std::string();
}

std::map<SeatIndex, AgentSpec> AgentsBySeat(const std::vector<StoredEvent>& events) {
  std::map<SeatIndex, AgentSpec> seats;
  for (const StoredEvent& event : events) {
    const EventKind kind = event.event.kind;
    if (kind != EventKind::kOpened && kind != EventKind::kJoined && kind != EventKind::kHandedOver) continue;
    const Result<json::Value> payload = json::Parse(event.event.payload);
    if (!payload) continue;
    if (kind == EventKind::kOpened) {
      Result<MatchSpec> spec = ReadOpened(*payload);
      for (std::size_t seat = 0; spec && seat < spec->seats.size(); ++seat) {
        seats[static_cast<SeatIndex>(seat)] = std::move(spec->seats[seat].agent);
      }
    } else if (const Result<SeatIndex> seat = SeatOf(*payload)) {
      const json::Value* agent = json::Find(*payload, "agent");
      seats[*seat] = agent == nullptr ? AgentSpec() : SpecOf(*agent);
    }
  }
  return seats;
}

std::vector<AgentSpec> AgentsOf(const std::vector<StoredEvent>& events) {
  std::vector<AgentSpec> agents;
  for (auto& [seat, agent] : AgentsBySeat(events)) {
    if (!agent.kind.empty()) agents.push_back(std::move(agent));
  }
  return agents;
}

}  // namespace openseat
