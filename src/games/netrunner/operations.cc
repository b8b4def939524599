// Instructions that act on targets, or start runs and installs.
#include <algorithm>

#include "games/netrunner/card_table.h"
#include "games/netrunner/engine.h"

namespace openseat::games::netrunner {

bool Engine::ExecuteOnTargets(Step& step, const Instruction& instruction) {
  CardList targets;
  for (std::size_t i = step.d; i < s_.targets.size(); ++i) targets.push_back(s_.targets[i]);
  s_.targets.resize(step.d);
  const Side side = Whom(step, instruction.who);
  switch (instruction.op) {
    case Op::kTrashTargets:
      for (const Inst inst : targets) Trash(inst);
      break;
    case Op::kTargetsToHand:
      for (const Inst inst : targets) {
        Log(LogKind::kToHand, side, inst);
        const bool known = s_[inst].zone == Zone::kDiscard ? s_[inst].faceup : s_[inst].zone == Zone::kDeck;
        LastLog().seen_by = known ? 3 : static_cast<std::uint8_t>(1u << At(side));
        Move(inst, Zone::kHand, false);
      }
      break;
    case Op::kShuffleTargetsIntoDeck:
      for (const Inst inst : targets) IntoDeck(inst);
      Log(LogKind::kShuffle, side, kNoInst, static_cast<int>(targets.size()));
      Shuffle(side);
      break;
    case Op::kAdvanceTargets:
      for (const Inst inst : targets) {
        const int counters = Evaluate(s_, instruction.amount, ContextOf(step));
        s_[inst].advancement = static_cast<std::uint8_t>(s_[inst].advancement + counters);
        Log(LogKind::kAdvanceBy, side, inst, counters);
      }
      break;
    case Op::kRezTargets:
      for (const Inst inst : targets) Rez(inst, true);
      break;
    case Op::kInstallTargets:
      for (const Inst inst : targets) {
        if (side == Side::kRunner) {
          Push(StepKind::kInstallRunner, inst);
        } else {
          Push(StepKind::kInstallCorp, inst, kNoServer);
        }
      }
      break;
    case Op::kInstallTargetsInward:
      for (const Inst inst : targets) {
        Step& install = Push(StepKind::kInstallCorp, inst, s_[step.a].server);
        install.c = 1;
        install.d = step.a;
      }
      break;
    case Op::kSwapTargets:
      if (targets.size() == 2) {
        Log(LogKind::kSwap, side, targets[0]);
        LastLog().other = s_[targets[1]].card;
        LastLog().seen_by = s_[targets[0]].faceup && s_[targets[1]].faceup ? 3 : 1;
        SwapIce(targets[0], targets[1]);
      }
      break;
    default:
      break;
  }
  return true;
}

void Engine::AddLingering(const Step& step, const Instruction& instruction) {
  Lingering effect{.modifier = instruction.modifier,
                   .until = instruction.until,
                   .server = instruction.server,
                   .amount = static_cast<std::int16_t>(Evaluate(s_, instruction.amount, ContextOf(step))),
                   .source = step.a};
  if (instruction.modifier == Modifier::kStrength) {
    effect.target = instruction.on_ice ? s_.run.ice : step.a;
    effect.id = s_[effect.target].id;
    // Repeated boosts of the same card are merged.
    for (Lingering& other : s_.lingering) {
      if (!other.delayed && other.modifier == Modifier::kStrength && other.target == effect.target &&
          other.until == effect.until) {
        other.amount = static_cast<std::int16_t>(other.amount + effect.amount);
        return;
      }
    }
  }
  s_.lingering.push_back(effect);
}

bool Engine::ExecuteRun(Step& step, const Instruction& instruction) {
  if (step.phase == 1) {
    step.phase = 0;
    StartRun(s_.answered.n, step.a);
    return true;
  }
  CardList servers;
  for (Server server = kHqServer; server < s_.next_remote; ++server) {
    const bool fits = instruction.servers == Servers::kAny ||
                      (instruction.servers == Servers::kHqOrRnd && (server == kHqServer || server == kRndServer)) ||
                      (instruction.servers == Servers::kRnd && server == kRndServer) ||
                      (instruction.servers == Servers::kNewCentrals && IsCentral(server) &&
                       (s_.log_of_turn.centrals_run >> server & 1) == 0);
    if (fits && ServerExists(s_, server)) servers.push_back(server);
  }
  if (servers.size() == 1) {
    StartRun(servers[0], step.a);
    return true;
  }
  if (servers.empty()) return true;
  Ask(PromptKind::kChoice, Side::kRunner, Message::kChooseServer, step.a);
  for (const Server server : servers) AddOption(OptionText::kServer, server);
  return false;
}

}  // namespace openseat::games::netrunner
