// What the console and the API see of a remote table, and the commands that they may send to its game.
#include <algorithm>
#include <utility>

#include "base/json_members.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "protocols/neuro/codec.h"
#include "protocols/neuro/remote_table.h"

namespace openseat::neuro {
namespace {

constexpr std::uint64_t kFreshSeed = 0x7fff'ffff;  // short enough to be typed
constexpr Duration kTimeToBeReady = std::chrono::seconds(10);
constexpr std::size_t kMostListed = 16u << 10;  // bytes of actions and decision

// What is asked, and of which actions.
void AddWords(const Decision& decision, json::Object& open) {
  open["query"] = decision.query;
  open["state"] = decision.sight->text();
  json::Array names;
  for (const ActionPtr& action : decision.actions.all()) names.emplace_back(action->name);
  open["actions"] = std::move(names);
  if (!decision.refusal.empty()) open["refusal"] = decision.refusal;
}

json::Array ToJson(const ActionSet& actions) {
  json::Array list;
  for (const ActionPtr& action : actions.all()) {
    json::Object entry{{"name", action->name}, {"description", action->description}};
    if (action->schema) entry["schema"] = *action->schema;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

json::Object RemoteTable::Info() const {
  return TableInfo(true);
}

json::Object RemoteTable::InfoWithoutState() const {
  std::size_t bytes = action_bytes_;
  if (const Decision* decision = seat_.decision()) {
    bytes += decision->query.size() + decision->sight->text().size() + decision->refusal.size();
  }
  return TableInfo(bytes <= kMostListed);
}

json::Object RemoteTable::TableInfo(bool whole) const {
  json::Object info;
  info["id"] = id().str();
  info["game"] = game_;
  info["kind"] = "remote";
  info["protocol"] = "neuro";
  info["status"] = status_name();
  info["opened"] = FormatIso8601(opened_);
  info["connections"] = connections_;
  info["run"] = json::Object{{"number", run_.number}, {"began", FormatIso8601(run_.began)}, {"since", run_.since}};
  if (!options().relayed) info["profile"] = json::Object{{"name", ProfileName(profile_)}, {"seed", profile_seed_}};
  if (link_) info["peer"] = link_->peer();
  json::Object seat;
  seat["index"] = 0;
  seat["name"] = seat_.name();
  seat["agent"] = seat_.agent() != nullptr ? seat_.agent()->kind() : "none";
  if (whole) {
    seat["actions"] = ToJson(seat_.actions());
  } else {
    info["partial"] = true;
    seat["action_count"] = seat_.actions().size();
  }
  if (const Decision* decision = seat_.decision()) {
    json::Object open{{"id", decision->id.value()},
                      {"priority", PriorityName(decision->priority)},
                      {"ephemeral", decision->ephemeral},
                      {"attempt", decision->attempt}};
    if (whole) AddWords(*decision, open);
    AddTimes(*decision, open);
    seat["decision"] = std::move(open);
  }
  if (seat_.awaiting() != nullptr) seat["awaiting"] = seat_.awaiting()->choice.action;
  info["seats"] = json::Array{std::move(seat)};
  info["diagnostics"] = diagnostics_.size();
  info["events"] = transcript_.last_seq();
  if (results_ > 0) info["results"] = LatencyInfo();
  return info;
}

void RemoteTable::NoteLatency(Duration took) {
  const auto micros = static_cast<std::uint32_t>(std::clamp<Duration::rep>(took.count(), 0, UINT32_MAX));
  if (latencies_us_.size() < kLatencies) {
    latencies_us_.push_back(micros);
  } else {
    latencies_us_[results_ % kLatencies] = micros;
  }
  ++results_;
  if (metrics_ != nullptr) metrics_->result_seconds.Observe(std::chrono::duration<double>(took).count());
}

json::Object RemoteTable::LatencyInfo() const {
  std::vector<std::uint32_t> sorted = latencies_us_;
  std::ranges::sort(sorted);
  const auto ms = [](std::uint32_t micros) { return static_cast<double>(micros) / 1000; };
  return {{"count", results_},
          {"last_ms", ms(latencies_us_[(results_ - 1) % kLatencies])},
          {"median_ms", ms(sorted[sorted.size() / 2])},
          {"worst_ms", ms(sorted.back())}};
}

void RemoteTable::SetProfile(Profile profile, std::optional<std::uint64_t> seed) {
  profile_ = profile;
  profile_seed_ = seed ? *seed : SecureRandom64() & kFreshSeed;
  seat_.SetRules({.max_attempts = options().force_attempts, .max_invalid_attempts = kInvalidAttempts});
  character_.reset();
  stage_.reset();
  if (!options().manner.idle()) {
    stage_ = std::make_unique<SeatStage>(profile_seed_, seat_, [this](bool last, std::string_view canceled) {
      if (!options().speech_finished) return;
      Send(SpeechFinished(last, canceled));
    });
    character_ = std::make_unique<Character>(options().manner, profile_seed_, *stage_);
    if (link_) character_->Begin();
  }
  if (profile == Profile::kDocument && connections_ == 0) return;
  const std::string name(ProfileName(profile));
  const std::string number = std::to_string(profile_seed_);
  transcript_.Add(EventKind::kNote, R"({"text":"the profile )" + name + R"(, with the seed )" + number +
                                        R"(","profile":")" + name + R"(","seed":)" + number + "}");
}

Result<json::Value> RemoteTable::SwitchProfile(const json::Object& arguments) {
  if (options().relayed) {
    return Fail(ErrorCode::kConflict, "the server that this relay leads to plays here, so the table has no profile");
  }
  const json::Value* name = json::Find(arguments, "profile");
  const Result<Profile> profile =
      name != nullptr && name->is_string()
          ? ParseProfile(json::View(name->get_string()))
          : Result<Profile>(Fail(ErrorCode::kInvalid,
                                 "profile must be document, production or chaos; got " +
                                     (name == nullptr ? std::string("nothing") : json::Excerpt(*name)),
                                 "profile"));
  if (!profile) return Fail(profile.error());
  const json::Value* given = json::Find(arguments, "seed");
  const std::optional<std::uint64_t> seed = json::WholeOf(arguments, "seed");
  if (given != nullptr && (!seed || *seed > kMaxProfileSeed)) {
    return Fail(ErrorCode::kInvalid, "seed must be a whole number from 0 to 2^53 - 1; got " + json::Excerpt(*given),
                "seed");
  }
  SetProfile(*profile, seed);
  return json::Value(json::Object{{"profile", ProfileName(profile_)}, {"seed", profile_seed_}});
}

void RemoteTable::AwaitReady(bool immediate) {
  AwaitNothing();
  shutdown_asked_ = true;
  if (!immediate) return;
  ready_timer_.Set(scheduler_, kTimeToBeReady, [this] {
    Report(Diagnostic::kShutdownNotReady, "shutdown/ready did not come within 10 s of an immediate shutdown");
  });
}

void RemoteTable::AwaitNothing() {
  shutdown_asked_ = false;
  ready_timer_.Cancel();
}

Result<json::Value> RemoteTable::Control(std::string_view command, const json::Object& arguments) {
  if (command == "profile") return SwitchProfile(arguments);
  if (!link_) return Fail(ErrorCode::kClosed, "the game is not connected");
  const auto text = [&](std::string_view name) -> std::string {
    const json::Value* value = json::Find(arguments, name);
    return value != nullptr && value->is_string() ? std::string(json::View(value->get_string())) : std::string();
  };
  out_.clear();
  if (command == "reregister-all") {
    EncodeReregisterAll(out_);
  } else if (command == "shutdown") {
    if (!options().shutdown_requests) {
      return Fail(
          ErrorCode::kDenied,
          "shutdown requests are switched off ([neuro] shutdown_requests = true in the config file allows them)");
    }
    const std::string kind = text("kind");
    const json::Value* named = json::Find(arguments, "kind");
    const std::string said = named == nullptr ? "nothing" : json::Excerpt(*named);
    const json::Value* wants = json::Find(arguments, "wants");
    if (wants != nullptr && !wants->is_bool()) {
      return Fail(ErrorCode::kInvalid, "wants must be true or false; got " + json::Excerpt(*wants), "wants");
    }
    if (kind == "graceful") {
      const bool asks = wants == nullptr || wants->get_bool();
      asks ? AwaitReady(false) : AwaitNothing();
      EncodeShutdownGraceful(asks, out_);
    } else if (kind == "immediate") {
      AwaitReady(true);
      EncodeShutdownImmediate(out_);
    } else {
      return Fail(ErrorCode::kInvalid, "kind must be \"graceful\" or \"immediate\"; got " + said, "kind");
    }
  } else if (command == "send") {
    const std::string message = text("message");
    if (message.empty()) return Fail(ErrorCode::kInvalid, "message must be a string that is not empty", "message");
    out_ = message;
  } else if (command == "disconnect") {
    AwaitNothing();
    link_->Close(net::close_code::kNormal, "disconnected from the console");
    return json::Value(json::Object());
  } else {
    return Fail(ErrorCode::kUnsupported,
                "a Neuro table knows reregister-all, shutdown, send, disconnect and profile; got " + Quote(command));
  }
  Send(out_);
  return json::Value(json::Object());
}

}  // namespace openseat::neuro
