// A game of Netrunner for tests, played only through legal actions, in words that read like play:
//
//   TestGame game({.corp_hand = {"Palisade"}, .runner_hand = {"Cleaver"}});
//   game.Play("Palisade", "HQ");
//   game.EndTurn();
//   game.Play("Cleaver");
//   game.WillRez("Palisade");
//   game.Run("HQ");
//   game.Ability("Cleaver", 0);
//
// Hands are filled to five cards and decks to thirty with Hedge Fund and Sure Gamble. Both hands are kept and the
// Corp's turn is started. Windows in which the Corp could only pass, or rez cards not in WillRez, are passed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/engine.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/invariants.h"
#include "games/netrunner/setup.h"
#include "games/netrunner/text/log.h"
#include "games/netrunner/text/prompt_text.h"
#include "games/netrunner/wire/wire.h"

namespace openseat::games::netrunner {

struct TestDecks {
  std::string_view corp = "The Syndicate: Profit over Principle";
  std::string_view runner = "The Catalyst: Convention Breaker";
  std::vector<std::string_view> corp_hand{};
  std::vector<std::string_view> runner_hand{};
  std::vector<std::string_view> corp_deck{};  // the top first; the Corp's first draw takes one
  std::vector<std::string_view> runner_deck{};
  std::string_view corp_filler = "Hedge Fund";
  std::string_view runner_filler = "Sure Gamble";
  std::size_t corp_rest = 25;  // cards in the decks
  std::size_t runner_rest = 25;
  int points = 7;
  bool all_windows = false;
  std::uint8_t rules = kRulesVersion;
};

class TestGame {
 public:
  explicit TestGame(const TestDecks& decks)
      : state(MakeState(
            {.decks = {MakeDeck(decks.corp, decks.corp_hand, decks.corp_deck, decks.corp_filler, decks.corp_rest),
                       MakeDeck(decks.runner, decks.runner_hand, decks.runner_deck, decks.runner_filler,
                                decks.runner_rest)},
             .points_to_win = decks.points,
             .shuffle = false,
             .all_windows = decks.all_windows,
             .rules = decks.rules},
            1)) {
    Choose("Keep");
    Choose("Keep");
    StartTurn();
  }

  // --- What players do ---

  // Takes an action by name; it must be legal.
  void Do(std::string_view action, const json::Value& data = nullptr) {
    if (::testing::Test::HasFatalFailure()) return;
    ASSERT_FALSE(state.over()) << action << "\n" << LogText();
    const Result<Command> command = ReadCommand(state, action, data);
    ASSERT_TRUE(command.has_value()) << (command ? "" : command.error().message) << "\n" << LogText();
    Engine(state).Apply(*command, state.prompt.side);
    ASSERT_EQ(BrokenInvariant(state), "") << LogText();
    PassForTheCorp();
  }
  void AutoBreak(std::string_view title) { Do("auto-break", OnBoard(title)); }
  bool Can(std::string_view action, const json::Value& data = nullptr) const {
    return !state.over() && state.prompt.kind != PromptKind::kNone && ReadCommand(state, action, data).has_value();
  }
  // As above, with a card by its title.
  bool CanWith(std::string_view action, std::string_view title) const {
    const std::vector<ActionSpec> actions = ActionsNow(state);
    return std::any_of(actions.begin(), actions.end(), [&](const ActionSpec& spec) {
      return spec.name == action && json::Write(spec.schema).find('"' + Cid(title) + '"') != std::string::npos;
    });
  }

