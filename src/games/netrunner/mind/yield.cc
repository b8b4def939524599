#include "games/netrunner/mind/yield.h"

#include <algorithm>

#include "games/netrunner/engine/values.h"

namespace openseat::games::netrunner::mind {
namespace {

void AddYield(Yield& sum, const Yield& more) {
  for (std::size_t side = 0; side < 2; ++side) {
    sum.credits[side] += more.credits[side];
    sum.cards[side] += more.cards[side];
    sum.clicks[side] += more.clicks[side];
  }
  sum.hosted += more.hosted;
  sum.virus += more.virus;
  sum.damage += more.damage;
  sum.tags += more.tags;
  sum.advances += more.advances;
  sum.runner_trashed += more.runner_trashed;
  sum.own_discarded += more.own_discarded;
  sum.found += more.found;
  sum.rezzed += more.rezzed;
  sum.installed += more.installed;
  sum.trashes_itself |= more.trashes_itself;
  sum.ends_run |= more.ends_run;
  sum.trashes_accessed |= more.trashes_accessed;
  if (more.runs) sum.servers = more.servers;
  sum.runs |= more.runs;
  sum.dearer_ice |= more.dearer_ice;
}

class ProgramReader {
 public:
  ProgramReader(const State& state, const Program& program, Inst source, WorthOfYield worth)
      : s_(state), program_(program), worth_(worth), context_{.source = source, .side = state[source].side} {}

  Yield Read(std::size_t at, int depth) {
    Yield yield;
    for (; at < program_.size(); ++at) {
      const Instruction& each = program_[at];
      if (each.op == Op::kJump) {
        if (depth > 0) break;  // the end of a branch
        at += each.to;
      } else if (each.op == Op::kSkipUnless) {
        if (!AllHold(s_, each.when, context_)) at += each.to;
      } else if (each.op == Op::kChoose) {
        AddYield(yield, BestOption(each, at + 1, depth));
        break;
      } else {
        Add(each, yield);
      }
    }
    return yield;
  }

 private:
  Side Whose(Who who) const {
    if (who == Who::kController) return context_.side;
    return who == Who::kCorp ? Side::kCorp : Side::kRunner;
  }

  Yield BestOption(const Instruction& choose, std::size_t next, int depth) {
    const Side side = Whose(choose.who);
    Yield best;
    float most = 0;
    bool any = false;
    for (const Option& option : choose.options) {
      if (!AllHold(s_, option.when, context_)) continue;
      const Yield yield = Read(next + option.to, depth + 1);
      const float value = worth_(s_, yield, side);
      if (any && value <= most) continue;
      any = true;
      most = value;
      best = yield;
    }
    return best;
  }

  void Add(const Instruction& each, Yield& yield) {
    const auto amount = [&] { return static_cast<float>(Evaluate(s_, each.amount, context_)); };
    const std::size_t who = At(Whose(each.who));
    const CardState& source = s_[context_.source];
    switch (each.op) {
      case Op::kGainCredits:
        yield.credits[who] += amount();
        break;
      case Op::kLoseCredits:
        yield.credits[who] -= std::min(amount(), static_cast<float>(s_.Of(Whose(each.who)).credits));
        break;
      case Op::kPayCredits:
        yield.credits[who] -= amount();
        break;
      case Op::kGainClicks:
        yield.clicks[who] += amount();
        break;
      case Op::kLoseClicks:
        // The click for the card itself is spent before.
        yield.clicks[who] -= std::min(amount(), static_cast<float>(std::max(0, s_.Of(Whose(each.who)).clicks - 1)));
        break;
      case Op::kDraw:
        yield.cards[who] += std::min(amount(), static_cast<float>(s_.Of(Whose(each.who)).deck.size()));
        break;
      case Op::kDamage:
        yield.damage += std::max(0.F, amount());
        break;
      case Op::kGiveTags:
        yield.tags += amount();
        break;
      case Op::kEndRun:
        yield.ends_run = true;
        break;
      case Op::kPlaceVirus:
      case Op::kPlaceVirusOnIt:
        yield.virus += amount();
        break;
      case Op::kPlaceCredits:
        yield.hosted += amount();
        break;
      case Op::kTakeCredits: {
        // At most what is there, and what the same program has placed.
        const float taken = each.amount.of == Count::kCreditsHere
                                ? static_cast<float>(source.credits) + yield.hosted
                                : std::min(amount(), static_cast<float>(source.credits) + yield.hosted);
        yield.credits[At(context_.side)] += taken;
        yield.hosted -= taken;
        break;
      }
      case Op::kNote:
        context_.noted = static_cast<int>(amount());
        break;
      case Op::kTrashSelf:
        yield.trashes_itself = true;
        break;
      case Op::kTrashIt:
        yield.trashes_accessed = true;
        break;
      case Op::kTarget:
      case Op::kSearch:
        from_ = each.filter.from;
        count_ = each.op == Op::kSearch ? 1.F : static_cast<float>(each.min == 0 ? 1 : each.min);
        if (Candidates(s_, each.filter, Whose(each.who)).empty()) count_ = 0;
        context_.target = kNoInst;
        break;
      case Op::kTrashTargets:
        (from_ == From::kRunnerInstalled ? yield.runner_trashed : yield.own_discarded) += count_;
        break;
      case Op::kTargetsToHand:
        yield.found += count_;
        break;
      case Op::kShuffleTargetsIntoDeck:
        if (from_ == From::kHq) yield.own_discarded += 0.5F * count_;
        break;
      case Op::kAdvanceTargets:
        yield.advances += amount() * count_;
        break;
      case Op::kRezTargets:
        yield.rezzed += count_;
        break;
      case Op::kInstallTargets:
      case Op::kInstallTargetsInward:
        yield.installed += count_;
        break;
      case Op::kLinger:
        yield.dearer_ice |= each.modifier == Modifier::kIceRezCost;
        break;
      case Op::kRun:
        yield.runs = true;
        yield.servers = each.servers;
        break;
      default:
        break;
    }
  }

  const State& s_;
  const Program& program_;
  const WorthOfYield worth_;
  Context context_;
  From from_ = From::kHq;  // of the last targets
  float count_ = 0;
};

}  // namespace

Yield YieldOf(const State& state, const Program& program, std::size_t from, Inst source, WorthOfYield worth) {
  return ProgramReader(state, program, source, worth).Read(from, from == 0 ? 0 : 1);
}

}  // namespace openseat::games::netrunner::mind
