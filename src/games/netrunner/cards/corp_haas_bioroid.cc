#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/cards/effects.h"

namespace openseat::games::netrunner {

void AddHaasBioroid(std::vector<CardDef>& cards) {
  constexpr Side kSide = Side::kCorp;
  constexpr Faction kFaction = Faction::kHaasBioroid;

  cards.push_back({.code = "30035",
                   .title = "Haas-Bioroid: Precision Design",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kIdentity,
                   .subtype_list = {Subtype::kMegacorp},
                   .limit = 1,
                   .min_deck = 40,
                   .influence_limit = 15,
                   .text = "+1 maximum hand size. When you score an agenda, you may add 1 card from Archives to HQ.",
                   .triggers = {{.on = Event::kScored,
                                 .effect = Do(Target("Choose a card to add to HQ", {.from = From::kArchives}, 0, 1),
                                              TargetsToHand())}},
                   .statics = {{.what = Modifier::kHandSize}}});

  cards.push_back({.code = "30036",
                   .title = "Luminal Transubstantiation",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kAgenda,
                   .subtype_list = {Subtype::kResearch},
                   .advancement = 3,
                   .points = 2,
                   .limit = 1,
                   .text = "When you score this, gain 3 clicks. You cannot score agendas for the rest of this turn.",
                   .triggers = {{.on = Event::kScored,
                                 .when = {If::kItIsThis},
                                 .effect = Do(GainClicks(3), Linger(Modifier::kCannotScore, 1, Until::kTurnEnds))}}});

  cards.push_back(
      {.code = "30037",
       .title = "Nico Campaign",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kAsset,
       .subtype_list = {Subtype::kAdvertisement},
       .cost = 2,
       .trash = 2,
       .influence = 2,
       .text =
           "Comes with 9 credits when rezzed. When your turn begins, take 3 credits from here; when it is empty, trash "
           "it and draw 1 card.",
       .triggers = {{.on = Event::kRezzed, .when = {If::kItIsThis}, .effect = PlaceCredits(9)},
                    {.on = Event::kTurnBegins,
                     .when = {If::kOwnTurn},
                     .effect = Do(TakeCredits(3), When({If::kNoCreditsHere}, Do(TrashThis(), Draw(1))))}}});

  cards.push_back(
      {.code = "30038",
       .title = "Ansel 1.0",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kIce,
       .subtype_list = {Subtype::kSentry, Subtype::kBioroid, Subtype::kDestroyer},
       .cost = 6,
       .strength = 4,
       .influence = 3,
       .text =
           "The Runner can lose a click to break a subroutine of this ice. Subroutines: trash 1 installed Runner card; "
           "you may install 1 card from HQ or Archives; the Runner cannot steal or trash Corp cards for the rest of "
           "this run.",
       .subroutines =
           {{"Trash an installed Runner card",
             Do(Target("Choose an installed card to trash", {.from = From::kRunnerInstalled}, 1, 1), TrashTargets())},
            {"Install a card from HQ or Archives", Do(Target("Choose a card to install from HQ or Archives",
                                                             {.from = From::kHqOrArchives, .installable = true}, 0, 1),
                                                      InstallTargets())},
            {"The Runner cannot steal or trash Corp cards for the remainder of this run", CannotStealOrTrash()}},
       .breaks_by_clicks = true});

  cards.push_back({.code = "30039",
                   .title = "Brân 1.0",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kIce,
                   .subtype_list = {Subtype::kBarrier, Subtype::kBioroid},
                   .cost = 6,
                   .strength = 6,
                   .influence = 2,
                   .text = "The Runner can lose a click to break a subroutine of this ice. Subroutines: you may "
                           "install 1 ice from HQ or Archives directly inward of this one at no cost; end the run; end "
                           "the run.",
                   .subroutines = {{"Install an ice from HQ or Archives",
                                    Do(Target("Choose an ice to install from Archives or HQ",
                                              {.from = From::kHqOrArchives, .types = TypeBit(CardType::kIce)}, 0, 1),
                                       InstallTargetsInward())},
                                   {"End the run", EndTheRun()},
                                   {"End the run", EndTheRun()}},
                   .breaks_by_clicks = true});

  cards.push_back({.code = "30040",
                   .title = "Seamless Launch",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kOperation,
                   .cost = 1,
                   .influence = 2,
                   .text = "Place 2 advancement counters on 1 installed card that you did not install this turn.",
                   .play = Do(Target("Place 2 advancement counters on an installed card",
                                     {.from = From::kCorpInstalled, .not_this_turn = true}, 1, 1),
                              AdvanceTargets(2))});

  cards.push_back({.code = "30041",
                   .title = "Sprint",
                   .side = kSide,
                   .faction = kFaction,
                   .type = CardType::kOperation,
                   .cost = 0,
                   .influence = 1,
                   .text = "Draw 3 cards, then shuffle 2 cards from HQ into R&D.",
                   .play = Do(Draw(3), Target("Choose 2 cards in HQ to shuffle into R&D", {.from = From::kHq}, 2, 2),
                              ShuffleTargetsIntoDeck())});

  cards.push_back(
      {.code = "30042",
       .title = "Manegarm Skunkworks",
       .side = kSide,
       .faction = kFaction,
       .type = CardType::kUpgrade,
       .unique = true,
       .cost = 2,
       .trash = 3,
       .influence = 3,
       .text = "Whenever the Runner approaches this server, end the run unless they spend 2 clicks or pay 5 "
               "credits.",
       .triggers = {
           {.on = Event::kApproachServer,
            .when = {If::kRunHere},
            .effect = Choose(Who::kRunner, "Choose one",
                             {{"Spend [Click][Click]", LoseClicks(Who::kRunner, 2), {{If::kRunnerClicksAtLeast, 2}}},
                              {"Pay 5 [Credits]", PayCredits(Who::kRunner, 5), {{If::kRunnerCanPay, 5}}},
                              {"End the run", EndTheRun()}})}}});
}

}  // namespace openseat::games::netrunner
