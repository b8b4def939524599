#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/cards/effects.h"

namespace openseat::games::netrunner {

void AddNbn(std::vector<CardDef>& cards) {
  constexpr Side kSide = Side::kCorp;
  constexpr Faction kFaction = Faction::kNbn;

  cards.push_back(
      {.code = "30051",
       .title = "NBN: Reality Plus",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kIdentity,
       .subtype_list = {Subtype::kMegacorp},
       .limit = 1,
       .min_deck = 40,
       .influence_limit = 15,
       .text = "The first time each turn the Runner takes tags, gain 2 credits or draw 2 cards.",
       .triggers = {{.on = Event::kTagsTaken,
                     .when = {If::kFirstThisTurn},
                     .effect = Choose(Who::kCorp, "Choose one",
                                      {{"Gain 2 [Credits]", GainCredits(2)}, {"Draw 2 cards", Draw(2)}})}}});

  cards.push_back({.code = "30052",
                   .title = "Tomorrow's Headline",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kAgenda,
                   .subtype_list = {Subtype::kAmbush},
                   .advancement = 3,
                   .points = 2,
                   .limit = 1,
                   .text = "When this is scored or stolen, the Runner gets 1 tag.",
                   .triggers = {{.on = Event::kScored, .when = {If::kItIsThis}, .effect = GiveTags(1)},
                                {.on = Event::kStolen, .when = {If::kItIsThis}, .effect = GiveTags(1)}}});

  cards.push_back(
      {.code = "30053",
       .title = "Spin Doctor",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kAsset,
       .subtype_list = {Subtype::kCharacter},
       .unique = true,
       .cost = 0,
       .trash = 2,
       .influence = 1,
       .text = "When you rez this, draw 2 cards. Remove it from the game: shuffle up to 2 cards from Archives into "
               "R&D.",
       .abilities = {{.label = "Shuffle up to 2 cards from Archives into R&D",
                      .cost = {.remove_self = true},
                      .effect = Do(Target("Choose up to 2 targets for Spin Doctor", {.from = From::kArchives}, 0, 2),
                                   ShuffleTargetsIntoDeck())}},
       .triggers = {{.on = Event::kRezzed, .when = {If::kItIsThis}, .effect = Draw(2)}}});

  cards.push_back(
      {.code = "30054",
       .title = "Funhouse",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kIce,
       .subtype_list = {Subtype::kCodeGate},
       .cost = 5,
       .strength = 4,
       .influence = 2,
       .text =
           "When the Runner encounters this ice, end the run unless they take 1 tag. Subroutine: give the Runner 1 tag "
           "unless they pay 4 credits.",
       .triggers = {{.on = Event::kEncounter,
                     .when = {If::kItIsThis},
                     .effect = Choose(Who::kRunner, "Choose one",
                                      {{"Take 1 tag", GiveTags(1)}, {"End the run", EndTheRun()}})}},
       .subroutines = {{"Give the Runner 1 tag unless they pay 4 [Credits]",
                        Choose(Who::kRunner, "Choose one",
                               {{"Take 1 tag", GiveTags(1)},
                                {"Pay 4 [Credits]", PayCredits(Who::kRunner, 4), {{If::kRunnerCanPay, 4}}}})}}});

  cards.push_back(
      {.code = "30055",
       .title = "Ping",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kIce,
       .subtype_list = {Subtype::kBarrier},
       .cost = 2,
       .strength = 1,
       .influence = 2,
       .text = "When you rez this during a run on this server, give the Runner 1 tag. Subroutine: end the run.",
       .triggers = {{.on = Event::kRezzed, .when = {If::kItIsThis, If::kDuringRunHere}, .effect = GiveTags(1)}},
       .subroutines = {{"End the run", EndTheRun()}}});

  cards.push_back(
      {.code = "30056",
       .title = "Predictive Planogram",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kOperation,
       .subtype_list = {Subtype::kTransaction},
       .cost = 0,
       .influence = 1,
       .text = "Gain 3 credits or draw 3 cards; you may do both if the Runner is tagged.",
       .play = Choose(Who::kCorp, "Choose one",
                      {{"Gain 3 [Credits]", GainCredits(3)},
                       {"Draw 3 cards", Draw(3)},
                       {"Gain 3 [Credits] and draw 3 cards", Do(GainCredits(3), Draw(3)), {If::kRunnerTagged}}})});

  cards.push_back(
      {.code = "30057",
       .title = "Public Trail",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kOperation,
       .subtype_list = {Subtype::kGrayOps},
       .cost = 4,
       .influence = 2,
       .text = "Play only if the Runner made a successful run during their last turn. They take 1 tag or pay 8 "
               "credits.",
       .play_when = {If::kSuccessfulRunLastTurn},
       .play = Choose(
           Who::kRunner, "Choose one",
           {{"Take 1 tag", GiveTags(1)}, {"Pay 8 [Credits]", PayCredits(Who::kRunner, 8), {{If::kRunnerCanPay, 8}}}})});

  cards.push_back(
      {.code = "30058",
       .title = "AMAZE Amusements",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kUpgrade,
       .unique = true,
       .cost = 1,
       .trash = 3,
       .influence = 3,
       .text = "Whenever a run on this server ends in which the Runner stole agendas, give the Runner 2 tags. This "
               "lasts for the rest of the run even if the Runner trashes it while accessing it.",
       .triggers = {{.on = Event::kRunEnds,
                     .when = {If::kRunHere, If::kStoleThisRun},
                     .effect = GiveTags(2),
                     .persistent = true}}});
}

}  // namespace openseat::games::netrunner
