#include "games/netrunner/wire/observe.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/auto_break.h"
#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/text/consequence.h"
#include "games/netrunner/text/describe.h"
#include "games/netrunner/text/log.h"
#include "games/netrunner/text/prompt_text.h"

namespace openseat::games::netrunner {

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
  Projection(const State& state, std::optional<Side> viewer) : s_(state), viewer_(viewer) {
    if (viewer && !state.over() && state.prompt.side == *viewer) ListCommands(state, legal_);
  }

  json::Object Card(Inst inst) const {
    constexpr std::size_t kMembers = 18;  // of most cards that are seen; from 19 on, an object needs a table
    const CardState& card = s_[inst];
    const bool seen = CanSee(s_, inst, viewer_);
    json::Object out({{"cid", CidOf(s_, inst)}, {"side", SideName(card.side)}, {"zone", ZoneOf(inst)}},
                     seen ? kMembers : 0);
    if (seen) AddFacts(inst, out);
    if (card.zone == Zone::kInstalled) AddBoard(inst, out);
    if (card.zone == Zone::kPlay || card.zone == Zone::kScore) out["counter"] = Counters(card);
    return out;
  }

  json::Array Cards(const CardList& list) const {
    json::Array out;
    for (const Inst inst : list) out.push_back(Card(inst));
    return out;
  }

