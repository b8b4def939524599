#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/cards/effects.h"

namespace openseat::games::netrunner {

void AddCriminal(std::vector<CardDef>& cards) {
  constexpr Side kSide = Side::kRunner;
  constexpr Faction kFaction = Faction::kCriminal;

  cards.push_back({.code = "30010",
                   .title = "Zahya Sadeghi: Versatile Smuggler",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kIdentity,
                   .subtype_list = {Subtype::kCyborg},
                   .limit = 1,
                   .min_deck = 40,
                   .influence_limit = 15,
                   .text =
                       "Once per turn, when a run on HQ or R&D ends, you may gain 1 credit for each card you accessed "
                       "during that run.",
                   .triggers = {{.on = Event::kRunEnds,
                                 .when = {If::kRunOnHqOrRnd, If::kAccessedThisRun},
                                 .effect = Do(May("Gain 1 [Credits] for each card you accessed?"),
                                              GainCredits(PerOne(1, Count::kAccessesThisRun))),
                                 .once_per_turn = true}}});

  cards.push_back(
      {.code = "30011",
       .title = "Mutual Favor",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kEvent,
       .cost = 0,
       .influence = 3,
       .text =
           "Search your stack for an icebreaker and reveal it. If you made a successful run this turn, you may install "
           "it, paying for it; otherwise it goes to your grip. Shuffle your stack.",
       .play = Do(Search("Choose an Icebreaker", {.from = From::kStack, .subtypes = SetOf(Subtype::kIcebreaker)}),
                  When({If::kAnyTargets},
                       When({If::kSuccessfulRunThisTurn, If::kTargetInstallable},
                            Choose(Who::kRunner, "Install {}?", {{"Yes", InstallTargets()}, {"No", TargetsToHand()}}),
                            TargetsToHand())),
                  ShuffleDeck())});

  cards.push_back({.code = "30012",
                   .title = "Tread Lightly",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kEvent,
                   .subtype_list = {Subtype::kRun},
                   .cost = 1,
                   .influence = 1,
                   .text = "Run any server. During that run, it costs the Corp 3 credits more to rez each ice.",
                   .play = Do(Linger(Modifier::kIceRezCost, 3, Until::kRunEnds), MakeRun(Servers::kAny))});

  cards.push_back({.code = "30013",
                   .title = "Docklands Pass",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kHardware,
                   .unique = true,
                   .cost = 2,
                   .influence = 2,
                   .text = "The first time each turn you breach HQ, you access 1 additional card.",
                   .statics = {{.what = Modifier::kAccesses, .when = {If::kFirstBreachOfHq}, .server = kHqServer}}});

  cards.push_back(
      {.code = "30014",
       .title = "Pennyshaver",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kHardware,
       .subtype_list = {Subtype::kConsole},
       .unique = true,
       .cost = 3,
       .influence = 3,
       .text = "+1 memory. Gets 1 credit from each successful run. Click: place 1 credit here, then take all its "
               "credits.",
       .abilities = {{.label = "Gain 1 [Credits]. Take all hosted credits",
                      .cost = {.clicks = 1},
                      .effect = Do(PlaceCredits(1), TakeAllCredits())}},
       .triggers = {{.on = Event::kRunSuccessful, .effect = PlaceCredits(1)}},
       .statics = {{.what = Modifier::kMemory}}});

  cards.push_back(
      {.code = "30015",
       .title = "Carmen",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kProgram,
       .subtype_list = {Subtype::kIcebreaker, Subtype::kKiller},
       .cost = 5,
       .strength = 2,
       .memory = 1,
       .influence = 2,
       .text = "Costs 2 credits less to install if you made a successful run this turn. 1 credit: break 1 sentry "
               "subroutine. 2 credits: +3 strength for this encounter.",
       .abilities = {{.label = "Break 1 Sentry subroutine",
                      .use = Use::kBreak,
                      .cost = {.credits = 1},
                      .breaks = 1,
                      .interface = true,
                      .subtypes = SetOf(Subtype::kSentry)},
                     {.label = "Add 3 strength",
                      .cost = {.credits = 2},
                      .when = {If::kEncountering},
                      .effect = Linger(Modifier::kStrength, 3, Until::kEncounterEnds)}},
       .statics = {{.what = Modifier::kInstallCost, .amount = -2, .when = {If::kSuccessfulRunThisTurn}}}});

  cards.push_back({.code = "30016",
                   .title = "Marjanah",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kProgram,
                   .subtype_list = {Subtype::kIcebreaker, Subtype::kFracter},
                   .cost = 0,
                   .strength = 1,
                   .memory = 1,
                   .influence = 1,
                   .text =
                       "2 credits (1 if you made a successful run this turn): break 1 barrier subroutine. 1 credit: +1 "
                       "strength for this encounter.",
                   .abilities = {{.label = "Break 1 Barrier subroutine",
                                  .use = Use::kBreak,
                                  .cost = {.credits = {2, -1, Count::kSuccessfulRunThisTurn}},
                                  .breaks = 1,
                                  .interface = true,
                                  .subtypes = SetOf(Subtype::kBarrier)},
                                 {.label = "Add 1 strength",
                                  .cost = {.credits = 1},
                                  .when = {If::kEncountering},
                                  .effect = Linger(Modifier::kStrength, 1, Until::kEncounterEnds)}}});

  const Program tranquilize = Do(PlaceVirus(1), When({{If::kVirusAtLeast, 3}}, DerezHost()));
  cards.push_back(
      {.code = "30017",
       .title = "Tranquilizer",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kProgram,
       .subtype_list = {Subtype::kVirus, Subtype::kTrojan},
       .cost = 2,
       .memory = 1,
       .influence = 3,
       .text = "Installed on an ice. Gets 1 virus counter when installed and when your turn begins; then, with 3 or "
               "more of them, that ice is derezzed.",
       .triggers = {{.on = Event::kInstalled, .when = {If::kItIsThis}, .effect = tranquilize},
                    {.on = Event::kTurnBegins, .when = {If::kOwnTurn}, .effect = tranquilize}},
       .only_on_ice = true});

  cards.push_back(
      {.code = "30018",
       .title = "Red Team",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kResource,
       .subtype_list = {Subtype::kJob},
       .cost = 5,
       .influence = 2,
       .text =
           "Comes with 12 credits; trashed when empty. Click: run a central server that you have not run this turn; if "
           "that run is successful, take 3 credits from here.",
       .abilities = {{.label = "Make a run on a central server",
                      .cost = {.clicks = 1},
                      .when = {If::kNewCentral},
                      .effect = Do(Delay(Event::kRunSuccessful, Until::kRunEnds), MakeRun(Servers::kNewCentrals))}},
       .triggers = {{.on = Event::kInstalled, .when = {If::kItIsThis}, .effect = PlaceCredits(12)},
                    {.on = Event::kRunSuccessful, .effect = TakeCredits(3), .delayed = true}},
       .trashed_when_empty = true});
}

}  // namespace openseat::games::netrunner
