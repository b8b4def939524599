// The rules for players.
#pragma once

#include <string_view>

namespace openseat::games::netrunner {

constexpr std::string_view kRulesText =
    R"(Two sides play against each other. The **Corp** has agendas in its deck (R&D), its hand (HQ) and its discard pile
(Archives), and installs them in remote servers to advance and score them. The **Runner** runs servers to steal them. Whoever
first has enough agenda points wins (7; 6 with the beginner decks). The Corp also wins when the Runner takes more damage than
they hold cards; the Runner also wins when the Corp must draw from an empty R&D.

**Corp turn**: 3 clicks; it begins with a mandatory draw. For a click: gain 1 credit (`credit`), draw (`draw`), play an
operation or install a card (`play`, with the `server`: HQ, R&D, Archives, Server 1 …, or New remote), advance an installed
card for 1 credit (`advance`), use a card's click ability (`ability`), trash a resource of a tagged Runner for 2 credits
(`trash-resource`); for 3 clicks: remove all virus counters (`purge`). Agendas and assets go into remotes, one of them in each;
upgrades into any server; ice protects any server and costs 1 credit for each ice there already. Cards are installed facedown.
`rez` pays for assets and upgrades between actions and during runs, and for ice while the Runner approaches it. An agenda with
enough advancement counters may be scored (`score`) in your turn, for no click.

**Runner turn**: 4 clicks. For a click: gain 1 credit, draw, play an event or install a card (`play`), run a server (`run`), use
a card's click ability; for a click and 2 credits: remove a tag (`remove-tag`). Programs need memory; 4 is there at first.

**Runs**: the Runner meets the server's ice from the outermost to the innermost. At each one the Corp may rez it; a rezzed ice is
encountered: the Runner may break its subroutines with icebreakers of the right kind and at least its strength (`ability`; a
second ability of most raises their strength), and all that are not broken happen when the Runner continues. After each ice, and
before the server, the Runner may `jack-out`. When no ice is left the run is successful: the Runner accesses 1 card of HQ at random
or of R&D from the top, all cards of Archives, and all cards in the root of the server. Agendas are stolen; cards with a trash cost
may be trashed for it. `continue` passes in a window of a run.

At the end of the turn (`end-turn`) you discard down to your maximum hand size, 5. Damage trashes cards of the Runner's hand at
random. Cards are named by numbers (`c12`), which change whenever a card goes to another place. A prompt is answered by
`choice` with one of its options, or by `select` with one card after another and, where you may stop, the choice Done.)";

}  // namespace openseat::games::netrunner
