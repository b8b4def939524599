#include "games/netrunner/observe.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "games/netrunner/card_table.h"
#include "games/netrunner/command.h"
#include "games/netrunner/log.h"
#include "games/netrunner/prompt_text.h"
#include "games/netrunner/values.h"

namespace openseat::games::netrunner {

std::string_view EndingName(Ending ending) {
  switch (ending) {
    case Ending::kAgenda:
      return "Agenda";
    case Ending::kFlatline:
      return "Flatline";
    case Ending::kDecked:
      return "Decked";
    case Ending::kConcede:
      return "Concede";
    case Ending::kTie:
      return "Tie";
    case Ending::kNone:
      break;
  }
  return "";
}

std::string_view RunPhaseName(RunPhase phase) {
  switch (phase) {
    case RunPhase::kInitiation:
      return "initiation";
    case RunPhase::kApproachIce:
      return "approach-ice";
    case RunPhase::kEncounterIce:
      return "encounter-ice";
    case RunPhase::kMovement:
      return "movement";
    case RunPhase::kSuccess:
      break;
  }
  return "success";
}

std::string ServerKey(Server server) {
  switch (server) {
    case kHqServer:
      return "hq";
    case kRndServer:
      return "rd";
    case kArchivesServer:
      return "archives";
    default:
      return "remote" + std::to_string(server - kFirstRemote + 1);
  }
}

std::string_view PhaseName(const State& state) {
  if (state.over()) return "game-over";
  if (state.prompt.kind == PromptKind::kMulligan) return "mulligan";
  if (state.run.active) return "run";
  if (state.prompt.kind == PromptKind::kPhase12) {
    return state.active == Side::kCorp ? "corp-phase-12" : "runner-phase-12";
  }
  if (!state.in_turn) return "start-turn";
  if (state.prompt.message == Message::kDiscardDown || state.prompt.kind == PromptKind::kPostDiscard) return "discard";
  return "main";
}

namespace {

class Projection {
 public:
  Projection(const State& state, std::optional<Side> viewer) : s_(state), viewer_(viewer) {}

  json::Object Card(Inst inst) const {
    const CardState& card = s_[inst];
    json::Object out{{"cid", CidOf(s_, inst)}, {"side", SideName(card.side)}, {"zone", ZoneOf(inst)}};
    if (CanSee(s_, inst, viewer_)) AddFacts(inst, out);
    if (card.zone == Zone::kInstalled) AddBoard(inst, out);
    return out;
  }

  json::Array Cards(const CardList& list) const {
    json::Array out;
    for (const Inst inst : list) out.push_back(Card(inst));
    return out;
  }

  json::Object Player(Side side, const std::string& name) const {
    const PlayerState& player = s_.Of(side);
    json::Object out{{"user", name},
                     {"identity", Card(player.identity)},
                     {"credit", player.credits},
                     {"click", player.clicks},
                     {"hand-size", json::Object{{"base", 5}, {"total", MaxHandSize(s_, side)}}},
                     {"agenda-point", Points(s_, side)},
                     {"agenda-point-req", s_.points_to_win},
                     {"keep", player.kept ? json::Value(player.mulliganed ? "mulligan" : "keep") : json::Value(false)},
                     {"hand", viewer_ == side ? Cards(player.hand) : json::Array()},
                     {"hand-count", player.hand.size()},
                     {"deck", json::Array()},
                     {"deck-count", player.deck.size()},
                     {"discard", Discard(player.discard)},
                     {"scored", Cards(player.score)},
                     {"rfg", Cards(player.removed)},
                     {"play-area", Cards(player.play)}};
    if (side == Side::kCorp) {
      out["servers"] = Servers();
      out["bad-publicity"] = json::Object{{"base", s_.bad_publicity}, {"additional", 0}};
    } else {
      AddRunner(out);
    }
    return out;
  }

