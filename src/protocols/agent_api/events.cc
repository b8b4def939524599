#include "protocols/agent_api/events.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "agents/external/seat_token.h"
#include "base/digest.h"
#include "base/json_members.h"
#include "protocols/agent_api/cards.h"
#include "protocols/agent_api/netrunner_json.h"
#include "protocols/agent_api/plain_json.h"

namespace openseat::agent_api {
namespace {

std::uint64_t Number(const json::Object& object, std::string_view name) {
  return json::WholeOf(object, name).value_or(0);
}

class Teller {
 public:
  Teller(EventMemory& memory, const SeatView& look, std::vector<AgentEvent>& out)
      : memory_(memory), look_(look), out_(out) {}

 protected:
  void Tell(std::string_view name, json::Object payload) {
    json::Object whole{{"gameid", gameid_}};
    for (auto& [key, value] : payload) whole[key] = std::move(value);
    out_.push_back({name, std::move(whole)});
  }
  void End(json::Object scores, std::string_view reason) {
    memory_.ended = true;
    Tell("game-ended", {{"winner", WinningTitle(look_)},
                        {"reason", reason},
                        {"agent-won", look_.winner() == look_.names[look_.seat()]},
                        {"final-scores", std::move(scores)}});
  }
  bool NewlyAsked() {
    if (!look_.decision || look_.decision->id.value() == memory_.decision) return false;
    memory_.decision = look_.decision->id.value();
    return true;
  }

  EventMemory& memory_;
  const SeatView& look_;
  const std::string gameid_ = GameIdOf(look_.table);
  std::vector<AgentEvent>& out_;
};

// --- Netrunner ---

class NetrunnerTeller : Teller {
 public:
  NetrunnerTeller(EventMemory& memory, const SeatView& look, std::vector<AgentEvent>& out)
      : Teller(memory, look, out), seen_(look.sight->observation().get_object()) {}

  void Run() {
    const bool first = !memory_.begun;
    const bool was_asked = memory_.asked;
    const std::string before = std::exchange(memory_.mark, Mark());
    if (first) Begin();
    // While one side is asked the other cannot act, so what changed while we were not asked was not our doing.
    if (!first && !was_asked && memory_.mark != before) Tell("opponent-acted", Position());
    Runs();
    memory_.lines = Number(seen_, "log-count");
    if (IsOver(look_)) {
      memory_.asked = false;
      const json::Value* reason = json::Find(seen_, "reason");
      const auto points = [&](std::string_view side) { return json::Find(seen_.at(side), "agenda-point"); };
      End({{"corp", *points("corp")}, {"runner", *points("runner")}},
          reason != nullptr && reason->is_string() ? ReasonInEvents(json::View(reason->get_string()))
                                                   : ReasonOf(look_));
      return;
    }
    memory_.asked = look_.decision.has_value();
    if (NewlyAsked()) {
      Ask();
    } else if (!look_.decision && (was_asked || first)) {
      Tell("waiting", {{"message", "Waiting for opponent action"}});
    }
  }

 private:
  const json::Object& Player(bool own) const {
    return seen_.at((look_.seat() == 0) == own ? "corp" : "runner").get_object();
  }

  // Made once: several events of a moment have it.
  const json::Object& Available() {
    if (!available_) available_ = netrunner::AvailableActions(look_);
    return *available_;
  }

  json::Object Position() {
    return {{"available-actions", Available()},
            {"turn", *json::Find(seen_, "turn")},
            {"active-player", *json::Find(seen_, "active-player")}};
  }

  // What an opponent's command changes, if it changes anything.
  std::string Mark() const {
    std::string text = std::to_string(Number(seen_, "log-count"));
    for (const std::string_view name : {"turn", "active-player", "phase", "run"}) {
      if (const json::Value* value = json::Find(seen_, name)) text += "/" + json::Write(*value);
    }
    for (const bool own : {true, false}) {
      const json::Object& player = Player(own);
      for (const std::string_view name : {"credit", "click", "hand-count", "deck-count", "keep"}) {
        if (const json::Value* value = json::Find(player, name)) text += "/" + json::Write(*value);
      }
    }
    return text + (look_.decision ? "/asked" : "");
  }

