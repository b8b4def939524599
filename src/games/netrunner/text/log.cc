#include "games/netrunner/text/log.h"

#include <cstdlib>
#include <vector>

#include "games/netrunner/cards/card_table.h"

namespace openseat::games::netrunner {

bool KnowsCard(const LogEntry& entry, std::optional<Side> viewer) {
  if (entry.seen_by == 3) return true;
  return viewer && (entry.seen_by >> At(*viewer) & 1) != 0;
}

std::string ServerName(Server server) {
  switch (server) {
    case kHqServer:
      return "HQ";
    case kRndServer:
      return "R&D";
    case kArchivesServer:
      return "Archives";
    case kNewRemote:
      return "New remote";
    default:
      return "Server " + std::to_string(server - kFirstRemote + 1);
  }
}

std::string Counted(int n, std::string_view thing) {
  return std::to_string(n) + " " + std::string(thing) + (n == 1 ? "" : "s");
}

std::string Decapitalized(std::string_view text) {
  std::string lower(text);
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (lower.size() > 1 && upper(lower[0]) && !upper(lower[1])) lower[0] = static_cast<char>(lower[0] - 'A' + 'a');
  return lower;
}

std::string PlainWords(std::string_view sentence) {
  std::string text;
  while (!sentence.empty()) {
    const std::size_t open = sentence.find('[');
    const std::size_t close = open == std::string_view::npos ? open : sentence.find(']', open);
    if (close == std::string_view::npos) return text + std::string(sentence);
    const std::string_view sign = sentence.substr(open, close - open + 1);
    const bool click = sign == "[Click]";
    text += sentence.substr(0, open);
    sentence.remove_prefix(close + 1);
    if (!click && sign != "[Credit]" && sign != "[Credits]") {
      text += sign;
      continue;
    }
    int count = 1;
    for (; sentence.starts_with(sign); sentence.remove_prefix(sign.size())) ++count;
    // A number before it counts them.
    std::size_t digits = text.size();
    if (digits > 0 && text[digits - 1] == ' ') --digits;
    const std::size_t end = digits;
    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
    if (digits < end) {
      count = std::atoi(text.c_str() + digits);
      text.resize(digits);
    } else if (count == 1) {
      text += click ? "a click" : "credits";
      continue;
    }
    text += Counted(count, click ? "click" : "credit");
  }
  return text;
}

namespace {

std::string Credits(int n) {
  return std::to_string(n) + " [Credits]";
}

std::string_view DamageName(std::uint8_t kind) {
  return kind == 0 ? "net" : kind == 1 ? "meat" : "core";
}

class Sentence {
 public:
  Sentence(const LogEntry& entry, std::optional<Side> viewer) : entry_(entry), viewer_(viewer) {}

  std::string Text() const { return Words() + "."; }
  std::string Words() const { return std::string(SideName(entry_.side)) + " " + Predicate(); }

 private:
  bool Knows() const { return KnowsCard(entry_, viewer_); }
  std::string Card() const {
    if (entry_.card != kNoCard && Knows()) return std::string(CardOf(entry_.card).title);
    return entry_.ice ? "ice" : "a card";
  }
  std::string Other() const { return entry_.other == kNoCard ? "" : std::string(CardOf(entry_.other).title); }

  // " from AMAZE Amusements": the card whose text did it, unless the line is about that card.
  std::string By(std::string_view how) const {
    if (entry_.by == kNoCard || (entry_.by == entry_.card && Knows())) return "";
    return " " + std::string(how) + " " + std::string(CardOf(entry_.by).title);
  }
  // "spends [Click] and pays 2 [Credits] to use"; without a cost "uses".
  std::string Costing(std::string_view verb, std::string_view verbs) const {
    return Costing(entry_.clicks, entry_.cost, verb, verbs);
  }
  static std::string Costing(int clicks, int credits, std::string_view verb, std::string_view verbs) {
    std::string cost;
    for (int i = 0; i < clicks; ++i) cost += i == 0 ? "spends [Click]" : "[Click]";
    if (credits > 0) cost += (cost.empty() ? "pays " : " and pays ") + Credits(credits);
    return cost.empty() ? std::string(verbs) : cost + " to " + std::string(verb);
  }

