#include "games/netrunner/text/describe.h"

#include <utility>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/text/log.h"
#include "games/netrunner/text/prompt_text.h"

namespace openseat::games::netrunner {
namespace {

constexpr std::uint32_t kLinesOfLog = 12;

class Description {
 public:
  Description(const State& state, Side viewer, std::span<const std::string> names)
      : s_(state), viewer_(viewer), names_(names) {}

  std::string Text() && {
    const std::string me(SideName(viewer_));
    text_ = "You are the **" + me + "** (" + names_[At(viewer_)] + "); " + names_[At(Other(viewer_))] + " is the " +
            std::string(SideName(Other(viewer_))) + ". Turn " + std::to_string(s_.turn) + ", " +
            (s_.active == viewer_ ? "yours" : "your opponent's") + ". " + std::to_string(s_.points_to_win) +
            " agenda points win.\n\n";
    Player(Side::kCorp);
    Servers();
    Player(Side::kRunner);
    Rig();
    Hand();
    Run();
    Log();
    Asked();
    return std::move(text_);
  }

 private:
  void Player(Side side) {
    const PlayerState& player = s_.Of(side);
    text_ += "**" + std::string(SideName(side)) + "** " + CardName(s_, player.identity, viewer_) + ": " +
             std::to_string(player.credits) + " credits, " + std::to_string(player.clicks) + " clicks, " +
             std::to_string(Points(s_, side)) + " points, " + std::to_string(player.hand.size()) + " cards in hand, " +
             std::to_string(player.deck.size()) + " in the deck, " + std::to_string(player.discard.size()) +
             " discarded";
    if (side == Side::kRunner) {
      text_ += ", " + std::to_string(s_.tags) + " tags, " + std::to_string(MemoryUsed(s_)) + " of " +
               std::to_string(MemoryLimit(s_)) + " memory";
    }
    text_ += ".\n";
    List("Scored", player.score);
    Discarded(player.discard);
  }

  void List(std::string_view what, const CardList& cards) {
    if (cards.empty()) return;
    text_ += "- " + std::string(what) + ":";
    for (std::size_t i = 0; i < cards.size(); ++i) text_ += (i == 0 ? " " : ", ") + Name(cards[i]);
    text_ += "\n";
  }

  void Discarded(const CardList& cards) {
    CardList seen;
    for (const Inst inst : cards) {
      if (CanSee(s_, inst, viewer_)) seen.push_back(inst);
    }
    List("Discarded", seen);
    if (seen.size() < cards.size()) text_ += "- Facedown: " + std::to_string(cards.size() - seen.size()) + "\n";
  }

  std::string Name(Inst inst) const {
    const std::string cid = CidOf(s_, inst);
    const bool known = CanSee(s_, inst, viewer_);
    return (known ? std::string(s_.Def(inst).title) : std::string("unknown")) + (cid.empty() ? "" : " `" + cid + "`");
  }

  // One line for an installed card.
  void Installed(Inst inst) {
    const CardState& card = s_[inst];
    const CardDef& def = s_.Def(inst);
    const bool known = CanSee(s_, inst, viewer_);
    text_ += "  - " + Name(inst);
    if (card.side == Side::kCorp) text_ += card.faceup ? ", rezzed" : ", unrezzed";
    if (known && def.strength >= 0) text_ += ", strength " + std::to_string(Strength(s_, inst));
    if (known && card.side == Side::kCorp && !card.faceup && def.type != CardType::kAgenda) {
      text_ += ", costs " + std::to_string(RezCost(s_, inst)) + " to rez";
    }
    if (known && def.type == CardType::kAgenda) {
      text_ += ", needs " + std::to_string(def.advancement) + " advancement counters for " +
               std::to_string(def.points) + " points";
    }
    if (card.advancement > 0) text_ += ", " + std::to_string(card.advancement) + " advancement counters";
    if (card.virus > 0) text_ += ", " + std::to_string(card.virus) + " virus counters";
    if (card.credits > 0) text_ += ", " + std::to_string(card.credits) + " credits on it";
    if (card.host != kNoInst) text_ += ", on " + Name(card.host);
    if (known && !def.text.empty()) text_ += ". " + std::string(def.text);
    text_ += "\n";
  }

  void Servers() {
    for (Server server = kHqServer; server < s_.next_remote; ++server) {
      const CardList ice = IceOn(s_, server);
      const CardList root = RootOf(s_, server);
      if (ice.empty() && root.empty()) continue;
      text_ += "- " + ServerName(server) + (ice.empty() ? "" : ", ice from the innermost outwards") + ":\n";
      for (const Inst inst : ice) Installed(inst);
      if (!root.empty()) text_ += "  - in it:\n";
      for (const Inst inst : root) Installed(inst);
    }
  }

  void Rig() {
    if (s_.runner().installed.empty()) return;
    text_ += "- Installed:\n";
    for (const Inst inst : s_.runner().installed) Installed(inst);
  }

  void Hand() {
    text_ += "\nYour hand:\n";
    for (const Inst inst : s_.Of(viewer_).hand) {
      const CardDef& def = s_.Def(inst);
      text_ += "- " + Name(inst) + " (" + std::string(TypeName(def.type));
      if (def.cost >= 0) text_ += ", cost " + std::to_string(def.cost);
      if (def.type == CardType::kAgenda) {
        text_ += ", " + std::to_string(def.points) + " points for " + std::to_string(def.advancement) + " advancements";
      }
      text_ += "): " + std::string(def.text) + "\n";
    }
  }

  void Run() {
    if (!s_.run.active) return;
    text_ += "\nA run on " + ServerName(s_.run.server) + " is in progress: " + std::string(RunPhaseName(s_.run.phase)) +
             ", " + std::to_string(s_.run.position) + " ice left to pass.\n";
    if (!Encountering(s_)) return;
    const CardDef& ice = s_.Def(s_.run.ice);
    text_ += "Subroutines of " + std::string(ice.title) + ":\n";
    for (std::size_t i = 0; i < ice.subroutines.size(); ++i) {
      text_ += "- " + std::string(ice.subroutines[i].label) + ((s_.run.broken >> i & 1) != 0 ? " (broken)" : "") + "\n";
    }
  }

  void Log() {
    text_ += "\nWhat happened last:\n";
    const std::uint32_t first = s_.log.count > kLinesOfLog ? s_.log.count - kLinesOfLog : 0;
    for (std::uint32_t i = first; i < s_.log.count; ++i) text_ += "- " + LogSentence(s_.log.At(i), viewer_) + "\n";
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
    text_ += "\n**" + PromptMessage(s_) + "**\n";
  }

  const State& s_;
  const Side viewer_;
  const std::span<const std::string> names_;
  std::string text_;
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

std::string DescribeState(const State& state, Side viewer, std::span<const std::string> names) {
  return Description(state, viewer, names).Text();
}

}  // namespace openseat::games::netrunner
