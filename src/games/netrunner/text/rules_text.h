// The rules for players.
#pragma once

#include <string_view>

namespace openseat::games::netrunner {

constexpr std::string_view kRulesText =
    R"(Two sides play against each other. The **Corp** installs agendas in remote servers, advances them behind ice and scores them. The
**Runner** makes runs on servers to steal them. The first side with enough agenda points wins (7; 6 with the beginner decks). The
Corp also wins when the Runner takes more damage than they have cards in hand; the Runner also wins when the Corp must draw from
an empty deck.

**Servers**: the Corp's deck is R&D, its hand HQ and its discard pile Archives: the central servers. It makes remote servers (Server 1,
Server 2 …) by installing cards. Ice protects a server; other cards are in it, or in the root of a central one.

**Corp turn**: a mandatory draw, then 3 clicks. For 1 click: gain 1 credit; draw 1 card; play an operation; install a card; advance an
agenda, or a card that says so (and 1 credit); use a click ability of a card; trash a resource of a tagged Runner (and 2 credits). For 3 clicks:
remove all virus counters. A remote server holds one agenda or asset: installing another trashes it. Upgrades go into any
server. Ice costs 1 credit for each ice that protects the server already. Cards are installed facedown. To use one, rez it
for its cost: assets and upgrades between actions and during runs, ice only while the Runner approaches it. Agendas are not rezzed:
one with enough advancement counters can be scored in your turn, without a click.

**Runner turn**: 4 clicks. For 1 click: gain 1 credit; draw 1 card; play an event or install a card (and its cost); run a server; use
a click ability of a card; remove 1 tag (and 2 credits). Programs need memory; you start with 4.

**Runs**: the Runner meets the ice of the server from the outermost to the innermost. The Corp may rez each one as it is approached.
Rezzed ice is encountered: icebreakers that have at least its strength and break its kind (barrier, code gate, sentry) can break its
subroutines; most can raise their strength. Then the unbroken subroutines take effect. After each ice the Runner may
jack out, which ends the run. When no ice is left, the run is successful, and the Runner accesses cards: 1 random card of HQ, the top
card of R&D or all of Archives, and all cards in the server or its root. Accessed agendas are stolen; a card with a trash cost may be
trashed for it.

**Limits**: at the end of your turn you discard down to 5 cards in hand. Each point of damage trashes a random card of the Runner's
hand. Cards are selected one at a time; where you may stop, choose Done. Installed cards have numbers (`c12`), which tell those of
the same name apart.)";

constexpr std::string_view kGuideText =
    R"(**Both sides**: credits and clicks are time. Before you spend, say what the turn is for: money, cards, or points. A
card or a credit for a click is the price to compare everything with. Read every choice's words: they say what it
costs and what can hurt you.

**As the Corp**

- Keep a hand that has ice and a way to money. First put a piece of ice in front of HQ and one in front of R&D, then
  one in front of a remote server.
- Have the credits to rez your ice before the Runner comes: ice that you cannot pay for does not exist. Rez when it
  stops the run or costs more than the ice did, not only because you can.
- Score in a window: when the Runner has few credits, has not found the breaker for the kind of ice in front of your
  remote server, or must spend a turn elsewhere. An agenda that needs three advancements is installed and advanced
  twice, or once, when a run on it is too dear.
- Leave no agenda where a run costs nothing. Too many in hand: protect HQ first, or score one.
- A Runner with few cards in hand can be killed: count damage. A tag lets you trash resources, and some cards punish
  it.
- Remove virus counters when they would win an access or break your ice for nothing.

**As the Runner**

- Early on run where there is no ice: it makes the Corp spend, and finds agendas. Look at R&D and HQ while they are
  open.
- Before a run count: what can the ice be, what does breaking each one cost, what is left for trashing? A run on a
  server that you cannot get into is worth it only to make the Corp rez.
- Have one breaker of each kind before you meet unknown ice late in the game, or be able to take what its
  subroutines do.
- End a turn with at least three cards in hand where the Corp may damage you, and never run last with one card
  against damage you know of. Remove tags that will be used.
- A card that is advanced in a remote server is an agenda, or a trap that wants to be accessed: check hand and
  credits, then go.
- Trash assets that pay every turn when it is cheap. Late in the game, several accesses of R&D are the surest
  points.)";

}  // namespace openseat::games::netrunner
