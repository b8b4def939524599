#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/cards/effects.h"

namespace openseat::games::netrunner {

void AddNeutralRunner(std::vector<CardDef>& cards) {
  constexpr Side kSide = Side::kRunner;
  constexpr Faction kFaction = Faction::kNeutralRunner;

  cards.push_back({.code = "30028",
                   .title = "Jailbreak",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kEvent,
                   .subtype_list = {Subtype::kRun},
                   .cost = 0,
                   .influence = 0,
                   .text = "Run HQ or R&D. If successful, draw 1 card, and access 1 additional card when breaching.",
                   .play = Do(Delay(Event::kRunSuccessful, Until::kRunEnds), MakeRun(Servers::kHqOrRnd)),
                   .triggers = {{.on = Event::kRunSuccessful,
                                 .effect = Do(Draw(1), Linger(Modifier::kAccesses, 1, Until::kRunEnds, kHqServer),
                                              Linger(Modifier::kAccesses, 1, Until::kRunEnds, kRndServer)),
                                 .delayed = true}}});

  cards.push_back({.code = "30029",
                   .title = "Overclock",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kEvent,
                   .subtype_list = {Subtype::kRun},
                   .cost = 1,
                   .influence = 0,
                   .text = "Place 5 credits here and run any server. You may spend these credits during that run.",
                   .play = Do(PlaceCredits(5), MakeRun(Servers::kAny)),
                   .spent_in_run = true});

  cards.push_back({.code = "30030",
                   .title = "Sure Gamble",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kEvent,
                   .cost = 5,
                   .influence = 0,
                   .text = "Gain 9 credits.",
                   .play = GainCredits(9)});

  cards.push_back({.code = "30031",
                   .title = "T400 Memory Diamond",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kHardware,
                   .subtype_list = {Subtype::kChip},
                   .cost = 2,
                   .influence = 0,
                   .text = "+1 memory and +1 maximum hand size.",
                   .statics = {{.what = Modifier::kMemory}, {.what = Modifier::kHandSize}}});

  cards.push_back({.code = "30032",
                   .title = "Mayfly",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kProgram,
                   .subtype_list = {Subtype::kIcebreaker, Subtype::kAi},
                   .cost = 1,
                   .strength = 1,
                   .memory = 2,
                   .influence = 0,
                   .text = "1 credit: break 1 subroutine; trash this when the run ends. 1 credit: +1 strength for this "
                           "encounter.",
                   .abilities = {{.label = "Break 1 subroutine",
                                  .use = Use::kBreak,
                                  .cost = {.credits = 1},
                                  .breaks = 1,
                                  .interface = true,
                                  .effect = Delay(Event::kRunEnds, Until::kRunEnds)},
                                 {.label = "Add 1 strength",
                                  .cost = {.credits = 1},
                                  .when = {If::kEncountering},
                                  .effect = Linger(Modifier::kStrength, 1, Until::kEncounterEnds)}},
                   .triggers = {{.on = Event::kRunEnds, .effect = TrashThis(), .delayed = true}}});

  cards.push_back({.code = "30033",
                   .title = "Smartware Distributor",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kResource,
                   .subtype_list = {Subtype::kConnection},
                   .cost = 0,
                   .influence = 0,
                   .text = "Click: place 3 credits here. When your turn begins, take 1 credit from here.",
                   .abilities = {{.label = "Place 3 [Credits]", .cost = {.clicks = 1}, .effect = PlaceCredits(3)}},
                   .triggers = {{.on = Event::kTurnBegins, .when = {If::kOwnTurn}, .effect = TakeCredits(1)}}});

  cards.push_back({.code = "30034",
                   .title = "Verbal Plasticity",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kResource,
                   .subtype_list = {Subtype::kGenetics},
                   .unique = true,
                   .cost = 3,
                   .influence = 0,
                   .text = "The first time each turn you take the basic action to draw, draw 1 card more.",
                   .statics = {{.what = Modifier::kBasicDraw, .when = {If::kNoBasicDrawThisTurn}}}});
}

}  // namespace openseat::games::netrunner
