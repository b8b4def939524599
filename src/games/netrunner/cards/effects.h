// Functions that write programs (card_def.h), so that a card reads like its text:
//
//   .play = Do(GainCredits(5), LoseClicks(Who::kRunner, 1))
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "games/netrunner/cards/card_def.h"

namespace openseat::games::netrunner {

template <typename... Parts>
Program Do(const Parts&... parts) {
  Program all;
  (all.insert(all.end(), parts.begin(), parts.end()), ...);
  return all;
}

inline Program One(Instruction instruction) {
  Program program;
  program.push_back(std::move(instruction));
  return program;
}

inline Program GainCredits(Amount amount, Who who = Who::kController) {
  return One({.op = Op::kGainCredits, .who = who, .amount = amount});
}
inline Program LoseCredits(Who who, Amount amount) {
  return One({.op = Op::kLoseCredits, .who = who, .amount = amount});
}
inline Program PayCredits(Who who, Amount amount) {
  return One({.op = Op::kPayCredits, .who = who, .amount = amount});
}
inline Program GainClicks(Amount amount) {
  return One({.op = Op::kGainClicks, .amount = amount});
}
inline Program LoseClicks(Who who, Amount amount) {
  return One({.op = Op::kLoseClicks, .who = who, .amount = amount});
}
inline Program Draw(Amount amount, Who who = Who::kController) {
  return One({.op = Op::kDraw, .who = who, .amount = amount});
}
inline Program Damage(DamageKind kind, Amount amount) {
  return One({.op = Op::kDamage, .amount = amount, .damage = kind});
}
inline Program GiveTags(Amount amount) {
  return One({.op = Op::kGiveTags, .amount = amount});
}
inline Program EndTheRun() {
  return One({.op = Op::kEndRun});
}
inline Program PlaceVirus(Amount amount) {
  return One({.op = Op::kPlaceVirus, .amount = amount});
}
inline Program PlaceVirusOnIt(Amount amount) {
  return One({.op = Op::kPlaceVirusOnIt, .amount = amount});
}
inline Program PlaceCredits(Amount amount) {
  return One({.op = Op::kPlaceCredits, .amount = amount});
}
inline Program TakeCredits(Amount amount) {
  return One({.op = Op::kTakeCredits, .amount = amount});
}
inline Program TakeAllCredits() {
  return TakeCredits(PerOne(1, Count::kCreditsHere));
}
inline Program Note(Amount amount) {
  return One({.op = Op::kNote, .amount = amount});
}
inline Program TrashThis() {
  return One({.op = Op::kTrashSelf});
}
inline Program TrashIt() {
  return One({.op = Op::kTrashIt});
}
inline Program May(std::string_view question, Who who = Who::kController) {
  return One({.op = Op::kMay, .who = who, .text = question});
}
// Between `min` and `max` cards; fewer if there are fewer.
inline Program Target(std::string_view text, Filter filter, int min, int max, Who who = Who::kController) {
  return One({.op = Op::kTarget,
              .who = who,
              .text = text,
              .filter = filter,
              .min = static_cast<std::uint8_t>(min),
              .max = static_cast<std::uint8_t>(max)});
}
inline Program TrashTargets() {
  return One({.op = Op::kTrashTargets});
}
inline Program TargetsToHand() {
  return One({.op = Op::kTargetsToHand});
}
inline Program ShuffleTargetsIntoDeck() {
  return One({.op = Op::kShuffleTargetsIntoDeck});
}
inline Program AdvanceTargets(Amount amount) {
  return One({.op = Op::kAdvanceTargets, .amount = amount});
}
inline Program RezTargets() {
  return One({.op = Op::kRezTargets});
}
inline Program InstallTargets() {
  return One({.op = Op::kInstallTargets});
}
inline Program InstallTargetsInward() {
  return One({.op = Op::kInstallTargetsInward});
}
inline Program SwapTargets() {
  return One({.op = Op::kSwapTargets});
}
inline Program Search(std::string_view text, Filter filter) {
  return One({.op = Op::kSearch, .text = text, .filter = filter});
}
inline Program ShuffleDeck() {
  return One({.op = Op::kShuffleDeck});
}
inline Program DerezHost() {
  return One({.op = Op::kDerezHost});
}
inline Program Linger(Modifier modifier, Amount amount, Until until, Server server = kNoServer) {
  return One({.op = Op::kLinger, .amount = amount, .modifier = modifier, .until = until, .server = server});
}
inline Program WeakenIce(Amount amount) {
  return One({.op = Op::kLinger,
              .amount = amount,
              .modifier = Modifier::kStrength,
              .until = Until::kEncounterEnds,
              .on_ice = true});
}
// Arms the card's delayed trigger on this event.
inline Program Delay(Event event, Until until) {
  return One({.op = Op::kDelay, .until = until, .event = event});
}
inline Program MakeRun(Servers servers) {
  return One({.op = Op::kRun, .servers = servers});
}
inline Program CannotStealOrTrash() {
  return One({.op = Op::kCannotStealOrTrash});
}

// `then` if all conditions hold, otherwise `otherwise`.
inline Program When(Conditions conditions, const Program& then, const Program& otherwise = {}) {
  Program all = One({.op = Op::kSkipUnless,
                     .to = static_cast<std::uint8_t>(then.size() + (otherwise.empty() ? 0 : 1)),
                     .when = std::move(conditions)});
  all = Do(all, then);
  if (!otherwise.empty()) {
    all.push_back({.op = Op::kJump, .to = static_cast<std::uint8_t>(otherwise.size())});
    all = Do(all, otherwise);
  }
  return all;
}

struct Branch {
  std::string_view label;
  Program then;
  Conditions when{};
};
// `who` takes one of the branches whose conditions hold. A single one is taken without asking.
inline Program Choose(Who who, std::string_view question, const std::vector<Branch>& branches) {
  Instruction choose{.op = Op::kChoose, .who = who, .text = question};
  std::size_t length = 0;  // of all branches, each followed by a jump
  for (const Branch& branch : branches) {
    choose.options.push_back({branch.label, branch.when, static_cast<std::uint8_t>(length)});
    length += branch.then.size() + 1;
  }
  Program all = One(choose);
  std::size_t done = 0;
  for (const Branch& branch : branches) {
    all = Do(all, branch.then);
    done += branch.then.size() + 1;
    all.push_back({.op = Op::kJump, .to = static_cast<std::uint8_t>(length - done)});
  }
  return all;
}

}  // namespace openseat::games::netrunner
