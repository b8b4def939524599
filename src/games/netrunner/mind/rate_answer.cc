// Answers to prompts, read from the instruction that asks and those that follow it.
#include <algorithm>

#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/program.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/mind/rating.h"

namespace openseat::games::netrunner::mind {
namespace {

constexpr SubtypeSet kMainIce = SetOf(Subtype::kBarrier) | SetOf(Subtype::kCodeGate) | SetOf(Subtype::kSentry);

class AnswerRater {
 public:
  AnswerRater(const State& state, const CorpRater* corp, const RunnerRater* runner)
      : s_(state), side_(state.prompt.side), corp_(corp), runner_(runner) {}

  float Rate(const Command& command) const {
    if (s_.prompt.kind == PromptKind::kSelect) {
      // Done is the only option there.
      return command.kind == CommandKind::kSelect ? RateCard(command.card) : 0;
    }
    return RateOption(s_.prompt.options[command.arg]);
  }

 private:
  float RateOption(const PromptOption& option) const {
    const Prompt& prompt = s_.prompt;
    switch (option.text) {
      case OptionText::kKeep:
        return HandQuality();
      case OptionText::kMulligan:
        return 0;
      case OptionText::kLabel:
        return WorthFrom(prompt.instruction + 1u + Asking()[prompt.instruction].options[option.n].to);
      case OptionText::kYes:
        // One that is asked whether to swap ice would have to know which.
        return Follows(Op::kSwapTargets) ? -1 : WorthFrom(prompt.instruction + 1u);
      case OptionText::kServer:
        if (corp_ != nullptr) return corp_->InstallWorth(prompt.card, option.n);
        return prompt.message == Message::kChooseServer ? runner_->RunWorthWith(prompt.card, option.n) : 0;
      case OptionText::kCard:
        return prompt.message == Message::kOfProgram ? 1 + HandWorth(s_, option.card()) : 1;
      case OptionText::kSubroutine:
        return 1 + Harm(option.n);
      case OptionText::kCredits:
        return static_cast<float>(option.n);
      case OptionText::kSteal:
        return kWin;
      case OptionText::kPayToTrash:
      case OptionText::kAccessAbility:
        return TrashWorth(option);
      case OptionText::kCardFromHand:
      case OptionText::kCardFromDeck:
        return 1;
      case OptionText::kUnrezzedUpgrade:
        return 0.5F;
      case OptionText::kEverythingElse:
        return -1;
      default:
        return 0;
    }
  }

  const Program& Asking() const { return ProgramOfCard(s_.Def(s_.prompt.card), s_.prompt.program); }

  bool Follows(Op op) const {
    const Program& program = Asking();
    return std::any_of(program.begin() + s_.prompt.instruction, program.end(),
                       [&](const Instruction& each) { return each.op == op; });
  }

  float WorthFrom(std::size_t at) const {
    const Yield yield = YieldOf(s_, Asking(), at, s_.prompt.card, &WorthOf);
    float worth = WorthOf(s_, yield, side_);
    if (yield.ends_run && s_.run.active) {
      // Exactly what getting in is worth, instead of what it usually is.
      const float usual = side_ == Side::kCorp ? 5.F : -5.F;
      worth += (corp_ != nullptr ? corp_->Threat(s_.run.server) : -std::max(0.F, runner_->GoOnWorth())) - usual;
    }
    return worth;
  }

  float Harm(std::uint8_t number) const {
    const SubroutineFacts& each =
        FactsOf(s_[s_.run.ice].card).ice.each[std::min<std::size_t>(number, kMostSubroutines - 1)];
    return (each.ends > 0 || each.ends_if_credits_at_most >= 0 ? 6.F : 0.F) + (each.trashes_program ? 5.F : 0.F) +
           kDamageWorth * static_cast<float>(each.damage) + kTagWorth * static_cast<float>(each.tags) +
           0.5F * static_cast<float>(each.credits_lost) + (each.no_stealing ? 7.F : 0.F);
  }