  json::Value Run() const {
    const RunState& run = s_.run;
    if (!run.active) return nullptr;
    return json::Object{{"server", ServerName(run.server)},
                        {"position", run.position},
                        {"phase", RunPhaseName(run.phase)},
                        {"no-action", NoAction()},
                        {"next-phase", nullptr},
                        {"cannot-steal-or-trash", run.cannot_steal_or_trash}};
  }

  json::Value Encounter() const {
    if (!Encountering(s_)) return nullptr;
    return json::Object{{"encounter-count", 1}, {"ice", Card(s_.run.ice)}, {"no-action", NoAction()}};
  }

  json::Value Prompt() const {
    if (s_.over() || !viewer_) return nullptr;
    if (s_.prompt.side != *viewer_) {
      return json::Object{{"message", "Waiting for " + std::string(SideName(s_.prompt.side)) + " to make a decision"},
                          {"prompt-type", "waiting"}};
    }
    const std::string_view type = PromptType(s_);
    if (type.empty()) return nullptr;
    json::Object out{{"message", PromptMessage(s_)}, {"prompt-type", type}};
    AddChoices(out);
    json::Array selectable;
    json::Array selected;
    for (std::size_t i = 0; i < s_.card_count; ++i) {
      const Inst inst = static_cast<Inst>(i);
      if (!s_.prompt.candidates.Contains(inst)) continue;
      (s_.prompt.selected.Contains(inst) ? selected : selectable).emplace_back(CidOf(s_, inst));
    }
    out["selectable"] = std::move(selectable);
    out["selected"] = std::move(selected);
    const Inst card = s_.prompt.card;
    out["card"] = card == kNoInst ? json::Value(nullptr)
                                  : json::Object{{"cid", CidOf(s_, card)}, {"title", CardName(s_, card, viewer_)}};
    return out;
  }

  json::Array Log() const {
    json::Array out;
    for (std::uint32_t i = s_.log.first(); i < s_.log.count; ++i) out.emplace_back(LogSentence(s_.log.At(i), viewer_));
    return out;
  }

 private:
  // Facedown cards of Archives are only counted to those who may not see them: neither numbers nor order.
  json::Array Discard(const CardList& list) const {
    json::Array out;
    std::size_t facedown = 0;
    for (const Inst inst : list) {
      if (CanSee(s_, inst, viewer_)) {
        out.push_back(Card(inst));
      } else {
        ++facedown;
      }
    }
    for (; facedown > 0; --facedown) out.push_back(json::Object{{"side", "Corp"}, {"facedown", true}});
    return out;
  }

  json::Array ZoneOf(Inst inst) const {
    const CardState& card = s_[inst];
    switch (card.zone) {
      case Zone::kIdentity:
        return {"identity"};
      case Zone::kDeck:
        return {"deck"};
      case Zone::kHand:
        return {"hand"};
      case Zone::kDiscard:
        return {"discard"};
      case Zone::kScore:
        return {"scored"};
      case Zone::kPlay:
        return {"play-area"};
      case Zone::kRemoved:
        return {"rfg"};
      default:
        break;
    }
    if (card.side == Side::kCorp) return {"servers", ServerKey(card.server), IsIce(s_, inst) ? "ices" : "content"};
    const CardType type = s_.Def(inst).type;
    return {"rig", type == CardType::kProgram ? "program" : type == CardType::kHardware ? "hardware" : "resource"};
  }

