#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/cards/effects.h"

namespace openseat::games::netrunner {

void AddShaper(std::vector<CardDef>& cards) {
  constexpr Side kSide = Side::kRunner;
  constexpr Faction kFaction = Faction::kShaper;

  const Program swap =
      Do(May("Swap 2 pieces of ice?"), Target("Choose 2 pieces of ice", {.from = From::kIce}, 2, 2), SwapTargets());
  cards.push_back({.code = "30019",
                   .title = "Tāo Salonga: Telepresence Magician",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kIdentity,
                   .subtype_list = {Subtype::kNatural},
                   .limit = 1,
                   .min_deck = 40,
                   .influence_limit = 15,
                   .text = "Whenever an agenda is scored or stolen, you may swap 2 installed ice.",
                   .triggers = {{.on = Event::kScored, .when = {{If::kIceAtLeast, 2}}, .effect = swap},
                                {.on = Event::kStolen, .when = {{If::kIceAtLeast, 2}}, .effect = swap}}});

  cards.push_back({.code = "30020",
                   .title = "Creative Commission",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kEvent,
                   .cost = 1,
                   .influence = 2,
                   .text = "Gain 5 credits. If you have clicks left, lose 1 of them.",
                   .play = Do(GainCredits(5), LoseClicks(Who::kRunner, 1))});

  cards.push_back({.code = "30021",
                   .title = "VRcation",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kEvent,
                   .cost = 1,
                   .influence = 2,
                   .text = "Draw 4 cards. If you have clicks left, lose 1 of them.",
                   .play = Do(Draw(4), LoseClicks(Who::kRunner, 1))});

  cards.push_back(
      {.code = "30022",
       .title = "DZMZ Optimizer",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kHardware,
       .cost = 2,
       .influence = 2,
       .text = "+1 memory. The first program you install each turn costs 1 credit less.",
       .statics = {{.what = Modifier::kMemory},
                   {.what = Modifier::kProgramInstallCost, .amount = -1, .when = {If::kNoProgramThisTurn}}}});

  const Program print =
      Do(GainCredits(1), Target("Choose a card to install", {.from = From::kGrip, .installable = true}, 0, 1),
         InstallTargets());
  cards.push_back(
      {.code = "30023",
       .title = "Pantograph",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kHardware,
       .subtype_list = {Subtype::kConsole},
       .unique = true,
       .cost = 2,
       .influence = 3,
       .text = "+1 memory. Whenever an agenda is scored or stolen, gain 1 credit; then you may install 1 card from "
               "your grip, paying for it.",
       .triggers = {{.on = Event::kScored, .effect = print}, {.on = Event::kStolen, .effect = print}},
       .statics = {{.what = Modifier::kMemory}}});

  cards.push_back(
      {.code = "30024",
       .title = "Conduit",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kProgram,
       .subtype_list = {Subtype::kVirus},
       .cost = 4,
       .memory = 1,
       .influence = 4,
       .text =
           "Whenever a successful run on R&D ends, you may place 1 virus counter here. Click: run R&D; if successful, "
           "access 1 additional card for each virus counter here.",
       .abilities = {{.label = "Run R&D",
                      .cost = {.clicks = 1},
                      .effect = Do(Delay(Event::kRunSuccessful, Until::kRunEnds), MakeRun(Servers::kRnd))}},
       .triggers = {{.on = Event::kRunEnds,
                     .when = {If::kRunOnRnd, If::kRunWasSuccessful},
                     .effect = Do(May("Place 1 virus counter on Conduit?"), PlaceVirus(1))},
                    {.on = Event::kRunSuccessful,
                     .effect = Linger(Modifier::kAccesses, PerOne(1, Count::kVirusHere), Until::kRunEnds, kRndServer),
                     .delayed = true}}});

  cards.push_back(
      {.code = "30025",
       .title = "Echelon",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kProgram,
       .subtype_list = {Subtype::kIcebreaker, Subtype::kKiller},
       .cost = 3,
       .strength = 0,
       .memory = 1,
       .influence = 1,
       .text = "+1 strength for each icebreaker you have installed. 1 credit: break 1 sentry subroutine. 3 credits: "
               "+2 strength for this encounter.",
       .abilities = {{.label = "Break 1 Sentry subroutine",
                      .use = Use::kBreak,
                      .cost = {.credits = 1},
                      .breaks = 1,
                      .interface = true,
                      .subtypes = SetOf(Subtype::kSentry)},
                     {.label = "Add 2 strength",
                      .cost = {.credits = 3},
                      .when = {If::kEncountering},
                      .effect = Linger(Modifier::kStrength, 2, Until::kEncounterEnds)}},
       .statics = {{.what = Modifier::kStrength, .amount = PerOne(1, Count::kInstalledIcebreakers)}}});

  cards.push_back({.code = "30026",
                   .title = "Unity",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kProgram,
                   .subtype_list = {Subtype::kIcebreaker, Subtype::kDecoder},
                   .cost = 3,
                   .strength = 1,
                   .memory = 1,
                   .influence = 2,
                   .text = "1 credit: break 1 code gate subroutine. 1 credit: +1 strength for each icebreaker you have "
                           "installed, for this encounter.",
                   .abilities = {{.label = "Break 1 Code Gate subroutine",
                                  .use = Use::kBreak,
                                  .cost = {.credits = 1},
                                  .breaks = 1,
                                  .interface = true,
                                  .subtypes = SetOf(Subtype::kCodeGate)},
                                 {.label = "Add 1 strength for each installed icebreaker",
                                  .cost = {.credits = 1},
                                  .when = {If::kEncountering},
                                  .effect = Linger(Modifier::kStrength, PerOne(1, Count::kInstalledIcebreakers),
                                                   Until::kEncounterEnds)}}});

  cards.push_back({.code = "30027",
                   .title = "Telework Contract",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kResource,
                   .subtype_list = {Subtype::kJob},
                   .cost = 1,
                   .influence = 2,
                   .text = "Comes with 9 credits; trashed when empty. Click, once per turn: take 3 credits from here.",
                   .abilities = {{.label = "Take 3 [Credits] from this resource",
                                  .cost = {.clicks = 1},
                                  .once_per_turn = true,
                                  .effect = TakeCredits(3)}},
                   .triggers = {{.on = Event::kInstalled, .when = {If::kItIsThis}, .effect = PlaceCredits(9)}},
                   .trashed_when_empty = true});
}

}  // namespace openseat::games::netrunner
