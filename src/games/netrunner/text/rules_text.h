// The rules for players.
#pragma once

#include <string_view>

namespace openseat::games::netrunner {

constexpr std::string_view kRulesText =
    R"(Two sides play against each other. The **Corp** has agendas in its deck (R&D), its hand (HQ) and its discard pile
(Archives), and installs them in remote servers to advance and score them. The **Runner** runs servers to steal them. The first
side with enough agenda points wins (7; 6 with the beginner decks). The Corp also wins when the Runner takes more damage than they
have cards in hand; the Runner also wins when the Corp must draw from an empty R&D.

**Corp turn**: 3 clicks; it begins with a mandatory draw. For 1 click: gain 1 credit (`credit`), draw (`draw`), play an
operation or install a card (`play`, with the `server`: HQ, R&D, Archives, Server 1 …, or New remote), advance an installed
card for 1 credit (`advance`), use a card's click ability (`ability`), trash a resource of a tagged Runner for 2 credits
(`trash-resource`). For 3 clicks: remove all virus counters (`purge`). Agendas and assets are installed in remotes, one per remote;
upgrades in any server; ice protects any server and costs 1 credit for each ice already there. Cards are installed facedown.
Use `rez` to pay for assets and upgrades between actions and during runs, and for ice while the Runner approaches it. An agenda
with enough advancement counters can be scored (`score`) on your turn, without a click.

**Runner turn**: 4 clicks. For 1 click: gain 1 credit, draw, play an event or install a card (`play`), run a server (`run`), use
a card's click ability. For 1 click and 2 credits: remove a tag (`remove-tag`). Programs need memory; you start with 4.

**Runs**: the Runner meets the server's ice from the outermost to the innermost. The Corp may rez each one as it is approached.
Rezzed ice is encountered: the Runner may break its subroutines with icebreakers of the right kind that have at least its strength
(`ability`; on most icebreakers, a second ability raises their strength). Unbroken subroutines resolve when the Runner continues.
After each ice, and before the server, the Runner may `jack-out`. When no ice is left, the run is successful: the Runner accesses 1
random card in HQ, or the top card of R&D, or all cards in Archives, and all cards in the root of the server. Agendas are stolen.
Cards with a trash cost may be trashed by paying it. `continue` passes in a window of a run.

At the end of your turn (`end-turn`), you discard down to your maximum hand size, 5. Damage trashes random cards from the Runner's
hand. Cards are identified by numbers (`c12`), which change whenever a card moves to another place. Answer a prompt with
`choice` and one of its options, or with `select` for one card after another and, if you may stop, the choice Done.)";

}  // namespace openseat::games::netrunner
