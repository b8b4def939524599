// DeckList: a deck of cards as people keep and exchange it, for any game that is played with decks. DeckRules: what a
// game knows about decks: how they are written as text, and which are legal.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace openseat {

// The most copies of a card that a list may come with: more than any deck needs.
inline constexpr int kMaxCopies = 99;

struct DeckList {
  std::string name;
  std::string game;                  // "netrunner": a Game's id
  std::string side;                  // the game's name for it ("corp"); "" if not known yet
  std::string format;                // which of the game's deck rules it is for ("system-gateway")
  std::string identity;              // a card's code; "" if there is none yet
  std::map<std::string, int> cards;  // copies, by code; without the identity
  std::string notes;                 // free text for people

  bool operator==(const DeckList&) const = default;
};

// A reason why a deck may not be played.
struct DeckProblem {
  std::string message;  // a sentence for a person
  std::string card;     // the code of the card concerned; may be empty

  bool operator==(const DeckProblem&) const = default;
};

// Immutable; any thread.
class DeckRules {
 public:
  virtual ~DeckRules() = default;
  DeckRules(const DeckRules&) = delete;
  DeckRules& operator=(const DeckRules&) = delete;

  virtual std::string_view game() const = 0;
  virtual const std::vector<std::string>& formats() const = 0;  // the first is the usual one

  // Parses a list as people paste it, one card a line. Sets all members except `format` and `notes`. Errors: kParse,
  // with every line that could not be read, or has more than kMaxCopies of a card with those before it.
  virtual Result<DeckList> FromText(std::string_view text) const = 0;
  // Parses the JSON of the game's deck sites. Errors: kParse if it is invalid, kInvalid if it names unknown cards,
  // listing all of them, or has more than kMaxCopies of a card.
  virtual Result<DeckList> FromJson(const json::Value& document) const = 0;
  // Replaces every card's title by its code, finds the side if it is not given, and checks that everything belongs to
  // this game, and that there are 1 to kMaxCopies of each card. Errors: kInvalid, with the member as path.
  virtual Result<DeckList> Complete(DeckList list) const = 0;

  // Everything that is wrong with it, most important first; empty: it may be played. REQUIRES a list from one of the
  // functions above, possibly of another version of this program: unknown cards are problems, and any number of copies
  // costs the same.
  virtual std::vector<DeckProblem> Check(const DeckList& list) const = 0;
  // A text that FromText reads back unless there are too many copies, for people and other programs.
  virtual std::string ToText(const DeckList& list) const = 0;
  // The deck in the form that the game's options take. REQUIRES Check to find nothing.
  virtual json::Value ToOption(const DeckList& list) const = 0;
  // Every card as facts: {"code", "title", "side", …}, for deck builders.
  virtual json::Array Cards() const = 0;

 protected:
  DeckRules() = default;
};

}  // namespace openseat