  std::string Predicate() const {
    const int n = entry_.n;
    switch (entry_.kind) {
      case LogKind::kKeep:
        return "keeps their hand";
      case LogKind::kMulligan:
        return "takes a mulligan";
      case LogKind::kStartTurn:
        return "starts their turn with " + Credits(n) + " and " + Counted(entry_.m, "card") + " in hand";
      case LogKind::kMandatoryDraw:
        return "makes their mandatory draw";
      case LogKind::kEndTurn:
        return "ends their turn with " + Credits(n) + " and " + Counted(entry_.m, "card") + " in hand";
      case LogKind::kGainCredit:
        return "spends [Click] to gain 1 [Credits]";
      case LogKind::kDrawCard:
        return "spends [Click] to draw " + Counted(n, "card");
      case LogKind::kPurge:
        return "spends [Click][Click][Click] to purge all virus counters";
      case LogKind::kRemoveTag:
        return "spends [Click] and pays 2 [Credits] to remove 1 tag";
      case LogKind::kTrashResource:
        return "spends [Click] and pays 2 [Credits] to trash " + Card();
      case LogKind::kPlay:
        return Costing(1, n, "play", "plays") + " " + Card();
      case LogKind::kInstall:
        return Install();
      case LogKind::kRez:
        return Costing(0, n, "rez", "rezzes") + " " + Card();
      case LogKind::kRezFree:
        return "rezzes " + Card() + ", ignoring all costs" + By("with");
      case LogKind::kDerez:
        return "derezzes " + Card() + By("with");
      case LogKind::kAdvance:
        return "spends [Click] and pays 1 [Credits] to advance " + Card() + Place();
      case LogKind::kAdvanceBy:
        return "places " + Counted(n, "advancement counter") + " on " + Card() + Place() + By("with");
      case LogKind::kScore:
        return "scores " + Card() + " and gains " + Counted(n, "agenda point");
      case LogKind::kSteal:
        return "steals " + Card() + " and gains " + Counted(n, "agenda point");
      case LogKind::kUndo:
        return Undone();
      default:
        return OfRun();
    }
  }

  std::string Install() const {
    const std::string place = entry_.side == Side::kRunner ? "" : Place() + (entry_.m != 0 ? " (new remote)" : "");
    return Costing(entry_.clicks, entry_.n, "install", "installs") + " " + Card() + place + By("with");
  }

  std::string Undone() const {
    const std::string back = "takes back the last click: ";
    switch (static_cast<UndoState::What>(entry_.n)) {
      case UndoState::What::kCredit:
        return back + "the credit";
      case UndoState::What::kRemoveTag:
        return back + "removing the tag";
      case UndoState::What::kAdvance:
        return back + "advancing " + Card() + Place();
      default:
        return back + "installing " + Card() + (entry_.server == kNoServer ? "" : Place());
    }
  }

  std::string Place() const {
    return (entry_.ice                 ? " protecting "
            : IsCentral(entry_.server) ? " in the root of "
                                       : " in ") +
           ServerName(entry_.server);
  }

  std::string OfRun() const {
    const int n = entry_.n;
    switch (entry_.kind) {
      case LogKind::kRun:
        return Costing("make", "makes") + " a run on " + ServerName(entry_.server) +
               (entry_.card == kNoCard ? "" : " with " + std::string(CardOf(entry_.card).title));
      case LogKind::kApproach:
        return "approaches " + IceName() + " protecting " + ServerName(entry_.server) +
               (n > 0 ? ", with " + std::to_string(n) + " more behind it" : "");
      case LogKind::kEncounter:
        return "encounters " + Card();
      case LogKind::kBreak:
        return Costing("break", "breaks") + " " + Counted(n, "subroutine") + " of " + Other() +
               (entry_.card == entry_.other ? "" : " with " + Card());
      case LogKind::kFire:
        return "resolves subroutine " + std::to_string(n + 1) + " of " + Card() + ": " + Label();
      case LogKind::kEndRun:
        return "ends the run" + By("with");
      case LogKind::kPass:
        return "passes " + IceName();
      case LogKind::kApproachServer:
        return "approaches " + ServerName(entry_.server);
      case LogKind::kJackOut:
        return "jacks out";
      case LogKind::kRunEnds:
        return std::string(n != 0 ? "ends a successful run on " : "ends an unsuccessful run on ") +
               ServerName(entry_.server);
      case LogKind::kBreach:
        return "breaches " + ServerName(entry_.server);
      case LogKind::kAccess:
        return "accesses " + (Knows() ? Card() : std::string("an unseen card")) + " from " + ServerName(entry_.server);
      case LogKind::kTrash:
        return entry_.by == kNoCard ? "pays " + Credits(n) + " to trash " + Card() : "trashes " + Card() + By("with");
      default:
        return OfEffect();
    }
  }

