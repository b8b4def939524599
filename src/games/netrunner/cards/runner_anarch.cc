#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/cards/effects.h"

namespace openseat::games::netrunner {

void AddAnarch(std::vector<CardDef>& cards) {
  constexpr Side kSide = Side::kRunner;
  constexpr Faction kFaction = Faction::kAnarch;

  cards.push_back(
      {.code = "30001",
       .title = "René \"Loup\" Arcemont: Party Animal",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kIdentity,
       .subtype_list = {Subtype::kGMod},
       .limit = 1,
       .min_deck = 40,
       .influence_limit = 15,
       .text = "The first time each turn you trash a card you are accessing: gain 1 credit and draw 1 card.",
       .triggers = {
           {.on = Event::kAccessTrashed, .when = {If::kFirstThisTurn}, .effect = Do(GainCredits(1), Draw(1))}}});

  cards.push_back({.code = "30002",
                   .title = "Wildcat Strike",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kEvent,
                   .cost = 2,
                   .influence = 1,
                   .text = "The Corp chooses: you gain 6 credits, or you draw 4 cards.",
                   .play = Choose(Who::kCorp, "Choose one",
                                  {{"Runner gains 6 [Credits]", GainCredits(6)}, {"Runner draws 4 cards", Draw(4)}})});

  cards.push_back({.code = "30003",
                   .title = "Carnivore",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kHardware,
                   .subtype_list = {Subtype::kConsole},
                   .unique = true,
                   .cost = 4,
                   .influence = 3,
                   .text = "+1 memory. Once per turn, trash 2 cards of your grip to trash the card you are accessing.",
                   .abilities = {{.label = "Trash 2 cards from your hand: Trash card",
                                  .use = Use::kAccess,
                                  .when = {{If::kGripAtLeast, 2}},
                                  .once_per_turn = true,
                                  .effect = Do(Target("Choose 2 cards to trash", {.from = From::kGrip}, 2, 2),
                                               TrashTargets(), TrashIt())}},
                   .statics = {{.what = Modifier::kMemory}}});

  cards.push_back(
      {.code = "30004",
       .title = "Botulus",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kProgram,
       .subtype_list = {Subtype::kVirus, Subtype::kTrojan},
       .cost = 2,
       .memory = 1,
       .influence = 3,
       .text = "Installed on an ice. Gets 1 virus counter when installed and when your turn begins. Virus counter: "
               "break 1 subroutine of the ice it is on.",
       .abilities = {{.label = "Break 1 subroutine",
                      .use = Use::kBreak,
                      .cost = {.virus = 1},
                      .when = {If::kEncounteringHost},
                      .breaks = 1}},
       .triggers = {{.on = Event::kInstalled, .when = {If::kItIsThis}, .effect = PlaceVirus(1)},
                    {.on = Event::kTurnBegins, .when = {If::kOwnTurn}, .effect = PlaceVirus(1)}},
       .only_on_ice = true});

  cards.push_back({.code = "30005",
                   .title = "Buzzsaw",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kProgram,
                   .subtype_list = {Subtype::kIcebreaker, Subtype::kDecoder},
                   .cost = 4,
                   .strength = 3,
                   .memory = 1,
                   .influence = 1,
                   .text = "1 credit: break up to 2 code gate subroutines. 3 credits: +1 strength for this encounter.",
                   .abilities = {{.label = "Break up to 2 Code Gate subroutines",
                                  .use = Use::kBreak,
                                  .cost = {.credits = 1},
                                  .breaks = 2,
                                  .interface = true,
                                  .subtypes = SetOf(Subtype::kCodeGate)},
                                 {.label = "Add 1 strength",
                                  .cost = {.credits = 3},
                                  .when = {If::kEncountering},
                                  .effect = Linger(Modifier::kStrength, 1, Until::kEncounterEnds)}}});

  cards.push_back({.code = "30006",
                   .title = "Cleaver",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kProgram,
                   .subtype_list = {Subtype::kIcebreaker, Subtype::kFracter},
                   .cost = 3,
                   .strength = 3,
                   .memory = 1,
                   .influence = 2,
                   .text = "1 credit: break up to 2 barrier subroutines. 2 credits: +1 strength for this encounter.",
                   .abilities = {{.label = "Break up to 2 Barrier subroutines",
                                  .use = Use::kBreak,
                                  .cost = {.credits = 1},
                                  .breaks = 2,
                                  .interface = true,
                                  .subtypes = SetOf(Subtype::kBarrier)},
                                 {.label = "Add 1 strength",
                                  .cost = {.credits = 2},
                                  .when = {If::kEncountering},
                                  .effect = Linger(Modifier::kStrength, 1, Until::kEncounterEnds)}}});

  cards.push_back(
      {.code = "30007",
       .title = "Fermenter",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kProgram,
       .subtype_list = {Subtype::kVirus},
       .cost = 1,
       .memory = 1,
       .influence = 2,
       .text = "Gets 1 virus counter when installed and when your turn begins. Click and trash it: gain 2 credits "
               "for each virus counter it had.",
       .abilities = {{.label = "Gain 2 [Credits] for each hosted virus counter",
                      .cost = {.clicks = 1},
                      .effect =
                          Do(Note(PerOne(2, Count::kVirusHere)), TrashThis(), GainCredits(PerOne(1, Count::kNoted)))}},
       .triggers = {{.on = Event::kInstalled, .when = {If::kItIsThis}, .effect = PlaceVirus(1)},
                    {.on = Event::kTurnBegins, .when = {If::kOwnTurn}, .effect = PlaceVirus(1)}}});

  cards.push_back({.code = "30008",
                   .title = "Leech",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kProgram,
                   .subtype_list = {Subtype::kVirus},
                   .cost = 1,
                   .memory = 1,
                   .influence = 1,
                   .text =
                       "Gets 1 virus counter from each successful run on a central server. Virus counter: the ice you "
                       "encounter has -1 strength for this encounter.",
                   .abilities = {{.label = "Give -1 strength to current ice",
                                  .cost = {.virus = 1},
                                  .when = {If::kEncountering},
                                  .effect = WeakenIce(-1)}},
                   .triggers = {{.on = Event::kRunSuccessful, .when = {If::kRunOnCentral}, .effect = PlaceVirus(1)}}});

  cards.push_back({.code = "30009",
                   .title = "Cookbook",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kResource,
                   .subtype_list = {Subtype::kVirtual},
                   .unique = true,
                   .cost = 1,
                   .influence = 3,
                   .text = "Whenever you install a virus program, it gets 1 virus counter.",
                   .triggers = {{.on = Event::kInstalled, .when = {If::kItIsVirus}, .effect = PlaceVirusOnIt(1)}}});
}

}  // namespace openseat::games::netrunner
