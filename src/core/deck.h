// DeckList: a deck of cards as people keep and exchange it, for whatever game plays with decks. DeckRules: what a game
// knows of them: how they are written as text, and which are legal.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace openseat {

struct DeckList {
  std::string name;
  std::string game;                  // "netrunner": a Game's id
  std::string side;                  // as the game calls it ("corp"); "" where nothing says it yet
  std::string format;                // which of the game's deck rules it is for ("system-gateway")
  std::string identity;              // a card's code; "" where there is none yet
  std::map<std::string, int> cards;  // copies, by code; without the identity
  std::string notes;                 // free text for people

  bool operator==(const DeckList&) const = default;
};

// Something that keeps a deck from being played with.
struct DeckProblem {
  std::string message;  // a sentence for a person
  std::string card;     // the code of the card that it is about; may be empty

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

  // A list as people paste it, one card a line. Gives all members but `format` and `notes`. Errors: kParse, with every
  // line that could not be read.
  virtual Result<DeckList> FromText(std::string_view text) const = 0;
  // The JSON of the game's deck sites. Errors: kParse where it is none, kInvalid where it names cards that there are
  // not, all of them.
  virtual Result<DeckList> FromJson(const json::Value& document) const = 0;
  // Puts every card's code in the place of its title, finds the side where it is not given, and checks that all is of
  // this game. Errors: kInvalid, with the member as path.
  virtual Result<DeckList> Complete(DeckList list) const = 0;

  // Everything that is wrong with it, in the order of importance; empty: it may be played with. REQUIRES a list that
  // came from one of the above, also of another version of this program: unknown cards are problems.
  virtual std::vector<DeckProblem> Check(const DeckList& list) const = 0;
  // A text that FromText reads back, for people and other programs.
  virtual std::string ToText(const DeckList& list) const = 0;
  // The deck as the game's options take it. REQUIRES Check to find nothing.
  virtual json::Value ToOption(const DeckList& list) const = 0;
  // Every card as facts: {"code", "title", "side", …}, for who builds decks.
  virtual json::Array Cards() const = 0;

 protected:
  DeckRules() = default;
};

}  // namespace openseat