  void Credit(int times = 1) {
    for (; times > 0; --times) Do("credit");
  }
  void Draw() { Do("draw"); }
  void Play(std::string_view title) { Do("play", json::Object{{"card", Cid(title, Zone::kHand)}}); }
  void Play(std::string_view title, std::string_view server) {
    Do("play", json::Object{{"card", Cid(title, Zone::kHand)}, {"server", server}});
  }
  void Advance(std::string_view title, int times = 1) {
    for (; times > 0; --times) Do("advance", OnBoard(title));
  }
  void Score(std::string_view title) { Do("score", OnBoard(title)); }
  void Rez(std::string_view title) { Do("rez", OnBoard(title)); }
  void Ability(std::string_view title, int number = 0) {
    Do("ability", json::Object{{"card", Cid(title, Zone::kInstalled)}, {"ability", number}});
  }
  void BreakByClick(std::string_view title) {
    Do("runner-ability", json::Object{{"card", Cid(title, Zone::kInstalled)}, {"ability", 0}});
  }
  void Run(std::string_view server) { Do("run", json::Object{{"server", server}}); }
  void Continue() { Do("continue"); }
  void Choose(std::string_view option) { Do("choice", json::Object{{"choice", option}}); }
  void Select(std::string_view title) {
    for (std::size_t i = 0; i < state.card_count; ++i) {
      const Inst inst = static_cast<Inst>(i);
      if (state.Def(inst).title != title || !state.prompt.candidates.Contains(inst) ||
          state.prompt.selected.Contains(inst)) {
        continue;
      }
      Do("select", json::Object{{"card", CidOf(state, inst)}});
      return;
    }
    FAIL() << title << " is not among what may be selected\n" << LogText();
  }
  void Done() { Choose("Done"); }
  void StartTurn() { Do("start-turn"); }
  // Takes credits with the remaining clicks, ends the turn, and starts the opponent's.
  void EndTurn() {
    PassTurn();
    if (!state.over()) StartTurn();
  }
  void PassTurn() {
    const Side side = state.active;
    while (!state.over() && state.Of(side).clicks > 0 && !::testing::Test::HasFatalFailure()) Credit();
    Do("end-turn");
    // Keeps hands nonempty unless the test says otherwise.
    while (!state.over() && state.prompt.message == Message::kDiscardDown && discards &&
           !::testing::Test::HasFatalFailure()) {
      CommandList commands;
      ListCommands(state, commands);
      Engine(state).Apply(commands.all().back(), state.prompt.side);
    }
  }
  // Advances an installed agenda until it can be scored, over as many turns as needed; it is then the Corp's turn.
  void AdvanceFully(std::string_view title) {
    while (!state.over() && On(title).advancement < state.Def(Find(title, Zone::kInstalled)).advancement &&
           !::testing::Test::HasFatalFailure()) {
      if (state.corp().clicks == 0) {
        EndTurn();
        EndTurn();
      } else if (state.corp().credits == 0) {
        Credit();
      } else {
        Advance(title);
      }
    }
  }
  void InstallAndScore(std::string_view title) {
    Play(title, "New remote");
    AdvanceFully(title);
    Score(title);
  }
  // Continues a run as long as the Runner may, until another question comes or the run is over.
  void RunOn() {
    while (
        !state.over() && !::testing::Test::HasFatalFailure() &&
        (state.prompt.kind == PromptKind::kJackOut || (state.prompt.kind == PromptKind::kWindow && state.run.active))) {
      Continue();
    }
  }
  // A whole run in which the only decision is "No action".
  void RunAndAccessAll(std::string_view server) {
    Run(server);
    RunOn();
    AccessAll();
  }
  void AccessAll() {
    while (!state.over() && state.run.active && !::testing::Test::HasFatalFailure()) {
      if (Can("choice", json::Object{{"choice", "Steal"}})) {
        Choose("Steal");
      } else if (Can("choice", json::Object{{"choice", "Card from hand"}})) {
        Choose("Card from hand");
      } else if (Can("choice", json::Object{{"choice", "Card from deck"}})) {
        Choose("Card from deck");
      } else {
        Choose("No action");
      }
    }
  }
  // The Corp rezzes it as soon as possible.
  void WillRez(std::string_view title) {
    will_rez.push_back(title);
    PassForTheCorp();
  }

  // --- What there is ---