  void Begin() {
    memory_.begun = true;
    // A match that was recovered began long ago.
    if (json::TextOf(seen_, "phase") == "mulligan" || Number(seen_, "turn") == 0) {
      const json::Value* identity = json::Find(Player(false), "identity");
      Tell("game-started",
           {{"agent-side", SideTitle(look_)},
            {"turn", 0},
            {"opponent-identity", identity == nullptr ? json::Value(nullptr) : *json::Find(*identity, "title")}});
    } else {
      memory_.lines = Number(seen_, "log-count");
      // Its own turn was told before where something has been done in it.
      const bool own = json::TextOf(seen_, "active-player") == (look_.seat() == 0 ? "corp" : "runner");
      const std::uint64_t clicks = look_.seat() == 0 ? 3 : 4;
      if (own && json::TextOf(seen_, "phase") != "start-turn" && Number(Player(true), "click") < clicks) {
        memory_.turn_started = Number(seen_, "turn");
      }
    }
  }

  void Runs() {
    const json::Value* runs = json::Find(seen_, "runs");
    if (runs == nullptr || !runs->is_array()) return;
    for (const json::Value& each : runs->get_array()) {
      const json::Object& run = each.get_object();
      if (Number(run, "line") < memory_.lines) continue;
      if (json::TextOf(run, "event") == "started") {
        Tell("run-started", {{"server", json::TextOf(run, "server")},
                             {"position", IceOn(json::TextOf(run, "server"))},
                             {"phase", "initiation"},
                             {"is-runner", look_.seat() == 1},
                             {"available-actions", Available()}});
      } else {
        EndRun(*json::Find(run, "successful"));
      }
    }
    // A match may end by resignation in the middle of a run, and the game then says nothing more about the run.
    const json::Value* run = json::Find(seen_, "run");
    if (IsOver(look_) && run != nullptr && run->is_object())
      EndRun(json::TextOf(run->get_object(), "phase") == "success");
  }

  void EndRun(const json::Value& successful) {
    Tell("run-ended", {{"successful", successful}, {"available-actions", Available()}});
  }

  // Where a run on the server begins: at its outermost ice.
  std::size_t IceOn(std::string_view server) const {
    std::string key = server == "HQ" ? "hq" : server == "R&D" ? "rd" : server == "Archives" ? "archives" : "remote";
    if (key == "remote" && server.starts_with("Server ")) key += server.substr(7);
    const json::Value* servers = json::Find(seen_.at("corp"), "servers");
    const json::Value* found = servers == nullptr ? nullptr : json::Find(*servers, key);
    const json::Value* ices = found == nullptr ? nullptr : json::Find(*found, "ices");
    return ices != nullptr && ices->is_array() ? ices->get_array().size() : 0;
  }

  void Ask() {
    if (netrunner::HasPrompt(look_)) {
      Tell("prompt", {{"prompt", netrunner::PromptValue(look_)}, {"available-actions", Available()}});
      return;
    }
    const json::Object& player = Player(true);
    json::Object actions = Available();
    const bool main =
        json::TextOf(actions, "action-type") == "main" || json::TextOf(actions, "action-type") == "end-turn";
    if (main && memory_.turn_started != Number(seen_, "turn")) {
      memory_.turn_started = Number(seen_, "turn");
      Tell("turn-started", {{"turn", *json::Find(seen_, "turn")},
                            {"clicks", *json::Find(player, "click")},
                            {"credits", *json::Find(player, "credit")},
                            {"hand-size", *json::Find(player, "hand-count")},
                            {"available-actions", std::move(actions)}});
      return;
    }
    Tell("checkpoint", Position());
  }

  const json::Object& seen_;
  std::optional<json::Object> available_;
};

// --- Any other game ---

// Of all names: ActionSet::Names, for messages, has the first.
std::string MarkOf(const ActionSet& actions) {
  if (actions.empty()) return "";
  std::string names;
  for (const ActionPtr& action : actions.all()) names += std::to_string(action->name.size()) + ":" + action->name;
  return Sha256Hex(names);
}

class PlainTeller : Teller {
 public:
  using Teller::Teller;