  json::Object Player(Side side, const std::string& name, const std::string& deck_name) const {
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
                     {"play-area", Cards(player.play)},
                     {"set-aside", json::Array()},
                     {"basic-action-card", BasicActions(side)},
                     {"properties", json::Object{{"force-phase-12-self", s_.all_windows},
                                                 {"force-post-discard-self", s_.all_windows}}}};
    if (viewer_ == side) {
      out["decklist"] = Decklist(side);
      out["deck-name"] = deck_name;
      out["toast"] = json::Array();
      out[side == Side::kCorp ? "install-list" : "runnable-list"] = ServerNames(side == Side::kCorp);
    }
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
    json::Object out{
        {"message", PromptMessage(s_)}, {"prompt-type", type}, {"purpose", PromptPurpose(s_)}, {"number", s_.prompt.n}};
    AddChoices(out);
    json::Array selectable;
    json::Array selected;
    for (const Inst inst : CandidatesByNumber(s_)) {
      (s_.prompt.selected.Contains(inst) ? selected : selectable).emplace_back(CidOf(s_, inst));
    }
    out["selectable"] = std::move(selectable);
    out["selected"] = std::move(selected);
    const Inst card = s_.prompt.card;
    out["card"] = card == kNoInst ? json::Value(nullptr)
                                  : json::Object{{"cid", CidOf(s_, card)},
                                                 {"title", CanSee(s_, card, viewer_) ? std::string(s_.Def(card).title)
                                                                                     : CardName(s_, card, viewer_)}};
    return out;
  }

  // The log lines, by number, at which runs began and ended.
  json::Array Runs() const {
    json::Array out;
    for (std::uint32_t i = s_.log.first(); i < s_.log.count; ++i) {
      const LogEntry& entry = s_.log.At(i);
      if (entry.kind == LogKind::kRun) {
        out.push_back(json::Object{{"line", i}, {"event", "started"}, {"server", ServerName(entry.server)}});
      } else if (entry.kind == LogKind::kRunEnds) {
        out.push_back(json::Object{
            {"line", i}, {"event", "ended"}, {"server", ServerName(entry.server)}, {"successful", entry.n != 0}});
      }
    }
    return out;
  }

  json::Array Log() const {
    const std::vector<std::string> lines = LogSentences(s_.log.Kept(), viewer_);
    return json::Array(lines.begin(), lines.end());
  }

  // What `continue` does now, for the side that may; null for others.
  json::Value Pass() const {
    if (!Legal(CommandKind::kContinue)) return nullptr;
    const Consequence means = OfPassing(s_);
    json::Object out{{"label", means.label}};
    if (means.danger) out["danger"] = true;
    if (OnlyPasses(s_)) out["idle"] = true;
    return out;
  }

 private:
  // The cards of the deck, ordered by code.
  json::Array Decklist(Side side) const {
    std::map<std::string_view, std::pair<Inst, int>> by_code;
    for (std::size_t i = 0; i < s_.card_count; ++i) {
      const Inst inst = static_cast<Inst>(i);
      if (s_[inst].side == side && s_[inst].zone != Zone::kIdentity) {
        ++by_code.try_emplace(s_.Def(inst).code, inst, 0).first->second.second;
      }
    }
    json::Array out;
    for (const auto& [code, found] : by_code) {
      const CardDef& def = s_.Def(found.first);
      out.push_back(
          json::Object{{"code", code}, {"title", def.title}, {"type", TypeName(def.type)}, {"qty", found.second}});
    }
    return out;
  }

  // Viewers who may not see facedown cards in Archives get only their count: neither numbers nor order.
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

  // Printed facts and derived values; for viewers who may see the card.
  void AddFacts(Inst inst, json::Object& out) const {
    const CardDef& def = s_.Def(inst);
    const CardState& card = s_[inst];
    out["code"] = def.code;
    out["title"] = def.title;
    out["printed-title"] = def.title;
    out["normalizedtitle"] = def.plain_title;
    out["type"] = TypeName(def.type);
    out["implementation"] = "full";
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
      out["current-advancement-requirement"] = def.advancement;
      out["agendapoints"] = def.points;
      out["current-points"] = def.points;
    }
    if (card.zone == Zone::kDiscard) out["seen"] = card.faceup;
    if (card.zone == Zone::kHand && viewer_ == card.side) out["playable"] = Legal(CommandKind::kPlay, inst);
    if (s_.prompt.side == viewer_ && s_.prompt.selected.Contains(inst)) out["selected"] = true;
    if (card.zone == Zone::kInstalled || card.zone == Zone::kIdentity) AddAbilities(inst, out);
  }

  void AddAbilities(Inst inst, json::Object& out) const {
    const CardDef& def = s_.Def(inst);
    json::Array abilities;
    for (std::size_t i = 0; i < def.abilities.size(); ++i) {
      abilities.push_back(
          OneAbility(def.abilities[i].label, AbilityCost(s_, inst, i), Legal(CommandKind::kAbility, inst, i)));
    }
    out["abilities"] = std::move(abilities);
    if (Legal(CommandKind::kAutoBreak, inst)) {
      const BreakPlan plan = *PlanBreak(s_, inst);
      out["auto-break"] = json::Object{{"label", OfAutoBreak(s_, inst, plan)}, {"cost-label", CostOf(plan)}};
    }
    json::Array by_runner;
    if (def.breaks_by_clicks) {
      by_runner.push_back(
          OneAbility(kRunnerAbilityLabel, kRunnerAbilityCost, Legal(CommandKind::kRunnerAbility, inst, 0)));
    }
    out["runner-abilities"] = std::move(by_runner);
    out["corp-abilities"] = json::Array();
    if (def.type != CardType::kIce) return;
    const bool encountered = Encountering(s_) && s_.run.ice == inst;
    json::Array subroutines;
    for (std::size_t i = 0; i < def.subroutines.size(); ++i) {
      subroutines.push_back(json::Object{{"label", def.subroutines[i].label},
                                         {"broken", encountered && (s_.run.broken >> i & 1) != 0},
                                         {"fired", encountered && (s_.run.fired >> i & 1) != 0}});
    }
    out["subroutines"] = std::move(subroutines);
  }

  // `dynamic`: for the published clients' shortcuts, which are not offered.
  static json::Object OneAbility(std::string_view label, std::string_view cost, bool playable) {
    return {{"label", label}, {"cost-label", cost}, {"playable", playable}, {"dynamic", nullptr}};
  }

  // The basic actions, numbered like in the published clients.
  json::Object BasicActions(Side side) const {
    json::Array abilities;
    const bool mine = viewer_ == side && s_.prompt.kind == PromptKind::kAction;
    const auto add = [&](std::string_view label, std::string_view cost, bool playable) {
      abilities.push_back(OneAbility(label, cost, mine && playable));
    };
    add("Gain 1 [Credits]", "1 [Click]", Legal(CommandKind::kCredit));
    add("Draw 1 card", "1 [Click]", Legal(CommandKind::kDraw));
    if (side == Side::kCorp) {
      add("Install 1 agenda, asset, upgrade or ice from HQ", "1 [Click]", Plays(false));
      add("Play 1 operation", "1 [Click]", Plays(true));
      add("Advance 1 installed card", "1 [Click], 1 [Credits]", Legal(CommandKind::kAdvance));
      add("Trash 1 resource of the tagged Runner", "1 [Click], 2 [Credits]", Legal(CommandKind::kTrashResource));
      add("Purge virus counters", "3 [Click]", Legal(CommandKind::kPurge));
    } else {
      add("Install 1 program, hardware or resource from the grip", "1 [Click]", Plays(false));
      add("Play 1 event", "1 [Click]", Plays(true));
      add("Run any server", "1 [Click]", Legal(CommandKind::kRun));
      add("Remove 1 tag", "1 [Click], 2 [Credits]", Legal(CommandKind::kRemoveTag));
    }
    return {{"title", std::string(SideName(side)) + " Basic Action Card"},
            {"side", SideName(side)},
            {"type", "Basic Action"},
            {"abilities", std::move(abilities)}};
  }

  // The servers where the side may run or install.
  json::Array ServerNames(bool with_new) const {
    json::Array out;
    for (Server server = kHqServer; server < s_.next_remote; ++server) {
      if (ServerExists(s_, server)) out.emplace_back(ServerName(server));
    }
    if (with_new) out.emplace_back(ServerName(kNewRemote));
    return out;
  }

  static json::Object Counters(const CardState& card) { return {{"virus", card.virus}, {"credit", card.credits}}; }

  // What everyone sees of an installed card, and for those who know it, its state: of a facedown card, others see
  // only that it exists.
  void AddBoard(Inst inst, json::Object& out) const {
    const CardState& card = s_[inst];
    const bool known = CanSee(s_, inst, viewer_);
    const auto since = [](bool so, bool this_turn) {
      return so && this_turn ? json::Value("this-turn") : json::Value(so);
    };
    if (known) {
      out["installed"] = since(true, card.new_this_turn);
      out["facedown"] = !card.faceup;
      if (card.side == Side::kCorp) out["rezzed"] = since(card.faceup, card.rezzed_this_turn);
    }
    out["new"] = card.new_this_turn;
    out["advance-counter"] = card.advancement;
    out["counter"] = Counters(card);
    if (card.host != kNoInst) out["host"] = CidOf(s_, card.host);
    json::Array hosted;
    for (const Inst other : s_.runner().installed) {
      if (s_[other].host == inst)
        hosted.push_back(json::Object{{"cid", CidOf(s_, other)}, {"title", s_.Def(other).title}});
    }
    out["hosted"] = std::move(hosted);
  }

  // Whether the viewer may do this now.
  bool Legal(CommandKind kind, std::optional<Inst> card = std::nullopt, std::optional<std::size_t> arg = {}) const {
    return std::ranges::any_of(legal_.all(), [&](const Command& command) {
      return command.kind == kind && (!card || command.card == *card) && (!arg || command.arg == *arg);
    });
  }

  // Whether the viewer may play an event or operation, or install something.
  bool Plays(bool once) const {
    return std::ranges::any_of(legal_.all(), [&](const Command& command) {
      if (command.kind != CommandKind::kPlay) return false;
      const CardType type = s_.Def(command.card).type;
      return once == (type == CardType::kEvent || type == CardType::kOperation);
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
    out["memory"] =
        json::Object{{"base", limit}, {"used", used}, {"available", limit - used}, {"only-for", json::Object()}};
    out["tag"] = json::Object{{"base", s_.tags}, {"total", s_.tags}, {"is-tagged", s_.tags > 0}};
    out["link"] = 0;
    out["brain-damage"] = s_.core_damage;
    const Inst lender = SpendableCard(s_);
    out["run-credit"] = lender == kNoInst ? 0 : static_cast<int>(s_[lender].credits);
    out["bad-pub-credit"] = s_.run.bad_publicity_credits;
  }

  // The side that has passed in the open window: its name, or false.
  json::Value NoAction() const {
    for (std::size_t i = s_.stack.size(); i-- > 0;) {
      const auto* window = std::get_if<WindowStep>(&s_.stack[i]);
      if (window == nullptr) continue;
      if (!window->other_passed) return false;
      return window->priority == Side::kCorp ? "runner" : "corp";
    }
    return false;
  }

  void AddChoices(json::Object& out) const {
    json::Array choices;
    const std::vector<std::string> labels = OptionLabels(s_);
    const std::vector<std::string> values = OptionValues(s_);
    const bool select = s_.prompt.kind == PromptKind::kSelect;
    if (!select || SelectedEnough(s_)) {
      for (std::size_t i = 0; i < labels.size(); ++i) {
        json::Object choice{{"idx", i}, {"value", values[i]}};
        // Its name in the action `choice`, if another option has the same text.
        if (labels[i] != values[i]) choice["option"] = labels[i];
        const Consequence means = OfOption(s_, i);
        if (means.label != labels[i]) choice["label"] = means.label;
        if (means.danger) choice["danger"] = true;
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
    if (option.names_card()) choice["card"] = Card(option.card());
    if (option.text == OptionText::kWaiting) choice["card"] = Card(s_.waiting[option.n].source);
  }

  const State& s_;
  const std::optional<Side> viewer_;
  CommandList legal_;  // of the viewer
};

}  // namespace

json::Object ObserveState(const State& state, std::optional<Side> viewer, std::span<const std::string> names,
                          std::span<const std::string> deck_names) {
  const Projection projection(state, viewer);
  const auto deck = [&](Side side) { return At(side) < deck_names.size() ? deck_names[At(side)] : std::string(); };
  json::Object out{{"turn", state.turn},
                   {"active-player", state.active == Side::kCorp ? "corp" : "runner"},
                   {"phase", PhaseName(state)},
                   {"side", viewer ? json::Value(*viewer == Side::kCorp ? "corp" : "runner") : json::Value(nullptr)},
                   {"corp", projection.Player(Side::kCorp, names[0], deck(Side::kCorp))},
                   {"runner", projection.Player(Side::kRunner, names[1], deck(Side::kRunner))},
                   {"run", projection.Run()},
                   {"encounters", projection.Encounter()},
                   {"prompt", projection.Prompt()},
                   {"pass", projection.Pass()},
                   {"undo", viewer == state.prompt.side && CanUndo(state)},
                   {"runs", projection.Runs()},
                   {"log", projection.Log()},
                   {"log-count", state.log.count}};
  if (state.over()) {
    out["winner"] = state.winner == 2 ? json::Value(nullptr) : json::Value(state.winner == 0 ? "corp" : "runner");
    out["reason"] = EndingName(state.ending);
  }
  return out;
}

}  // namespace openseat::games::netrunner