  std::string OfEffect() const {
    const int n = entry_.n;
    switch (entry_.kind) {
      case LogKind::kTrashed:
        return "has " + Card() + " trashed" + Why();
      case LogKind::kUse:
        return Use();
      case LogKind::kDrawn:
        return "draws " + Counted(n, "card") + By("with");
      case LogKind::kCredits:
        return n < 0 ? "loses " + Credits(-n) + By("to") : "gains " + Credits(n) + By("from");
      case LogKind::kPaid:
        return "pays " + Credits(n) + By("for");
      case LogKind::kClicks:
        return n < 0 ? "loses " + Counted(-n, "click") + By("to") : "gains " + Counted(n, "click") + By("from");
      case LogKind::kVirus:
        return "places " + Counted(n, "virus counter") + " on " + Card() + By("with");
      case LogKind::kPlacedCredits:
        return "places " + Credits(n) + " on " + Card() + By("with");
      case LogKind::kDamage:
        return "does " + std::to_string(n) + " " + std::string(DamageName(entry_.m)) + " damage" + By("with");
      case LogKind::kDamaged:
        return "loses " + Card() + " to the damage" + By("of");
      case LogKind::kTags:
        return "takes " + Counted(n, "tag") + By("from");
      case LogKind::kDiscard:
        return "discards " + Counted(n, "card") + " down to their maximum hand size";
      case LogKind::kDiscarded:
        return "discards " + Card();
      case LogKind::kShuffle:
        return "shuffles " + Counted(n, "card") + " into their deck" + By("with");
      case LogKind::kToHand:
        return "adds " + Card() + " to their hand" + By("with");
      case LogKind::kReveal:
        return "reveals " + Card() + " from their deck" + By("with");
      case LogKind::kSwap:
        return (entry_.card != kNoCard && Knows() ? "swaps " + Card() + " and " + Other()
                                                  : std::string("swaps two pieces of ice")) +
               By("with");
      case LogKind::kRemoved:
        return "removes " + Card() + " from the game";
      case LogKind::kTakeCredits:
        return "takes " + Credits(n) + " from " + Card();
      case LogKind::kConcede:
        return "concedes";
      default:
        return Won();
    }
  }

  std::string Why() const {
    switch (static_cast<TrashReason>(entry_.m)) {
      case TrashReason::kEffect:
        return By("by");
      case TrashReason::kFromHand:
        return (Knows() ? "" : " from their hand") + By("by");
      case TrashReason::kUnique:
        return ": only one of them may be active";
      case TrashReason::kMemory:
        return ": not enough memory";
      case TrashReason::kHostGone:
        return ": its host is gone";
      case TrashReason::kReplaced:
        return ": another card takes its place";
      case TrashReason::kToInstall:
        break;
    }
    return " to make room";
  }

  std::string Use() const {
    const Ability& ability = CardOf(entry_.card).abilities[static_cast<std::size_t>(entry_.n)];
    const std::string counters = ability.cost.virus > 0 ? " for " + Counted(ability.cost.virus, "virus counter") : "";
    return Costing("use", "uses") + " " + Card() + counters + ": " + Decapitalized(ability.label);
  }

  std::string Won() const {
    switch (static_cast<Ending>(entry_.n)) {
      case Ending::kTie:
        return "ties: both have enough agenda points";
      case Ending::kAgenda:
        return "wins the game by agenda points";
      case Ending::kFlatline:
        return "wins the game: the Runner is flatlined";
      case Ending::kDecked:
        return "wins the game: R&D ran out";
      default:
        return "wins the game";
    }
  }

  std::string IceName() const { return Knows() ? Card() : "ice"; }
  std::string Label() const {
    return std::string(CardOf(entry_.card).subroutines[static_cast<std::size_t>(entry_.n)].label);
  }