  void Run() {
    const bool first = !memory_.begun;
    const bool was_asked = memory_.asked;
    const std::string before = std::exchange(memory_.mark, Mark());
    if (first) Begin();
    if (look_.game != nullptr) {
      if (!first && !was_asked && memory_.mark != before) Tell("opponent-acted", Position());
    } else {
      Hear();
    }
    memory_.lines = look_.told.empty() ? memory_.lines : look_.told.back().version;
    if (IsOver(look_)) {
      memory_.asked = false;
      End(Scores(look_), ReasonOf(look_));
      return;
    }
    memory_.asked = look_.decision.has_value();
    if (NewlyAsked()) {
      Tell("prompt", {{"prompt", plain::PromptValue(look_)}, {"available-actions", Available()}});
    } else if (look_.decision) {
      // A change of what may be done in a game elsewhere is told when the decision is over.
      if (look_.game == nullptr) memory_.mark = before;
    } else if (look_.game == nullptr && !look_.actions().empty() && memory_.mark != before) {
      Tell("checkpoint", Position());
    } else if (was_asked || first) {
      Tell("waiting", {{"message", "Waiting for opponent action"}});
    }
  }

 private:
  json::Object Available() const { return plain::AvailableActionsWithin(look_, plain::kShort, true); }
  json::Object Position() const { return PositionWith(Available()); }
  json::Object PositionWith(json::Object actions) const {
    return {{"available-actions", std::move(actions)},
            {"turn", look_.decision ? look_.decision->id.value() : 0},
            {"active-player", look_.decision ? json::Value(Side(look_)) : json::Value(nullptr)}};
  }

  // The position in a hosted game, what may be done in another one.
  std::string Mark() {
    const json::Value& seen = look_.sight->observation();
    if (look_.game != nullptr) return seen.is_null() ? "" : Sha256Hex(json::Write(seen));
    if (memory_.marked != look_.actions().all()) {
      memory_.marked = look_.actions().all();
      memory_.mark_of_them = MarkOf(look_.actions());
    }
    return memory_.mark_of_them;
  }

  void Begin() {
    memory_.begun = true;
    std::string others;
    for (std::size_t i = 0; i < look_.names.size(); ++i) {
      if (i != look_.seat()) others += (others.empty() ? "" : ", ") + look_.names[i];
    }
    Tell("game-started", {{"agent-side", SideTitle(look_)},
                          {"turn", 0},
                          {"opponent-identity", others.empty() ? GameOf(look_) : others}});
  }

  // What a game elsewhere says, with what may be done: no more often than makes kShort bytes in all, since a game may
  // say much at once. Longer actions were told when they came.
  void Hear() {
    std::size_t left = plain::kShort;
    for (const Told& line : look_.told) {
      if (line.version <= memory_.lines) continue;
      const std::size_t bytes = plain::AvailableBytes(look_, left);
      json::Object payload = PositionWith(plain::AvailableActionsWithin(look_, left, false));
      left -= std::min(left, bytes);
      payload["message"] = line.context.message;
      payload["silent"] = line.context.silent;
      Tell("checkpoint", std::move(payload));
    }
  }
};

}  // namespace

std::string WriteMemory(const EventMemory& memory) {
  return json::Write(json::Object{{"begun", memory.begun},
                                  {"ended", memory.ended},
                                  {"asked", memory.asked},
                                  {"decision", memory.decision},
                                  {"turn-started", memory.turn_started},
                                  {"lines", memory.lines},
                                  {"mark", memory.mark}});
}

EventMemory ReadMemory(std::string_view text) {
  EventMemory memory;
  const Result<json::Value> parsed = json::Parse(text);
  if (!parsed || !parsed->is_object()) return memory;
  const json::Object& from = parsed->get_object();
  const auto flag = [&](std::string_view name) {
    const json::Value* value = json::Find(from, name);
    return value != nullptr && value->is_bool() && value->get_bool();
  };
  memory.begun = flag("begun");
  memory.ended = flag("ended");
  memory.asked = flag("asked");
  memory.decision = Number(from, "decision");
  memory.turn_started = Number(from, "turn-started");
  memory.lines = Number(from, "lines");
  memory.mark = json::TextOf(from, "mark");
  return memory;
}

bool AsksForAnswer(std::string_view event) {
  return event == "prompt" || event == "turn-started" || event == "checkpoint";
}

std::string ReasonInEvents(std::string_view reason) {
  return reason == "Agenda" ? "Agenda points" : std::string(reason);
}

std::vector<AgentEvent> Advance(EventMemory& memory, const SeatView& look) {
  std::vector<AgentEvent> out;
  if (memory.ended) return out;
  const json::Value& seen = look.sight->observation();
  if (IsNetrunner(look) && seen.is_object()) {
    NetrunnerTeller(memory, look, out).Run();
  } else if (look.game == nullptr || !seen.is_null() || IsOver(look)) {
    PlainTeller(memory, look, out).Run();
  }
  return out;
}

}  // namespace openseat::agent_api
