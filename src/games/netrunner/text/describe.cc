#include "games/netrunner/text/describe.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/text/log.h"
#include "games/netrunner/text/prompt_text.h"

namespace openseat::games::netrunner {
namespace {

class Description {
 public:
  Description(const State& state, Side viewer) : s_(state), viewer_(viewer) {}

  std::string Text() && {
    text_ = "You are the **" + std::string(SideName(viewer_)) + "**. ";
    if (s_.turn > 0) {
      text_ += "Turn " + std::to_string(s_.turn) + (s_.active == viewer_ ? ", yours. " : ", your opponent's. ");
    }
    text_ += Counted(s_.points_to_win, "agenda point") + " win.\n\n";
    Player(Side::kCorp);
    Servers();
    Player(Side::kRunner);
    Installed("Installed", s_.runner().installed);
    Hand();
    Run();
    Asked();
    return std::move(text_);
  }

 private:
  void Player(Side side) {
    const PlayerState& player = s_.Of(side);
    text_ += "**" + std::string(SideName(side)) + "** " + CardName(s_, player.identity, viewer_) + ": " +
             Counted(player.credits, "credit") + ", " + Counted(player.clicks, "click") + ", " +
             Counted(Points(s_, side), "point") + ", " + Counted(static_cast<int>(player.hand.size()), "card") +
             " in hand, " + std::to_string(player.deck.size()) + " in the deck, " +
             std::to_string(player.discard.size()) + " discarded";
    if (side == Side::kRunner) {
      text_ += ", " + Counted(s_.tags, "tag") + ", " + std::to_string(MemoryUsed(s_)) + " of " +
               std::to_string(MemoryLimit(s_)) + " memory";
    }
    text_ += "." + CardText(player.identity) + "\n";
    List("Scored", player.score);
    Discarded(player.discard);
  }

  // The titles of the cards, each once, with how many there are.
  void List(std::string_view what, const CardList& cards) {
    if (cards.empty()) return;
    text_ += "- " + std::string(what) + ": ";
    bool first = true;
    for (const auto& [title, count] : Counts(cards)) {
      text_ += (first ? "" : ", ") + std::string(title) + Times(count);
      first = false;
    }
    text_ += "\n";
  }

  std::vector<std::pair<std::string_view, int>> Counts(const CardList& cards) const {
    std::vector<std::pair<std::string_view, int>> counts;
    for (const Inst inst : cards) {
      const std::string_view title = s_.Def(inst).title;
      auto found = std::ranges::find(counts, title, &std::pair<std::string_view, int>::first);
      if (found == counts.end()) found = counts.insert(counts.end(), {title, 0});
      ++found->second;
    }
    return counts;
  }
  static std::string Times(int count) { return count > 1 ? " ×" + std::to_string(count) : ""; }

  void Discarded(const CardList& cards) {
    CardList seen;
    for (const Inst inst : cards) {
      if (CanSee(s_, inst, viewer_)) seen.push_back(inst);
    }
    List("Discarded", seen);
    if (seen.size() < cards.size()) {
      text_ += "- Discarded facedown: " + Counted(static_cast<int>(cards.size() - seen.size()), "card") + "\n";
    }
  }

  // What the card does, once for all its copies; "" if that is said already.
  std::string CardText(Inst inst) {
    const CardDef& def = s_.Def(inst);
    if (def.text.empty() || !told_.insert(def.text).second) return "";
    return " " + std::string(def.text);
  }

  std::string Name(Inst inst) const {
    const std::string title = CanSee(s_, inst, viewer_) ? std::string(s_.Def(inst).title) : std::string("unknown");
    return title + " `" + CidOf(s_, inst) + "`";
  }

  // "ICE: Barrier": subtypes decide which icebreaker breaks what; those of other cards matter little.
  static std::string TypeOf(const CardDef& def) {
    std::string text(TypeName(def.type));
    if (def.type != CardType::kIce && def.type != CardType::kProgram) return text;
    std::string_view separator = ": ";
    for (const Subtype subtype : def.subtype_list) {
      text += std::string(std::exchange(separator, ", ")) + std::string(SubtypeName(subtype));
    }
    return text;
  }

  // What everybody may know of an installed card, and the viewer of this one.
  std::string Facts(Inst inst) const {
    const CardState& card = s_[inst];
    const CardDef& def = s_.Def(inst);
    const bool known = CanSee(s_, inst, viewer_);
    std::string text;
    const auto add = [&text](std::string_view fact) { text += (text.empty() ? "" : ", ") + std::string(fact); };
    if (known) add(TypeOf(def));
    if (card.side == Side::kCorp && def.type != CardType::kAgenda) add(card.faceup ? "rezzed" : "unrezzed");
    if (card.side == Side::kCorp && def.type == CardType::kAgenda && !known) add("unrezzed");
    if (known && def.strength >= 0) add("strength " + std::to_string(Strength(s_, inst)));
    if (known && card.side == Side::kCorp && !card.faceup && def.type != CardType::kAgenda) {
      add(Counted(RezCost(s_, inst), "credit") + " to rez");
    }
    if (known && def.type == CardType::kAgenda) add(AgendaOf(def));
    if (card.advancement > 0) add(Counted(card.advancement, "advancement counter"));
    if (card.virus > 0) add(Counted(card.virus, "virus counter"));
    if (card.credits > 0) add(Counted(card.credits, "credit") + " on it");
    if (card.host != kNoInst) add("on " + Name(card.host));
    return text;
  }

