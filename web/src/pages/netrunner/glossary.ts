// The game's terms in our own words, in the order in which one meets them.
export interface Term {
  term: string;
  also?: string[]; // other forms in texts
  text: string;
}

export const glossary: Term[] = [
  { term: 'Click', also: ['clicks'], text: 'One action. The Corp has 3 each turn, the Runner 4. What is not spent is lost.' },
  { term: 'Credit', also: ['credits'], text: 'The money of both sides. Nearly everything costs some.' },
  { term: 'Agenda', also: ['agendas'], text: 'What the game is about. The Corp installs it in a remote server, advances it and scores it; the Runner steals it by accessing it.' },
  { term: 'Agenda points', also: ['agenda point', 'points'], text: 'Printed on agendas. The first side with enough of them (6 or 7) wins.' },
  { term: 'Server', also: ['servers'], text: 'A place that the Runner can run: HQ, R&D and Archives are the central servers; the Corp creates remote servers by installing cards.' },
  { term: 'HQ', text: "The Corp's hand. A run on it accesses one card at random." },
  { term: 'R&D', text: "The Corp's deck. A run on it accesses the top card. If the Corp must draw and it is empty, the Corp loses." },
  { term: 'Archives', text: "The Corp's discard pile. A run on it turns everything faceup and accesses all of it." },
  { term: 'Remote server', also: ['remote', 'remotes'], text: 'Holds one agenda or asset, any number of upgrades, and ice in front. The only place where agendas can be scored.' },
  { term: 'Root', text: 'The place in a server behind its ice, where assets, agendas and upgrades lie.' },
  { term: 'Ice', text: 'Protects a server. It is installed facedown; when the Runner approaches, the Corp may pay to rez it. The outermost is met first.' },
  { term: 'Rez', also: ['rezzed', 'unrezzed', 'rezzes'], text: 'To pay for an installed card of the Corp and turn it faceup. Only then it does something.' },
  { term: 'Subroutine', also: ['subroutines'], text: 'What ice does to the Runner who encounters it. Each that is not broken resolves, from top to bottom.' },
  { term: 'Icebreaker', also: ['icebreakers'], text: 'A program that breaks subroutines of a kind of ice. It must be at least as strong as the ice.' },
  { term: 'Barrier', also: ['barriers'], text: 'Ice that mostly ends the run. Broken by a fracter.' },
  { term: 'Code gate', also: ['code gates'], text: 'Ice that costs or hinders. Broken by a decoder.' },
  { term: 'Sentry', also: ['sentries'], text: 'Ice that hurts. Broken by a killer.' },
  { term: 'Strength', text: 'An icebreaker breaks ice only while its strength is at least that of the ice. Most can pay to become stronger for an encounter.' },
  { term: 'Run', also: ['runs'], text: 'The Runner attacks a server: passes or breaks its ice, from the outside in, then breaches the server and accesses cards.' },
  { term: 'Access', also: ['accesses', 'accessed'], text: 'To look at a card of the Corp. An agenda is stolen; a card with a trash cost may be paid for and trashed.' },
  { term: 'Breach', also: ['breaches'], text: 'To get into a server: the Runner accesses what is there.' },
  { term: 'Jack out', also: ['jacks out'], text: 'To end your own run, before you move on to the next ice or the server.' },
  { term: 'Trash', also: ['trashes', 'trashed'], text: 'To put a card on its owner’s discard pile: Archives, or the heap.' },
  { term: 'Advance', also: ['advancement counter', 'advancement counters', 'advanced', 'advancement'], text: 'The Corp spends a click and a credit to put a counter on a card. An agenda with enough of them can be scored.' },
  { term: 'Score', also: ['scores', 'scored'], text: 'The Corp turns over an agenda that is advanced enough, and has its points.' },
  { term: 'Net damage', text: 'The Runner loses that many cards from the grip, at random. With fewer cards than damage the Runner is flatlined: the Corp wins.' },
  { term: 'Meat damage', text: 'Like net damage.' },
  { term: 'Tag', also: ['tags', 'tagged'], text: 'The Corp knows where the Runner is. It may trash resources, and some cards punish a tag. The Runner pays a click and 2 credits to remove one.' },
  { term: 'Grip', text: "The Runner's hand, which is also what the Runner lives on: damage takes cards from it." },
  { term: 'Stack', text: "The Runner's deck." },
  { term: 'Heap', text: "The Runner's discard pile." },
  { term: 'Rig', text: "The Runner's installed cards: programs, hardware, resources." },
  { term: 'Memory', also: ['MU'], text: 'How many programs the Runner can have installed: 4 to begin with.' },
  { term: 'Virus counter', also: ['virus counters'], text: 'Lies on virus programs and feeds them. The Corp removes all of them with 3 clicks (purge).' },
  { term: 'Asset', text: 'A card in a remote server that works for the Corp once it is rezzed.' },
  { term: 'Upgrade', text: 'A card in the root of any server that helps to defend or use it.' },
  { term: 'Operation', text: "The Corp's cards that happen once and are trashed." },
  { term: 'Event', text: "The Runner's cards that happen once and are trashed." },
  { term: 'Resource', text: 'A contact or place that helps the Runner. The Corp can trash it while the Runner is tagged.' },
  { term: 'Ambush', text: 'A card that hurts the Runner who accesses it.' },
];

const byWord = new Map(glossary.flatMap((entry) => [entry.term, ...(entry.also ?? [])].map((word) => [word.toLowerCase(), entry] as const)));
export const termOf = (word: string): Term | undefined => byWord.get(word.toLowerCase());

const words = new RegExp(`\\b(${[...byWord.keys()].sort((a, b) => b.length - a.length).map((word) => word.replace('&', '\\&')).join('|')})\\b`, 'gi');
// The sentence in parts; those that are terms have one. A term is marked once.
export function glossedParts(sentence: string): { text: string; term?: string }[] {
  const marked = new Set<Term>();
  return sentence
    .split(words)
    .filter((part) => part !== '')
    .map((text) => {
      const entry = termOf(text);
      if (!entry || marked.has(entry)) return { text };
      marked.add(entry);
      return { text, term: entry.term };
    });
}
