#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/cards/effects.h"

namespace openseat::games::netrunner {

void AddNeutralCorp(std::vector<CardDef>& cards) {
  constexpr Side kSide = Side::kCorp;
  constexpr Faction kFaction = Faction::kNeutralCorp;

  cards.push_back({.code = "30067",
                   .title = "Offworld Office",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kAgenda,
                   .subtype_list = {Subtype::kExpansion},
                   .advancement = 4,
                   .points = 2,
                   .influence = 0,
                   .text = "When you score this, gain 7 credits.",
                   .triggers = {{.on = Event::kScored, .when = {If::kItIsThis}, .effect = GainCredits(7)}}});

  cards.push_back({.code = "30068",
                   .title = "Orbital Superiority",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kAgenda,
                   .subtype_list = {Subtype::kSecurity},
                   .advancement = 4,
                   .points = 2,
                   .influence = 0,
                   .text = "When you score this, do 4 meat damage if the Runner is tagged; otherwise give them 1 tag.",
                   .triggers = {{.on = Event::kScored,
                                 .when = {If::kItIsThis},
                                 .effect = When({If::kRunnerTagged}, Damage(DamageKind::kMeat, 4), GiveTags(1))}}});

  const Program message =
      Do(Target("Choose a target for Send a Message", {.from = From::kIce, .unrezzed = true}, 0, 1), RezTargets());
  cards.push_back({.code = "30069",
                   .title = "Send a Message",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kAgenda,
                   .subtype_list = {Subtype::kSecurity},
                   .advancement = 5,
                   .points = 3,
                   .influence = 0,
                   .text = "When this is scored or stolen, the Corp may rez 1 installed ice, ignoring all costs.",
                   .triggers = {{.on = Event::kScored, .when = {If::kItIsThis}, .effect = message},
                                {.on = Event::kStolen, .when = {If::kItIsThis}, .effect = message}}});

  cards.push_back(
      {.code = "30070",
       .title = "Superconducting Hub",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kAgenda,
       .subtype_list = {Subtype::kExpansion},
       .advancement = 3,
       .points = 1,
       .influence = 0,
       .text = "When you score this, you may draw 2 cards. While it is scored: +2 maximum hand size.",
       .triggers = {{.on = Event::kScored, .when = {If::kItIsThis}, .effect = Do(May("Draw 2 cards?"), Draw(2))}},
       .statics = {{.what = Modifier::kHandSize, .amount = 2, .in_score_area = true}}});

  cards.push_back(
      {.code = "30071",
       .title = "Regolith Mining License",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kAsset,
       .cost = 2,
       .trash = 3,
       .influence = 0,
       .text = "Comes with 15 credits when rezzed; trashed when empty. Click: take 3 credits from here.",
       .abilities = {{.label = "Take 3 [Credits] from this asset", .cost = {.clicks = 1}, .effect = TakeCredits(3)}},
       .triggers = {{.on = Event::kRezzed, .when = {If::kItIsThis}, .effect = PlaceCredits(15)}},
       .trashed_when_empty = true});

  cards.push_back({.code = "30072",
                   .title = "Palisade",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kIce,
                   .subtype_list = {Subtype::kBarrier},
                   .cost = 3,
                   .strength = 2,
                   .influence = 0,
                   .text = "+2 strength while protecting a remote server. Subroutine: end the run.",
                   .subroutines = {{"End the run", EndTheRun()}},
                   .statics = {{.what = Modifier::kStrength, .amount = 2, .when = {If::kInRemote}}}});

  cards.push_back(
      {.code = "30073",
       .title = "Tithe",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kIce,
       .subtype_list = {Subtype::kSentry, Subtype::kAp},
       .cost = 1,
       .strength = 1,
       .influence = 0,
       .text = "Subroutines: do 1 net damage; gain 1 credit.",
       .subroutines = {{"Do 1 net damage", Damage(DamageKind::kNet, 1)}, {"Gain 1 [Credits]", GainCredits(1)}}});

  cards.push_back({.code = "30074",
                   .title = "Whitespace",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kIce,
                   .subtype_list = {Subtype::kCodeGate},
                   .cost = 2,
                   .strength = 0,
                   .influence = 0,
                   .text = "Subroutines: the Runner loses 3 credits; end the run if the Runner has 6 credits or fewer.",
                   .subroutines = {{"Make the Runner lose 3 [Credits]", LoseCredits(Who::kRunner, 3)},
                                   {"End the run if the Runner has 6 [Credits] or less",
                                    When({{If::kRunnerCreditsAtMost, 6}}, EndTheRun())}}});

  cards.push_back({.code = "30075",
                   .title = "Hedge Fund",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kOperation,
                   .subtype_list = {Subtype::kTransaction},
                   .cost = 5,
                   .influence = 0,
                   .text = "Gain 9 credits.",
                   .play = GainCredits(9)});

  cards.push_back({.code = "30076",
                   .title = "The Catalyst: Convention Breaker",
                   .side = Side::kRunner,
                   .faction = Faction::kNeutralRunner,
                   .type = CardType::kIdentity,
                   .subtype_list = {Subtype::kNatural},
                   .limit = 1,
                   .min_deck = 30,
                   .text = "No ability; for the teaching decks."});

  cards.push_back({.code = "30077",
                   .title = "The Syndicate: Profit over Principle",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kIdentity,
                   .subtype_list = {Subtype::kMegacorp},
                   .limit = 1,
                   .min_deck = 30,
                   .text = "No ability; for the teaching decks."});
}

}  // namespace openseat::games::netrunner