  float TrashWorth(const PromptOption& option) const {
    const CardDef& def = s_.Def(s_.prompt.card);
    const CardState& card = s_[s_.prompt.card];
    const float cards = option.text == OptionText::kAccessAbility ? 2.2F : 0.F;
    const float price = option.text == OptionText::kPayToTrash
                            ? static_cast<float>(option.n) * CreditWorth(s_.runner().credits - option.n / 2)
                            : cards;
    if (def.type == CardType::kAgenda) return kWin / 2;
    const CardFacts& facts = FactsOf(card.card);
    float gain = facts.guards + facts.punishes + facts.rez_draws;
    if (card.zone == Zone::kInstalled) {
      gain += card.faceup ? 0.9F * static_cast<float>(card.credits) : 0.8F * facts.upkeep;
      gain += kDamageWorth * static_cast<float>(facts.threat_per_counter * (card.advancement + 1));
      if (facts.trap_damage > 0) gain += 0.5F * static_cast<float>(card.advancement);
    } else {
      gain = 0.4F * gain + 0.4F * facts.upkeep;
      if (def.type == CardType::kOperation || def.type == CardType::kIce) gain = 1.5F;
    }
    return gain - price;
  }

  float HandQuality() const {
    float worth = -2.4F;
    int ice = 0;
    int agendas = 0;
    SubtypeSet types = 0;
    bool money = false;
    for (const Inst inst : s_.Of(side_).hand) {
      const CardDef& def = s_.Def(inst);
      ice += IsIce(s_, inst) ? 1 : 0;
      agendas += def.type == CardType::kAgenda ? 1 : 0;
      if (FactsOf(s_[inst].card).breaker.breaks)
        types |= def.subtypes == 0 ? kMainIce : FactsOf(s_[inst].card).breaker.subtypes;
      money |= HandWorth(s_, inst) >= 3 && def.strength < 0 && def.type != CardType::kAgenda;
    }
    worth += money ? 1.5F : 0;
    if (side_ == Side::kCorp)
      return worth + (ice == 0 ? -1.F : ice == 1 ? 1.F : 1.6F) - 0.6F * static_cast<float>(std::max(0, agendas - 1));
    return worth + (types != 0 ? 1.4F : 0.4F);
  }

  // --- Cards ---

  // The operation that the selected cards are for.
  const Instruction* Purpose() const {
    const Program& program = Asking();
    for (std::size_t i = s_.prompt.instruction + 1u; i < program.size(); ++i) {
      switch (program[i].op) {
        case Op::kTrashTargets:
        case Op::kTargetsToHand:
        case Op::kShuffleTargetsIntoDeck:
        case Op::kAdvanceTargets:
        case Op::kRezTargets:
        case Op::kInstallTargets:
        case Op::kInstallTargetsInward:
        case Op::kSwapTargets:
          return &program[i];
        default:
          break;
      }
    }
    return nullptr;
  }

  float OnTheRig(Inst inst) const {
    return RigWorth(s_, inst, runner_ != nullptr ? runner_->covered() : SubtypeSet{0});
  }

  float RateCard(Inst inst) const {
    const CardDef& def = s_.Def(inst);
    switch (s_.prompt.message) {
      case Message::kDiscardDown:
        return -HandWorth(s_, inst);
      case Message::kTrashForMemory:
      case Message::kTrimMemory:
        return 20 - OnTheRig(inst);  // as few as will do: those that are enough come first
      case Message::kTrashPrograms:
        return -OnTheRig(inst);
      case Message::kTrashIceToInstall:
        return 20 - static_cast<float>(def.cost);
      case Message::kTrashResource:
        return OnTheRig(inst);
      case Message::kChooseHost:
        return (s_[inst].faceup ? 3.F : 1.F) + static_cast<float>(Knows(s_, inst, side_) ? def.strength : 2);
      case Message::kOfProgram:
        return ForProgram(inst);
      default:
        return Knows(s_, inst, side_) && runner_ != nullptr ? runner_->CardAccessWorth(inst)
                                                            : 1 + static_cast<float>(s_[inst].advancement);
    }
  }

