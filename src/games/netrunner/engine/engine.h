// Engine: applies commands to a State and resolves their effects until a player must choose or the game is over. It
// holds only a reference to the state, so create it where you need it. docs/netrunner.md explains steps and
// prompts.
#pragma once

#include <variant>

#include "base/check.h"
#include "games/netrunner/engine/command.h"
#include "games/netrunner/engine/state.h"
#include "games/netrunner/engine/values.h"

namespace openseat::games::netrunner {

// Cards offered by a search have numbers from here on, only during the search. The game's own numbers continue without
// gaps, which would reveal to the opponent how many were offered.
constexpr std::uint16_t kFirstSearchId = 60'000;

class Engine {
 public:
  explicit Engine(State& state) : s_(state) {}

  // From a state with both decks in place to the first prompt. `shuffle` as in the options.
  void Begin(bool shuffle);
  // REQUIRES a command from ListCommands, or kConcede, and a game that is not over.
  void Apply(const Command& command, Side side);
  // Asks the open question again, of the cards there now; where it depends on none, nothing happens. For states
  // whose hidden cards were exchanged: it may come to another question, or none.
  void AskAgain();

 private:
  // engine.cc: the loop
  void Settle();
  bool Checkpoint();  // returns whether it changed something or started a step
  bool CheckUnique(Side side);
  void End(Ending ending, std::uint8_t winner);
  void Push(const Step& step) { s_.stack.push_back(step); }
  void Pop() { s_.stack.pop_back(); }
  // REQUIRES that the top of the stack is such a step.
  template <typename T>
  T& Top() {
    T* step = std::get_if<T>(&s_.stack.back());
    OPENSEAT_CHECK(step != nullptr, "another step is being resolved");
    return *step;
  }

  // Resolve takes the step at the top of the stack further: it continues, pushes another one, asks, or leaves the
  // stack.

  // turn.cc
  void Resolve(GameStep& step);
  void Resolve(TurnStep& step);
  void BeginTurn(Side side);
  void FinishTurn(Side side);
  void Resolve(DiscardHandStep& step);

  // action.cc: what players do in windows
  void Act(const Command& command, Side side);
  void BasicDraw(Side side);
  void Resolve(PlayCardStep& step);
  void Resolve(TrashResourceStep& step);
  void Use(Inst inst, std::size_t ability);
  void PayFor(Inst inst, std::size_t ability);  // credits through a step
  void Rez(Inst inst, bool free);
  void Advance(Inst inst);
  void Score(Inst inst);
  void Resolve(WindowStep& step);
  void PassWindow(WindowStep& step);
  void Resolve(AutoBreakStep& step);

  // undo.cc
  void MayUndo(UndoState::What what, Inst card = kNoInst, int cost = 0, bool new_remote = false);
  void CannotUndo() { s_.undo = {.this_turn = s_.undo.this_turn}; }
  void Undo(Side side);
  InstSet KnownInHq() const;
  void RememberHq(const UndoState& undo);

  // install.cc
  void Resolve(InstallRunnerStep& step);
  void Resolve(InstallCorpStep& step);
  void PlaceInstalled(Inst inst, Server server, std::size_t at);
  bool AskHostOrMemory(InstallRunnerStep& step);
  void CancelInstall(Inst inst);
  void Resolve(TrimMemoryStep& step);
  void AskServer(Side side, Inst card, Message message);
  void TrashLike(Inst inst, Server server);

  // zones.cc
  CardList* ListOf(Inst inst);
  void Move(Inst inst, Zone zone, bool faceup);
  void ForgetHq(CardId left, bool faceup);
  void FreshId(Inst inst) { s_[inst].id = s_.next_id++; }
  void Trash(Inst inst, TrashReason reason = TrashReason::kEffect);  // keeps its face
  void TrashAccessed(Inst inst);
  void RemoveFromGame(Inst inst);
  void Shuffle(Side side);
  void IntoDeck(Inst inst);
  void TurnArchivesFaceup();
  void SwapIce(Inst a, Inst b);

  // numbers.cc
  void PayCredits(Side side, int credits);  // pushes a step
  void Resolve(PayStep& step);
  void GainCredits(Side side, int credits);
  void Draw(Side side, int cards);
  void DoDamage(DamageKind kind, int amount);
  void GiveTags(int tags);
  void ExpireLingering(Until until);

  // triggers.cc
  void Emit(Event event, Side side, Inst card = kNoInst, int n = 0);
  void CollectDelayed(Event event, Inst card, int n);
  void Resolve(TriggersStep& step);

  // program.cc, operations.cc
  void StartProgram(Inst source, ProgramRef program, Inst it = kNoInst, Event event = Event::kNone);
  void Resolve(ProgramStep& step);
  const Program& ProgramAt(const ProgramStep& step) const;
  Context ContextOf(const ProgramStep& step) const;
  bool Execute(ProgramStep& step, const Instruction& instruction);  // false: it asks, or is not done
  bool ChangeClicks(Side side, int clicks);                         // true
  bool PlaceVirusOn(Inst inst, int counters);                       // true
  void LogEndRun(const ProgramStep& step);
  bool ExecuteOnTargets(const ProgramStep& step, const Instruction& instruction);
  bool ExecuteRun(ProgramStep& step, const Instruction& instruction);
  bool AskTargets(ProgramStep& step, const Instruction& instruction);
  bool AskSearch(ProgramStep& step, const Instruction& instruction);
  bool AskChoice(ProgramStep& step, const Instruction& instruction);
  // Of the instruction that asks.
  void NameInPrompt(const ProgramStep& step);
  void ArmTrigger(const ProgramStep& step, const Instruction& instruction);
  void AddLingering(const ProgramStep& step, const Instruction& instruction);
  Side Whom(const ProgramStep& step, Who who) const;

  // run.cc
  void StartRun(Server server, Inst source);
  void Resolve(RunStep& step);
  void FinishRun(RunStep& step);
  void EndTheRun();
  void Resolve(EncounterStep& step);
  bool EncounterOver(Inst ice) const;
  void Resolve(BreakStep& step);

  // access.cc
  void Resolve(BreachStep& step);
  bool OfferAccess();
  bool OfferArchives();
  bool OfferRemote();
  Inst RandomFromHq();
  Inst NextInRnd() const;
  void AccessRest();
  void Steal(Inst inst);
  void Resolve(AccessStep& step);
  void OfferAccessChoices(Inst inst);

  // prompts.cc
  void Ask(PromptKind kind, Side side, Message message = Message::kNone, Inst card = kNoInst, int n = 0);
  void AddOption(OptionText text, std::uint8_t n = 0) { s_.prompt.options.push_back(PromptOption(text, n)); }
  void AddOption(OptionText text, Inst card) { s_.prompt.options.push_back(PromptOption(text, card)); }
  void AskSelect(Side side, Message message, Inst card, const CardList& candidates, std::size_t min, std::size_t max);
  void Answer(const Command& command);

  void Log(LogKind kind, Side side, Inst card = kNoInst, int n = 0);
  // The card whose text is being resolved; kNoCard where a player or the rules do something.
  CardId Cause() const;
  // Of a Corp's card that got advancement counters; where it is, both sides see.
  void LogAdvanced(LogKind kind, Side side, Inst inst, int counters);
  LogEntry& LastLog() { return s_.log.lines[(s_.log.count - 1) % kLogLength]; }

  State& s_;
};

}  // namespace openseat::games::netrunner