  static std::string AgendaOf(const CardDef& def) {
    return Counted(def.points, "point") + " for " + Counted(def.advancement, "advancement counter");
  }

  void Installed(std::string_view what, const CardList& cards) {
    if (cards.empty()) return;
    text_ += "- " + std::string(what) + ":\n";
    for (const Inst inst : cards) {
      text_ += "  - " + Name(inst) + " (" + Facts(inst) + ")";
      const std::string does = CanSee(s_, inst, viewer_) ? CardText(inst) : "";
      text_ += (does.empty() ? "" : ":" + does) + "\n";
    }
  }

  void Servers() {
    for (Server server = kHqServer; server < s_.next_remote; ++server) {
      Installed("Ice protecting " + ServerName(server) + ", innermost first", IceOn(s_, server));
      Installed((IsCentral(server) ? "In the root of " : "In ") + ServerName(server), RootOf(s_, server));
    }
  }

  void Hand() {
    const CardList& hand = s_.Of(viewer_).hand;
    text_ += hand.empty() ? "\nYour hand is empty.\n" : "\nYour hand:\n";
    for (const auto& [title, count] : Counts(hand)) {
      const Inst inst =
          *std::find_if(hand.begin(), hand.end(), [&, &name = title](Inst each) { return s_.Def(each).title == name; });
      const CardDef& def = s_.Def(inst);
      text_ += "- " + std::string(title) + Times(count) + " (" + TypeOf(def);
      if (def.cost >= 0)
        text_ += (viewer_ == Side::kCorp && def.type != CardType::kOperation ? ", rez cost " : ", cost ") +
                 std::to_string(def.cost);
      if (def.strength >= 0) text_ += ", strength " + std::to_string(def.strength);
      if (def.memory > 0) text_ += ", memory " + std::to_string(def.memory);
      if (def.type == CardType::kAgenda) text_ += ", " + AgendaOf(def);
      text_ += ")";
      const std::string does = CardText(inst);
      text_ += (does.empty() ? "" : ":" + does) + "\n";
    }
  }

  void Run() {
    if (!s_.run.active) return;
    text_ += "\nA run on " + ServerName(s_.run.server) + " is in progress: " + Stage() + ", " +
             Counted(s_.run.position, "piece") + " of ice left to pass.\n";
    if (!Encountering(s_)) return;
    const CardDef& ice = s_.Def(s_.run.ice);
    text_ += "Subroutines of " + std::string(ice.title) + ":\n";
    for (std::size_t i = 0; i < ice.subroutines.size(); ++i) {
      text_ += "- " + std::string(ice.subroutines[i].label) + ((s_.run.broken >> i & 1) != 0 ? " (broken)" : "") + "\n";
    }
  }

  std::string Stage() const {
    switch (s_.run.phase) {
      case RunPhase::kInitiation:
        return "it begins";
      case RunPhase::kApproachIce:
        return "the Runner approaches " + CardName(s_, s_.run.ice, viewer_);
      case RunPhase::kEncounterIce:
        return "the Runner encounters " + CardName(s_, s_.run.ice, viewer_);
      case RunPhase::kMovement:
        return "the Runner moves on";
      case RunPhase::kSuccess:
        break;
    }
    return "it is successful";
  }

  void Asked() {
    if (s_.over()) {
      text_ += s_.winner == 2 ? "\nThe game is a tie.\n"
                              : "\nThe game is over: " + std::string(EndingName(s_.ending)) + ". You " +
                                    (s_.winner == At(viewer_) ? "won" : "lost") + ".\n";
      return;
    }
    if (s_.prompt.side != viewer_) {
      text_ += "\nIt is your opponent's choice.\n";
      return;
    }
    // Where there is no question, the choices say what may be done.
    const PromptKind kind = s_.prompt.kind;
    const bool open = kind == PromptKind::kStartTurn || (kind == PromptKind::kAction && s_.Of(viewer_).clicks > 0);
    if (!open) text_ += "\n**" + PlainWords(PromptMessage(s_)) + "**\n";
  }

  const State& s_;
  const Side viewer_;
  std::string text_;
  std::set<std::string_view> told_;  // cards' texts that are said
};

}  // namespace

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

std::string DescribeState(const State& state, Side viewer) {
  return Description(state, viewer).Text();
}

}  // namespace openseat::games::netrunner
