// Instructions that act on targets, or start runs and installs.
#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {

bool Engine::ExecuteOnTargets(const ProgramStep& step, const Instruction& instruction) {
  CardList targets;
  for (std::size_t i = step.first_target; i < s_.targets.size(); ++i) targets.push_back(s_.targets[i]);
  s_.targets.resize(step.first_target);
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
        LogAdvanced(LogKind::kAdvanceBy, side, inst, counters);
      }
      break;
    case Op::kRezTargets:
      for (const Inst inst : targets) Rez(inst, true);
      break;
    case Op::kInstallTargets:
      for (const Inst inst : targets) {
        if (side == Side::kRunner) {
          Push(InstallRunnerStep{.card = inst});
        } else {
          Push(InstallCorpStep{.card = inst});
        }
      }
      break;
    case Op::kInstallTargetsInward:
      for (const Inst inst : targets) {
        Push(InstallCorpStep{.card = inst, .server = s_[step.source].server, .inward_of = step.source});
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

void Engine::ArmTrigger(const ProgramStep& step, const Instruction& instruction) {
  const std::vector<Trigger>& triggers = s_.Def(step.source).triggers;
  const auto waits = [&](const Trigger& trigger) { return trigger.delayed && trigger.on == instruction.event; };
  const auto trigger = static_cast<std::uint8_t>(std::ranges::find_if(triggers, waits) - triggers.begin());
  const auto armed = [&](const Lingering& effect) {
    return effect.delayed && effect.source == step.source && effect.trigger == trigger;
  };
  if (std::ranges::any_of(s_.lingering, armed)) return;
  s_.lingering.push_back({.delayed = true,
                          .until = instruction.until,
                          .source = step.source,
                          .trigger = trigger,
                          .id = s_[step.source].id});
}

void Engine::AddLingering(const ProgramStep& step, const Instruction& instruction) {
  Lingering effect{.modifier = instruction.modifier,
                   .until = instruction.until,
                   .server = instruction.server,
                   .amount = static_cast<std::int16_t>(Evaluate(s_, instruction.amount, ContextOf(step))),
                   .source = step.source};
  if (instruction.modifier == Modifier::kStrength) {
    effect.target = instruction.on_ice ? s_.run.ice : step.source;
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

bool Engine::ExecuteRun(ProgramStep& step, const Instruction& instruction) {
  if (step.asked) {
    step.asked = false;
    StartRun(s_.answered.n, step.source);
    return true;
  }
  FixedVector<Server, 64> servers;
  for (Server server = kHqServer; server < s_.next_remote; ++server) {
    const bool fits = instruction.servers == Servers::kAny ||
                      (instruction.servers == Servers::kHqOrRnd && (server == kHqServer || server == kRndServer)) ||
                      (instruction.servers == Servers::kRnd && server == kRndServer) ||
                      (instruction.servers == Servers::kNewCentrals && IsCentral(server) &&
                       (s_.log_of_turn.centrals_run >> server & 1) == 0);
    if (fits && ServerExists(s_, server)) servers.push_back(server);
  }
  if (servers.size() == 1) {
    StartRun(servers[0], step.source);
    return true;
  }
  if (servers.empty()) return true;
  Ask(PromptKind::kChoice, Side::kRunner, Message::kChooseServer, step.source);
  for (const Server server : servers) AddOption(OptionText::kServer, server);
  return false;
}

}  // namespace openseat::games::netrunner
