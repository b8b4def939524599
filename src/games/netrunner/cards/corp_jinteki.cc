#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/cards/effects.h"

namespace openseat::games::netrunner {

void AddJinteki(std::vector<CardDef>& cards) {
  constexpr Side kSide = Side::kCorp;
  constexpr Faction kFaction = Faction::kJinteki;

  cards.push_back(
      {.code = "30043",
       .title = "Jinteki: Restoring Humanity",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kIdentity,
       .subtype_list = {Subtype::kMegacorp},
       .limit = 1,
       .min_deck = 40,
       .influence_limit = 15,
       .text = "When your discard phase ends, gain 1 credit if there is a facedown card in Archives.",
       .triggers = {
           {.on = Event::kTurnEnds, .when = {If::kOwnTurn, If::kFacedownInArchives}, .effect = GainCredits(1)}}});

  cards.push_back(
      {.code = "30044",
       .title = "Longevity Serum",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kAgenda,
       .subtype_list = {Subtype::kResearch},
       .advancement = 3,
       .points = 2,
       .limit = 1,
       .text = "When you score this, trash any number of cards from HQ, then shuffle up to 3 cards from Archives "
               "into R&D.",
       .triggers = {
           {.on = Event::kScored,
            .when = {If::kItIsThis},
            .effect = Do(Target("Choose any number of cards in HQ to trash", {.from = From::kHq}, 0, kAnyNumber),
                         TrashTargets(),
                         Target("Choose up to 3 targets for Longevity Serum", {.from = From::kArchives}, 0, 3),
                         ShuffleTargetsIntoDeck())}}});

  cards.push_back(
      {.code = "30045",
       .title = "Urtica Cipher",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kAsset,
       .subtype_list = {Subtype::kAmbush},
       .cost = 0,
       .trash = 2,
       .influence = 2,
       .text = "Can be advanced. When the Runner accesses this while it is installed, do 2 net damage, and 1 more "
               "for each advancement counter on it.",
       .triggers = {{.on = Event::kAccessed,
                     .when = {If::kItIsThis, If::kInstalledHere},
                     .effect = Damage(DamageKind::kNet, {2, 1, Count::kAdvancementHere})}},
       .advanceable = true});

  cards.push_back(
      {.code = "30046",
       .title = "Diviner",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kIce,
       .subtype_list = {Subtype::kCodeGate, Subtype::kAp},
       .cost = 2,
       .strength = 3,
       .influence = 2,
       .text = "Subroutine: do 1 net damage; if that trashes a card of an odd cost, end the run.",
       .subroutines = {{"Do 1 net damage", Do(Damage(DamageKind::kNet, 1), When({If::kTargetCostOdd}, EndTheRun()))}}});

  cards.push_back({.code = "30047",
                   .title = "Karunā",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kIce,
                   .subtype_list = {Subtype::kSentry, Subtype::kAp},
                   .cost = 4,
                   .strength = 3,
                   .influence = 2,
                   .text = "Subroutines: do 2 net damage, then the Runner may jack out; do 2 net damage.",
                   .subroutines = {{"Do 2 net damage. The Runner may jack out",
                                    Do(Damage(DamageKind::kNet, 2), May("Jack out?", Who::kRunner), EndTheRun())},
                                   {"Do 2 net damage", Damage(DamageKind::kNet, 2)}}});

  cards.push_back(
      {.code = "30048",
       .title = "Hansei Review",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kOperation,
       .subtype_list = {Subtype::kTransaction},
       .cost = 5,
       .influence = 1,
       .text = "Gain 10 credits, then trash 1 card from HQ.",
       .play = Do(GainCredits(10), Target("Choose a card in HQ to trash", {.from = From::kHq}, 1, 1), TrashTargets())});

  cards.push_back({.code = "30049",
                   .title = "Neurospike",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kOperation,
                   .subtype_list = {Subtype::kGrayOps},
                   .cost = 3,
                   .influence = 3,
                   .text = "Do net damage equal to the printed agenda points of the agendas you scored this turn.",
                   .play = Damage(DamageKind::kNet, PerOne(1, Count::kPointsScoredThisTurn))});

  cards.push_back(
      {.code = "30050",
       .title = "Anoetic Void",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kUpgrade,
       .unique = true,
       .cost = 0,
       .trash = 1,
       .influence = 4,
       .text = "Whenever the Runner approaches this server, you may pay 2 credits and trash 2 cards from HQ to end the "
               "run.",
       .triggers = {
           {.on = Event::kApproachServer,
            .when = {If::kRunHere, {If::kCorpCreditsAtLeast, 2}, {If::kHqAtLeast, 2}},
            .effect = Do(May("Pay 2 [Credits] and trash 2 cards from HQ to end the run?"), PayCredits(Who::kCorp, 2),
                         Target("Choose 2 cards to trash", {.from = From::kHq}, 2, 2), TrashTargets(), EndTheRun())}}});
}

}  // namespace openseat::games::netrunner
