#include "games/netrunner/text/log.h"

#include <cstdlib>

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

class Sentence {
 public:
  Sentence(const LogEntry& entry, std::optional<Side> viewer) : entry_(entry), viewer_(viewer) {}

  std::string Text() const {
    const std::string who(SideName(entry_.side));
    return who + " " + Predicate() + ".";
  }

 private:
  bool Knows() const { return KnowsCard(entry_, viewer_); }
  std::string Card() const {
    if (entry_.card != kNoCard && Knows()) return std::string(CardOf(entry_.card).title);
    return entry_.ice ? "ice" : "a card";
  }
  std::string Other() const { return entry_.other == kNoCard ? "" : std::string(CardOf(entry_.other).title); }

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
        return "spends [Click] and pays " + Credits(n) + " to play " + Card();
      case LogKind::kInstall:
        return Install();
      case LogKind::kRez:
        return "pays " + Credits(n) + " to rez " + Card();
      case LogKind::kRezFree:
        return "rezzes " + Card() + ", ignoring all costs";
      case LogKind::kDerez:
        return "derezzes " + Card();
      case LogKind::kAdvance:
        return "spends [Click] and pays 1 [Credits] to advance " + Card() + Place();
      case LogKind::kAdvanceBy:
        return "places " + Counted(n, "advancement counter") + " on " + Card() + Place();
      case LogKind::kScore:
        return "scores " + Card() + " and gains " + Counted(n, "agenda point");
      case LogKind::kSteal:
        return "steals " + Card() + " and gains " + Counted(n, "agenda point");
      default:
        return OfRun();
    }
  }

  std::string Install() const {
    if (entry_.side == Side::kRunner) return "pays " + Credits(entry_.n) + " to install " + Card();
    std::string text = "pays " + Credits(entry_.n) + " to install " + Card();
    return text + Place() + (entry_.m != 0 ? " (new remote)" : "");
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
        return "makes a run on " + ServerName(entry_.server) +
               (entry_.card == kNoCard ? "" : " with " + std::string(CardOf(entry_.card).title));
      case LogKind::kApproach:
        return "approaches " + IceName() + " protecting " + ServerName(entry_.server) + " at position " +
               std::to_string(n);
      case LogKind::kEncounter:
        return "encounters " + Card();
      case LogKind::kBreak:
        return "uses " + Card() + " to break " + Counted(n, "subroutine") + " on " + Other();
      case LogKind::kFire:
        return "resolves subroutine " + std::to_string(n + 1) + " of " + Card() + ": " + Label();
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
        return "pays " + Credits(n) + " to trash " + Card();
      default:
        return OfEffect();
    }
  }

  std::string OfEffect() const {
    const int n = entry_.n;
    switch (entry_.kind) {
      case LogKind::kTrashed:
        return "has " + Card() + " trashed" + (entry_.m != 0 && !Knows() ? " from their hand" : "");
      case LogKind::kUse:
        return "uses " + Card();
      case LogKind::kDrawn:
        return "draws " + Counted(n, "card");
      case LogKind::kCredits:
        return (n < 0 ? "loses " : "gains ") + Credits(std::abs(n));
      case LogKind::kDamage:
        return "does " + std::to_string(n) + (entry_.m == 0 ? " net" : entry_.m == 1 ? " meat" : " core") + " damage";
      case LogKind::kDamaged:
        return "trashes " + Card() + " because of damage";
      case LogKind::kTags:
        return "takes " + Counted(n, "tag");
      case LogKind::kDiscard:
        return "discards " + Counted(n, "card") + " down to their maximum hand size";
      case LogKind::kDiscarded:
        return "discards " + Card();
      case LogKind::kShuffle:
        return "shuffles " + Counted(n, "card") + " into their deck";
      case LogKind::kToHand:
        return "adds " + Card() + " to their hand";
      case LogKind::kReveal:
        return "reveals " + Card() + " from their deck";
      case LogKind::kSwap:
        return entry_.card != kNoCard && Knows() ? "swaps " + Card() + " and " + Other()
                                                 : std::string("swaps two pieces of ice");
      case LogKind::kRemoved:
        return "removes " + Card() + " from the game";
      case LogKind::kTakeCredits:
        return "takes " + Credits(n) + " from " + Card();
      case LogKind::kConcede:
        return "concedes";
      default:
        return entry_.n == static_cast<int>(Ending::kTie) ? "ties: both have enough agenda points" : "wins the game";
    }
  }

  std::string IceName() const { return Knows() ? Card() : "ice"; }
  std::string Label() const {
    return std::string(CardOf(entry_.card).subroutines[static_cast<std::size_t>(entry_.n)].label);
  }

  const LogEntry& entry_;
  const std::optional<Side> viewer_;
};

}  // namespace

std::string LogSentence(const LogEntry& entry, std::optional<Side> viewer) {
  return Sentence(entry, viewer).Text();
}

}  // namespace openseat::games::netrunner
