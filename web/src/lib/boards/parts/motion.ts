// Pieces with an id are seen to move: each goes from where it was to where it is.
const kMs = 260;
const kMost = 40; // if more have moved, none is animated

export type Places = Map<string, DOMRect>;

export const wantsMotion = (): boolean => typeof Element.prototype.animate === 'function' && !matchMedia('(prefers-reduced-motion: reduce)').matches;

const pieces = (root: HTMLElement): HTMLElement[] => [...root.querySelectorAll<HTMLElement>('[data-piece]')];

export function placesIn(root: HTMLElement | undefined): Places {
  return new Map(root && wantsMotion() ? pieces(root).map((element) => [element.dataset.piece ?? '', element.getBoundingClientRect()]) : []);
}

export function moveFrom(before: Places, root: HTMLElement): void {
  if (before.size === 0) return;
  const moved = pieces(root).flatMap((element) => {
    const from = before.get(element.dataset.piece ?? '');
    const to = element.getBoundingClientRect();
    const [x, y] = from ? [from.x - to.x, from.y - to.y] : [0, 0];
    return Math.abs(x) + Math.abs(y) > 2 ? [{ element, x, y }] : [];
  });
  if (moved.length > kMost) return;
  for (const { element, x, y } of moved) {
    element.animate([{ transform: `translate(${x}px, ${y}px)`, zIndex: 5 }, { transform: 'none', zIndex: 5 }], { duration: kMs, easing: 'ease-out' });
  }
}