  // What is printed on it and what follows; for those who may see the card.
  void AddFacts(Inst inst, json::Object& out) const {
    const CardDef& def = s_.Def(inst);
    const CardState& card = s_[inst];
    out["code"] = def.code;
    out["title"] = def.title;
    out["type"] = TypeName(def.type);
    json::Array subtypes;
    for (const Subtype subtype : def.subtype_list) subtypes.emplace_back(SubtypeName(subtype));
    std::sort(subtypes.begin(), subtypes.end(),
              [](const json::Value& a, const json::Value& b) { return a.get_string() < b.get_string(); });
    out["subtypes"] = std::move(subtypes);
    out["text"] = def.text;
    if (def.cost >= 0) out["cost"] = def.cost;
    if (def.trash >= 0) out["trash"] = def.trash;
    if (def.memory > 0) out["memoryunits"] = def.memory;
    if (def.strength >= 0) {
      out["strength"] = def.strength;
      if (card.zone == Zone::kInstalled) out["current-strength"] = Strength(s_, inst);
    }
    if (def.type == CardType::kAgenda) {
      out["advancementcost"] = def.advancement;
      out["agendapoints"] = def.points;
    }
    if (card.zone == Zone::kHand && viewer_ == card.side) out["playable"] = Playable(inst);
    if (card.zone == Zone::kInstalled || card.zone == Zone::kIdentity) AddAbilities(inst, out);
  }

  void AddAbilities(Inst inst, json::Object& out) const {
    const CardDef& def = s_.Def(inst);
    json::Array abilities;
    for (const Ability& ability : def.abilities) {
      json::Array cost;
      if (ability.cost.clicks > 0) cost.emplace_back(std::to_string(ability.cost.clicks) + " [Click]");
      const int credits = Evaluate(s_, ability.cost.credits, {.source = inst});
      if (credits > 0) cost.emplace_back(std::to_string(credits) + " [Credits]");
      if (ability.cost.virus > 0) cost.emplace_back(std::to_string(ability.cost.virus) + " virus counter");
      if (ability.cost.remove_self) cost.emplace_back("remove this card from the game");
      abilities.push_back(json::Object{{"label", ability.label}, {"cost", std::move(cost)}});
    }
    out["abilities"] = std::move(abilities);
    if (def.type != CardType::kIce) return;
    const bool encountered = Encountering(s_) && s_.run.ice == inst;
    json::Array subroutines;
    for (std::size_t i = 0; i < def.subroutines.size(); ++i) {
      subroutines.push_back(json::Object{{"label", def.subroutines[i].label},
                                         {"broken", encountered && (s_.run.broken >> i & 1) != 0},
                                         {"fired", encountered && (s_.run.fired >> i & 1) != 0}});
    }
    out["subroutines"] = std::move(subroutines);
    if (def.breaks_by_clicks) {
      out["runner-abilities"] =
          json::Array{json::Object{{"label", "Break 1 subroutine"}, {"cost", json::Array{"Lose 1 [Click]"}}}};
    }
  }

  // What everyone sees of an installed card.
  void AddBoard(Inst inst, json::Object& out) const {
    const CardState& card = s_[inst];
    const bool known = CanSee(s_, inst, viewer_);
    if (card.side == Side::kCorp) out["rezzed"] = card.faceup;
    if (known && card.side == Side::kRunner) out["installed"] = true;
    out["new"] = card.new_this_turn;
    out["advance-counter"] = card.advancement;
    out["counter"] = json::Object{{"virus", card.virus}, {"credit", card.credits}};
    if (card.host != kNoInst) out["host"] = CidOf(s_, card.host);
    json::Array hosted;
    for (const Inst other : s_.runner().installed) {
      if (s_[other].host == inst)
        hosted.push_back(json::Object{{"cid", CidOf(s_, other)}, {"title", s_.Def(other).title}});
    }
    out["hosted"] = std::move(hosted);
  }

  bool Playable(Inst inst) const {
    if (s_.prompt.kind != PromptKind::kAction || s_.prompt.side != s_[inst].side) return false;
    CommandList list;
    ListCommands(s_, list);
    return std::any_of(list.all().begin(), list.all().end(), [&](const Command& command) {
      return command.kind == CommandKind::kPlay && command.card == inst;
    });
  }

  json::Object Servers() const {
    json::Object out;
    for (Server server = kHqServer; server < s_.next_remote; ++server) {
      if (!ServerExists(s_, server)) continue;
      out[ServerKey(server)] = json::Object{{"content", Cards(RootOf(s_, server))}, {"ices", Cards(IceOn(s_, server))}};
    }
    return out;
  }