  const LogEntry& entry_;
  const std::optional<Side> viewer_;
};

// What a run has cost the Runner and brought, so far.
class RunTally {
 public:
  void Add(const LogEntry& entry) {
    if (entry.kind == LogKind::kRun) {
      *this = {};
      begun_ = true;
    }
    const bool runner = entry.side == Side::kRunner;
    if (runner) credits_ += entry.cost;
    switch (entry.kind) {
      case LogKind::kRez:
        rez_ += entry.n;
        return;
      case LogKind::kPaid:
        if (runner) credits_ += entry.n;
        return;
      case LogKind::kCredits:
        if (runner) (entry.n < 0 ? lost_ : gained_) += std::abs(entry.n);
        return;
      case LogKind::kTakeCredits:
        if (runner) gained_ += entry.n;
        return;
      case LogKind::kBreak:
        clicks_ += entry.clicks;
        return;
      case LogKind::kClicks:
        if (runner && entry.n < 0) clicks_ -= entry.n;
        return;
      case LogKind::kTrash:
        if (entry.by == kNoCard) credits_ += entry.n;
        Name(trashed_, entry.card);
        return;
      case LogKind::kTrashed:
        if (runner) ++cards_;
        return;
      case LogKind::kDamage:
        damage_ += entry.n;
        return;
      case LogKind::kTags:
        tags_ += entry.n;
        return;
      case LogKind::kAccess:
        ++accessed_;
        return;
      case LogKind::kSteal:
        Name(stolen_, entry.card);
        return;
      case LogKind::kEndRun:
        ended_by_ = entry.by;
        return;
      case LogKind::kJackOut:
        jacked_out_ = true;
        return;
      default:
        return;
    }
  }

  // "…: Palisade ended it. It cost 3 [Credits] and 1 tag; it brought nothing."
  // "" if the run began before the lines that are kept.
  std::string Text(bool successful) const {
    if (!begun_) return {};
    std::string text;
    if (!successful && jacked_out_) text = ": they jacked out";
    if (!successful && ended_by_ != kNoCard) text = ": " + std::string(CardOf(ended_by_).title) + " ended it";
    text +=
        ". It cost " + List({Of(credits_, " [Credits]"), lost_ > 0 ? "the loss of " + Credits(lost_) : "",
                             Many(clicks_, "click"), Of(damage_, " damage"), Many(cards_, "card"), Many(tags_, "tag")});
    text += "; it brought " +
            List({stolen_, trashed_.empty() ? "" : "the trashing of " + trashed_, Of(gained_, " [Credits]"),
                  accessed_ == 0   ? ""
                  : accessed_ == 1 ? "1 card seen"
                                   : std::to_string(accessed_) + " cards seen"});
    if (rez_ > 0) text += ". The Corp paid " + Credits(rez_) + " to rez";
    return text;
  }

 private:
  static void Name(std::string& list, CardId card) {
    list += (list.empty() ? "" : " and ") + (card == kNoCard ? std::string("a card") : std::string(CardOf(card).title));
  }
  static std::string Of(int n, std::string_view what) { return n > 0 ? std::to_string(n) + std::string(what) : ""; }
  static std::string Many(int n, std::string_view what) { return n > 0 ? Counted(n, what) : ""; }
  static std::string List(std::vector<std::string> parts) {
    std::erase(parts, "");
    if (parts.empty()) return "nothing";
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    }
    return text;
  }

  bool begun_ = false;
  int credits_ = 0;
  int lost_ = 0;
  int gained_ = 0;
  int clicks_ = 0;
  int damage_ = 0;
  int cards_ = 0;  // trashed, but for damage
  int tags_ = 0;
  int accessed_ = 0;
  int rez_ = 0;
  std::string stolen_;
  std::string trashed_;
  CardId ended_by_ = kNoCard;
  bool jacked_out_ = false;
};

}  // namespace

std::vector<std::string> LogSentences(std::span<const LogEntry> lines, std::optional<Side> viewer, std::size_t from) {
  std::vector<std::string> sentences;
  RunTally tally;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    tally.Add(lines[i]);
    if (i < from) continue;
    const Sentence sentence(lines[i], viewer);
    const bool ends = lines[i].kind == LogKind::kRunEnds;
    sentences.push_back(ends ? sentence.Words() + tally.Text(lines[i].n != 0) + "." : sentence.Text());
  }
  return sentences;
}

}  // namespace openseat::games::netrunner
