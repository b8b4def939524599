// Engine: applies commands to a State and resolves their effects until a player must choose or the game is over. It
// holds only a reference to the state, so create it where you need it. docs/netrunner.md explains steps and
// prompts.
#pragma once

#include "games/netrunner/command.h"
#include "games/netrunner/state.h"
#include "games/netrunner/values.h"

namespace openseat::games::netrunner {

// Cards offered by a search have numbers from here on, only during the search. The game's own numbers continue without
// gaps, which would reveal to the opponent how many were offered.
constexpr std::uint16_t kFirstSearchId = 60'000;

// Phases of a turn's step that commands lead to.
enum TurnPhase : std::uint8_t {
  kBegins = 1,
  kTriggers = 2,
  kEnds = 6,
  kTurnEnds = 8,
  kPhase12 = 20,
  kPostDiscard = 21
};

// The phase of an access in which the Runner is asked what to do with the card.
constexpr std::uint8_t kOfferAccess = 1;

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
  void RunStep(Step& step);
  bool Checkpoint();  // returns whether it changed something or started a step
  bool CheckUnique(Side side);
  void End(Ending ending, std::uint8_t winner);
  Step& Push(StepKind kind, std::uint8_t a = 0, std::uint8_t b = 0);
  void Pop() { s_.stack.pop_back(); }

  // turn.cc
  void StepGame(Step& step);
  void StepTurn(Step& step);
  void BeginTurn(Side side);
  void FinishTurn(Side side);
  void StepDiscardHand(Step& step);

  // action.cc: what players do in windows
  void Act(const Command& command, Side side);
  void BasicDraw(Side side);
  void StepPlayCard(Step& step);
  void StepTrashResource(Step& step);
  void Use(Inst inst, std::size_t ability);
  void PayFor(Inst inst, std::size_t ability);  // credits through a step
  void Rez(Inst inst, bool free);
  void Advance(Inst inst);
  void Score(Inst inst);
  void StepWindow(Step& step);
  void PassWindow(Step& step);

  // install.cc
  void StepInstallRunner(Step& step);
  void StepInstallCorp(Step& step);
  void PlaceInstalled(Inst inst, Server server, std::size_t at);
  bool AskHostOrMemory(Step& step, Inst inst);
  void CancelInstall(const Step& step);
  void StepTrimMemory(Step& step);
  void AskServer(Side side, Inst card, Message message);
  void TrashLike(Inst inst, Server server);

  // zones.cc
  CardList* ListOf(Inst inst);
  void Move(Inst inst, Zone zone, bool faceup);
  void ForgetHq(CardId left, bool faceup);
  void FreshId(Inst inst) { s_[inst].id = s_.next_id++; }
  void Trash(Inst inst);  // by an effect; keeps its face
  void TrashAccessed(Inst inst);
  void RemoveFromGame(Inst inst);
  void Shuffle(Side side);
  void IntoDeck(Inst inst);
  void TurnArchivesFaceup();
  void SwapIce(Inst a, Inst b);

  // numbers.cc
  void PayCredits(Side side, int credits);  // pushes a step
  void StepPay(Step& step);
  void GainCredits(Side side, int credits);
  void Draw(Side side, int cards);
  void DoDamage(DamageKind kind, int amount);
  void GiveTags(int tags);
  void ExpireLingering(Until until);

  // triggers.cc
  void Emit(Event event, Side side, Inst card = kNoInst, int n = 0);
  void CollectDelayed(Event event, Inst card, int n);
  void StepTriggers(Step& step);

  // program.cc, operations.cc
  void StepProgram(Step& step);
  const Program& ProgramAt(const Step& step) const;
  Context ContextOf(const Step& step) const;
  bool Execute(Step& step, const Instruction& instruction);  // false: it asks, or is not done
  bool ExecuteOnTargets(Step& step, const Instruction& instruction);
  bool ExecuteRun(Step& step, const Instruction& instruction);
  bool AskTargets(Step& step, const Instruction& instruction);
  bool AskSearch(Step& step, const Instruction& instruction);
  bool AskChoice(Step& step, const Instruction& instruction);
  void AddLingering(const Step& step, const Instruction& instruction);
  Side Whom(const Step& step, Who who) const;

  // run.cc
  void StartRun(Server server, Inst source);
  void StepRun(Step& step);
  void FinishRun(Step& step);
  void EndTheRun();
  void StepEncounter(Step& step);
  bool EncounterOver(Inst ice) const;
  void StepBreak(Step& step);

  // access.cc
  void StepBreach(Step& step);
  bool OfferAccess(Step& step);
  bool OfferArchives(Step& step);
  bool OfferRemote(Step& step);
  Inst RandomFromHq();
  Inst NextInRnd() const;
  void AccessRest();
  void Steal(Inst inst);
  void StepAccess(Step& step);
  void OfferAccessChoices(Inst inst);

  // prompts.cc
  void Ask(PromptKind kind, Side side, Message message = Message::kNone, Inst card = kNoInst, int n = 0);
  void AddOption(OptionText text, std::uint8_t n = 0) { s_.prompt.options.push_back({text, n}); }
  void AskSelect(Side side, Message message, Inst card, const CardList& candidates, std::size_t min, std::size_t max);
  void Answer(const Command& command);

  void Log(LogKind kind, Side side, Inst card = kNoInst, int n = 0);
  LogEntry& LastLog() { return s_.log.lines[(s_.log.count - 1) % kLogLength]; }
  bool SeenByAll(Inst inst) const;

  State& s_;
};

}  // namespace openseat::games::netrunner