  void AddRunner(json::Object& out) const {
    json::Object rig{{"hardware", json::Array()},
                     {"program", json::Array()},
                     {"resource", json::Array()},
                     {"facedown", json::Array()}};
    for (const Inst inst : s_.runner().installed) {
      const CardType type = s_.Def(inst).type;
      const std::string_view row = type == CardType::kProgram    ? "program"
                                   : type == CardType::kHardware ? "hardware"
                                                                 : "resource";
      rig[row].get_array().push_back(Card(inst));
    }
    out["rig"] = std::move(rig);
    const int limit = MemoryLimit(s_);
    const int used = MemoryUsed(s_);
    out["memory"] = json::Object{{"base", limit}, {"used", used}, {"available", limit - used}};
    out["tag"] = json::Object{{"base", s_.tags}, {"total", s_.tags}, {"is-tagged", s_.tags > 0}};
    out["link"] = 0;
    out["brain-damage"] = s_.core_damage;
    const Inst lender = SpendableCard(s_);
    out["run-credit"] = lender == kNoInst ? 0 : static_cast<int>(s_[lender].credits);
    out["bad-pub-credit"] = s_.run.bad_publicity_credits;
  }

  // Who has passed in the window that is open: a side's name, or false.
  json::Value NoAction() const {
    for (std::size_t i = s_.stack.size(); i-- > 0;) {
      const Step& step = s_.stack[i];
      if (step.kind != StepKind::kWindow) continue;
      if (step.c == 0) return false;
      return step.b == 0 ? "runner" : "corp";
    }
    return false;
  }

  void AddChoices(json::Object& out) const {
    json::Array choices;
    const std::vector<std::string> labels = OptionLabels(s_);
    const bool select = s_.prompt.kind == PromptKind::kSelect;
    if (!select || s_.prompt.selected.size() >= s_.prompt.min) {
      for (std::size_t i = 0; i < labels.size(); ++i) {
        json::Object choice{{"idx", i}, {"value", labels[i]}};
        if (!select) AddChoiceCard(s_.prompt.options[i], choice);
        choices.push_back(std::move(choice));
      }
    }
    out["choices"] = std::move(choices);
    if (select) {
      out["min"] = s_.prompt.min;
      out["max"] = s_.prompt.max;
    }
  }

  void AddChoiceCard(const PromptOption& option, json::Object& choice) const {
    switch (option.text) {
      case OptionText::kCard:
      case OptionText::kAccessAbility:
      case OptionText::kUnrezzedUpgrade:
        choice["card"] = Card(option.n);
        return;
      case OptionText::kWaiting:
        choice["card"] = Card(s_.waiting[option.n].source);
        return;
      default:
        return;
    }
  }

  const State& s_;
  const std::optional<Side> viewer_;
};

}  // namespace

json::Object ObserveState(const State& state, std::optional<Side> viewer, std::span<const std::string> names) {
  const Projection projection(state, viewer);
  json::Object out{{"turn", state.turn},
                   {"active-player", state.active == Side::kCorp ? "corp" : "runner"},
                   {"phase", PhaseName(state)},
                   {"side", viewer ? json::Value(*viewer == Side::kCorp ? "corp" : "runner") : json::Value(nullptr)},
                   {"corp", projection.Player(Side::kCorp, names[0])},
                   {"runner", projection.Player(Side::kRunner, names[1])},
                   {"run", projection.Run()},
                   {"encounters", projection.Encounter()},
                   {"prompt", projection.Prompt()},
                   {"log", projection.Log()}};
  if (state.over()) {
    out["winner"] = state.winner == 2 ? json::Value(nullptr) : json::Value(state.winner == 0 ? "corp" : "runner");
    out["reason"] = EndingName(state.ending);
  }
  return out;
}

}  // namespace openseat::games::netrunner