  float ForProgram(Inst inst) const {
    const Instruction* purpose = Purpose();
    if (purpose == nullptr) return 0;
    const CardDef& def = s_.Def(inst);
    const bool own = s_[inst].side == side_;
    switch (purpose->op) {
      case Op::kTrashTargets:
        if (s_[inst].zone == Zone::kInstalled) return own ? -OnTheRig(inst) : OnTheRig(inst);
        return (s_.prompt.min > 0 ? 20.F : 0.F) - HandWorth(s_, inst);
      case Op::kTargetsToHand:
        // An agenda in Archives would be stolen there.
        return HandWorth(s_, inst) - (side_ == Side::kCorp && s_.corp().hand.size() > 4 ? 2.F : 0.F);
      case Op::kShuffleTargetsIntoDeck:
        if (s_[inst].zone == Zone::kHand) return 20 - HandWorth(s_, inst);
        return def.type == CardType::kAgenda ? 5 : s_.corp().deck.size() < 10 ? 0.5F : HandWorth(s_, inst) - 2.5F;
      case Op::kAdvanceTargets:
        return corp_ == nullptr ? 0 : 5 + corp_->AdvanceWorth(inst, purpose->amount.base, false);
      case Op::kRezTargets:
        return 1 + static_cast<float>(def.cost) * (IsCentral(s_[inst].server) ? 1.F : 1.3F);
      case Op::kInstallTargets:
      case Op::kInstallTargetsInward:
        if (runner_ != nullptr) return runner_->InstallWorth(inst);
        return IsIce(s_, inst) ? 1 + static_cast<float>(def.cost) : HandWorth(s_, inst) - 3;
      default:
        return -1;
    }
  }

  const State& s_;
  const Side side_;
  const CorpRater* corp_;
  const RunnerRater* runner_;
};

float CorpHandWorth(const State& state, Inst inst) {
  const CardDef& def = state.Def(inst);
  const CardFacts& facts = FactsOf(state[inst].card);
  switch (def.type) {
    case CardType::kAgenda:
      return 4 + 1.5F * static_cast<float>(def.points);
    case CardType::kIce:
      return 2 + 0.25F * static_cast<float>(def.cost);
    case CardType::kAsset:
      return 1 + 0.35F * facts.upkeep + (facts.trap_damage > 0 ? 1.F : 0.F);
    case CardType::kOperation: {
      const float gain = WorthOf(state, YieldOf(state, def.play, 0, inst, &WorthOf), Side::kCorp);
      return 1.2F + 0.5F * std::max(0.F, gain - static_cast<float>(def.cost));
    }
    default:
      return 1 + 0.3F * (facts.guards + facts.punishes);
  }
}

float RunnerHandWorth(const State& state, Inst inst) {
  const CardDef& def = state.Def(inst);
  const CardFacts& facts = FactsOf(state[inst].card);
  if (def.type == CardType::kEvent) {
    const float gain = WorthOf(state, YieldOf(state, def.play, 0, inst, &WorthOf), Side::kRunner);
    return 1.3F + 0.5F * std::max(0.F, gain - static_cast<float>(def.cost));
  }
  for (const Inst other : state.runner().installed) {
    if (state[other].card == state[inst].card && (def.unique || facts.breaker.breaks)) return 0.2F;
  }
  return 1 + (facts.breaker.breaks ? 3.5F : 0.4F * facts.upkeep) + facts.extra_accesses;
}

}  // namespace

float HandWorth(const State& state, Inst inst) {
  return state[inst].side == Side::kCorp ? CorpHandWorth(state, inst) : RunnerHandWorth(state, inst);
}

float RateAnswer(const State& state, const Command& command, const CorpRater* corp, const RunnerRater* runner) {
  return AnswerRater(state, corp, runner).Rate(command);
}

void Rate(const State& state, std::span<const Command> commands, std::span<float> ratings) {
  const auto rate_all = [&](const auto& rater, const CorpRater* corp, const RunnerRater* runner) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const bool answer = commands[i].kind == CommandKind::kChoice || commands[i].kind == CommandKind::kSelect;
      ratings[i] = answer ? RateAnswer(state, commands[i], corp, runner) : rater.Rate(commands[i]);
    }
  };
  if (state.prompt.side == Side::kCorp) {
    const CorpRater rater(state);
    rate_all(rater, &rater, nullptr);
  } else {
    const RunnerRater rater(state);
    rate_all(rater, nullptr, &rater);
  }
}

}  // namespace openseat::games::netrunner::mind
