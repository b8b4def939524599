#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/cards/effects.h"

namespace openseat::games::netrunner {

void AddWeyland(std::vector<CardDef>& cards) {
  constexpr Side kSide = Side::kCorp;
  constexpr Faction kFaction = Faction::kWeyland;

  cards.push_back({.code = "30059",
                   .title = "Weyland Consortium: Built to Last",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kIdentity,
                   .subtype_list = {Subtype::kMegacorp},
                   .limit = 1,
                   .min_deck = 40,
                   .influence_limit = 15,
                   .text = "Whenever you advance a card that had no advancement counters, gain 2 credits.",
                   .triggers = {{.on = Event::kAdvanced, .when = {If::kHadNoAdvancement}, .effect = GainCredits(2)}}});

  cards.push_back(
      {.code = "30060",
       .title = "Above the Law",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kAgenda,
       .subtype_list = {Subtype::kSecurity},
       .advancement = 3,
       .points = 2,
       .limit = 1,
       .text = "When you score this, you may trash 1 installed resource.",
       .triggers = {{.on = Event::kScored,
                     .when = {If::kItIsThis},
                     .effect = Do(Target("Choose a resource to trash",
                                         {.from = From::kRunnerInstalled, .types = TypeBit(CardType::kResource)}, 0, 1),
                                  TrashTargets())}}});

  cards.push_back({.code = "30061",
                   .title = "Clearinghouse",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kAsset,
                   .subtype_list = {Subtype::kHostile},
                   .cost = 0,
                   .trash = 3,
                   .influence = 3,
                   .text = "Can be advanced. When your turn begins, you may trash this to do 1 meat damage for each "
                           "advancement counter on it.",
                   .triggers = {{.on = Event::kTurnBegins,
                                 .when = {If::kOwnTurn},
                                 .effect = Do(May("Trash this asset to do 1 meat damage for each advancement counter?"),
                                              Note(PerOne(1, Count::kAdvancementHere)), TrashThis(),
                                              Damage(DamageKind::kMeat, PerOne(1, Count::kNoted)))}},
                   .advanceable = true});

  cards.push_back(
      {.code = "30062",
       .title = "Ballista",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kIce,
       .subtype_list = {Subtype::kSentry, Subtype::kDestroyer},
       .cost = 5,
       .strength = 4,
       .influence = 2,
       .text = "Subroutine: trash 1 installed program or end the run.",
       .subroutines = {
           {"Trash 1 program or end the run",
            Choose(Who::kCorp, "Choose one",
                   {{"Trash a program",
                     Do(Target("Choose a program to trash",
                               {.from = From::kRunnerInstalled, .types = TypeBit(CardType::kProgram)}, 1, 1),
                        TrashTargets()),
                     {If::kProgramInstalled}},
                    {"Do nothing", {}, {If::kNoProgramInstalled}},
                    {"End the run", EndTheRun()}})}}});

  cards.push_back(
      {.code = "30063",
       .title = "Pharos",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kIce,
       .subtype_list = {Subtype::kBarrier},
       .cost = 7,
       .strength = 5,
       .influence = 3,
       .text = "Can be advanced. +5 strength while it has 3 or more advancement counters. Subroutines: give the "
               "Runner 1 tag; end the run; end the run.",
       .subroutines = {{"Give the Runner 1 tag", GiveTags(1)},
                       {"End the run", EndTheRun()},
                       {"End the run", EndTheRun()}},
       .statics = {{.what = Modifier::kStrength, .amount = 5, .when = {{If::kAdvancementAtLeast, 3}}}},
       .advanceable = true});

  cards.push_back({.code = "30064",
                   .title = "Government Subsidy",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kOperation,
                   .subtype_list = {Subtype::kTransaction},
                   .cost = 10,
                   .influence = 1,
                   .text = "Gain 15 credits.",
                   .play = GainCredits(15)});

  cards.push_back({.code = "30065",
                   .title = "Retribution",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kOperation,
                   .subtype_list = {Subtype::kGrayOps},
                   .cost = 1,
                   .influence = 1,
                   .text = "Play only if the Runner is tagged. Trash 1 installed program or hardware.",
                   .play_when = {If::kRunnerTagged},
                   .play = Do(Target("Choose a program or piece of hardware to trash",
                                     {.from = From::kRunnerInstalled,
                                      .types = TypeBit(CardType::kProgram) | TypeBit(CardType::kHardware)},
                                     1, 1),
                              TrashTargets())});

  cards.push_back(
      {.code = "30066",
       .title = "Malapert Data Vault",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kUpgrade,
       .unique = true,
       .cost = 1,
       .trash = 4,
       .influence = 3,
       .text = "Whenever you score an agenda from this server, you may search R&D for 1 non-agenda card, reveal it, "
               "and add it to HQ. Shuffle R&D.",
       .triggers = {{.on = Event::kScored,
                     .when = {If::kScoredFromHere},
                     .effect = Do(May("Search R&D for non-agenda card?"),
                                  Search("Choose a card", {.from = From::kRnd, .no_agendas = true}), TargetsToHand(),
                                  ShuffleDeck())}}});
}

}  // namespace openseat::games::netrunner