  int credits(Side side) const { return state.Of(side).credits; }
  int corp_credits() const { return state.corp().credits; }
  int runner_credits() const { return state.runner().credits; }
  int grip() const { return static_cast<int>(state.runner().hand.size()); }
  int hq() const { return static_cast<int>(state.corp().hand.size()); }
  int clicks() const { return state.Of(state.active).clicks; }
  bool running() const { return state.run.active; }
  // The first card with that title in this zone; kNoInst if there is none.
  Inst Find(std::string_view title, Zone zone) const {
    for (std::size_t i = 0; i < state.card_count; ++i) {
      if (state.cards[i].zone == zone && state.Def(static_cast<Inst>(i)).title == title) return static_cast<Inst>(i);
    }
    return kNoInst;
  }
  bool In(std::string_view title, Zone zone) const { return Find(title, zone) != kNoInst; }
  const CardState& On(std::string_view title) const { return state[Find(title, Zone::kInstalled)]; }
  int StrengthOf(std::string_view title) const { return Strength(state, Find(title, Zone::kInstalled)); }
  int Broken() const { return std::popcount(state.run.broken); }
  std::string Message() const { return PromptMessage(state); }
  std::vector<std::string> Options() const {
    std::vector<std::string> options;
    for (const std::string& label : OptionLabels(state)) {
      if (Can("choice", json::Object{{"choice", label}})) options.push_back(label);
    }
    return options;
  }
  // The log as the Corp reads it.
  std::vector<std::string> Lines() const { return LogSentences(state.log.Kept(), Side::kCorp); }
  std::string LogText() const {
    std::string text;
    for (const std::string& line : Lines()) text += line + "\n";
    return text + (state.over() ? "over" : "asked: " + PromptMessage(state));
  }

  State state;
  bool corp_decides = false;  // no window is passed for the Corp
  bool discards = true;       // at the end of a turn, the newest cards
  std::vector<std::string_view> will_rez;

 private:
  static Deck MakeDeck(std::string_view identity, std::vector<std::string_view> hand,
                       const std::vector<std::string_view>& deck, std::string_view filler, std::size_t rest) {
    hand.resize(5, filler);
    for (std::size_t i = 0; i < std::min(rest, deck.size()); ++i) hand.push_back(deck[i]);
    hand.resize(5 + rest, filler);
    Deck made;
    made.identity = *FindCard(identity);
    for (const std::string_view title : hand) made.cards.push_back(*FindCard(title));
    return made;
  }

  std::string Cid(std::string_view title, Zone zone) const {
    const Inst inst = Find(title, zone);
    return inst == kNoInst ? "none" : CidOf(state, inst);
  }
  std::string Cid(std::string_view title) const {
    for (const Zone zone : {Zone::kInstalled, Zone::kHand, Zone::kPlay, Zone::kDiscard}) {
      if (In(title, zone)) return Cid(title, zone);
    }
    return "none";
  }
  json::Value OnBoard(std::string_view title) const { return json::Object{{"card", Cid(title, Zone::kInstalled)}}; }

  void PassForTheCorp() {
    while (!corp_decides && !state.over() && state.prompt.kind == PromptKind::kWindow &&
           state.prompt.side == Side::kCorp && !::testing::Test::HasFatalFailure()) {
      CommandList commands;
      ListCommands(state, commands);
      Command chosen{CommandKind::kContinue};
      for (const Command& command : commands.all()) {
        if (command.kind != CommandKind::kRez) continue;
        const std::string_view title = state.Def(command.card).title;
        if (std::find(will_rez.begin(), will_rez.end(), title) != will_rez.end()) chosen = command;
      }
      Engine(state).Apply(chosen, Side::kCorp);
    }
  }
};

// A Corp with an ice on HQ and the credits to rez it, on the Runner's turn.
inline TestGame Guarded(std::string_view ice, TestDecks decks = {}) {
  const std::vector<std::string_view> first = {ice, "Hedge Fund", "Hedge Fund"};
  decks.corp_hand.insert(decks.corp_hand.begin(), first.begin(), first.end());
  TestGame game(decks);
  game.Play("Hedge Fund");
  game.Play("Hedge Fund");
  game.Play(ice, "HQ");
  game.will_rez.push_back(ice);
  game.EndTurn();
  return game;
}

// A Runner with these cards in hand, on their turn, against an idle Corp.
inline TestGame RunnersTurn(const TestDecks& decks) {
  TestGame game(decks);
  game.EndTurn();
  return game;
}

}  // namespace openseat::games::netrunner
