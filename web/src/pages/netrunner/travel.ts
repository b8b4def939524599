// Cards that travel: a card that was in one place and is in another is seen to move there. A copy of its tile
// travels, which nobody can use; the tile itself is where it belongs at once. Nothing moves for those who do not want
// motion (prefers-reduced-motion).
import { sides, type Card } from './state';

export interface Tile {
  element: HTMLElement;
  at: DOMRect;
}

const kMostTravelers = 8; // if more have moved (a new game, a jump in a replay), none is animated
const kTravelMs = 360;

// A card that changes its zone is a new object to the viewer: the new one's id, and what it was before. A card that is
// known is the one with the same code; one that is not, the only one of its side that is missing.
export function formerOf(before: Map<string, Card>, after: Map<string, Card>): Map<string, string> {
  const gone = [...before].filter(([cid]) => !after.has(cid));
  const came = [...after].filter(([cid]) => !before.has(cid));
  const former = new Map<string, string>();
  const taken = new Set<string>();
  const pair = (match: (now: Card, then: Card) => boolean, alone: boolean) => {
    for (const [cid, now] of came) {
      if (former.has(cid)) continue;
      const found = gone.filter(([one, then]) => !taken.has(one) && now.side === then.side && match(now, then));
      const old = found[0]?.[0];
      if (old === undefined || (alone && found.length > 1)) continue;
      former.set(cid, old);
      taken.add(old);
    }
  };
  pair((now, then) => now.code !== undefined && now.code === then.code, false);
  pair((now, then) => now.code === undefined || then.code === undefined, true);
  return former;
}

export function tilesIn(root: HTMLElement): Map<string, Tile> {
  const tiles = new Map<string, Tile>();
  for (const element of root.querySelectorAll<HTMLElement>('.tile[data-cid]')) {
    const cid = element.dataset.cid ?? '';
    if (!tiles.has(cid)) tiles.set(cid, { element, at: element.getBoundingClientRect() });
  }
  return tiles;
}

export const wantsMotion = (): boolean => typeof Element.prototype.animate === 'function' && !matchMedia('(prefers-reduced-motion: reduce)').matches;

// From where the tiles were to where they are now; a card without a tile on either end is with its side's figures.
export function travel(root: HTMLElement, tiles: Map<string, Tile>, before: Map<string, Card>, after: Map<string, Card>): void {
  const now = tilesIn(root);
  const former = formerOf(before, after);
  const left = new Set(former.values());
  const bar = (card: Card): DOMRect | undefined => {
    const side = sides.find((each) => each === card.side.toLowerCase());
    return root.querySelector(`[data-side=${side}] [data-stat=hand]`)?.getBoundingClientRect();
  };
  const journeys: { element: HTMLElement; from: DOMRect; to: DOMRect }[] = [];
  for (const [cid, card] of after) {
    if (before.has(cid)) continue;
    const then = tiles.get(former.get(cid) ?? '');
    const tile = now.get(cid);
    const from = then?.at ?? bar(card);
    const to = tile?.at ?? bar(card);
    const element = tile?.element ?? then?.element;
    if (element && from && to && (then || tile)) journeys.push({ element, from, to });
  }
  for (const [cid, card] of before) {
    const then = tiles.get(cid);
    const to = bar(card);
    if (!after.has(cid) && !left.has(cid) && then && to) journeys.push({ element: then.element, from: then.at, to });
  }
  if (journeys.length > kMostTravelers) return;
  for (const journey of journeys) show(root, journey.element, journey.from, journey.to);
}

function show(root: HTMLElement, element: HTMLElement, from: DOMRect, to: DOMRect): void {
  const copy = element.cloneNode(true) as HTMLElement;
  delete copy.dataset.cid;
  delete copy.dataset.legal;
  copy.dataset.travels = '';
  copy.inert = true;
  copy.setAttribute('aria-hidden', 'true');
  const { width, height } = element.isConnected ? to : from;
  Object.assign(copy.style, { position: 'fixed', left: '0', top: '0', width: `${width}px`, height: `${height}px`, margin: '0', zIndex: '30', pointerEvents: 'none', transformOrigin: '0 0' });
  const at = (rect: DOMRect) => `translate(${rect.left}px, ${rect.top}px) scale(${Math.min(1, rect.height / height) || 1})`;
  root.append(copy);
  const away = () => copy.remove();
  const animation = copy.animate([{ transform: at(from) }, { transform: at(to) }], { duration: kTravelMs, easing: 'ease-in-out' });
  animation.onfinish = away;
  animation.oncancel = away;
}
