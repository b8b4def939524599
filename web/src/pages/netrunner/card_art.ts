// A card's picture, composed from what it is and does: behind, its faction's scene; in the middle, the emblem of its type;
// around it, signs of its effects. The same card always gets the same picture, and no two cards the same.
export interface Artist {
  code: string;
  type: string;
  faction?: string;
  subtypes?: string[];
  text?: string;
  points?: number;
}
// `tone`: how near to the faction's color; the component knows the colors.
export type Tone = 'far' | 'back' | 'main' | 'light' | 'deep' | 'face';
export interface Stroke {
  d: string;
  tone: Tone;
  line?: number; // its width; otherwise it is filled
  place?: string; // a transform
  opacity?: number;
}

// A small generator of numbers in [0, 1), the same for a code each time (mulberry32).
export function random(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

type Next = () => number;
const round = (n: number) => Math.round(n * 10) / 10;
const circle = (x: number, y: number, r: number) => `M${round(x - r)} ${round(y)}a${round(r)} ${round(r)} 0 1 0 ${round(2 * r)} 0a${round(r)} ${round(r)} 0 1 0 ${round(-2 * r)} 0z`;
function polygon(x: number, y: number, r: number, corners: number, turn: number, inner = 1): string {
  const count = inner === 1 ? corners : corners * 2;
  const points = Array.from({ length: count }, (_, i) => {
    const angle = turn + (i * 2 * Math.PI) / count;
    const far = i % 2 === 0 ? r : r * inner;
    return `${round(x + far * Math.cos(angle))} ${round(y + far * Math.sin(angle))}`;
  });
  return `M${points.join('L')}Z`;
}
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

// --- Behind: where the card's faction is at home ---

const scenes: Record<string, (next: Next) => Stroke[]> = {
  // Torn strokes across everything.
  Anarch: (next) =>
    times(7, (i) => {
      const x = -20 + i * 19 + 10 * next();
      const width = 4 + 9 * next();
      return { d: `M${round(x)} 64L${round(x + 30)} -4h${round(width)}L${round(x + width - 4)} 64z`, tone: i % 2 ? 'back' : 'far', opacity: 0.5 + 0.5 * next() };
    }),
  // A street of lit signs at night.
  Criminal: (next) =>
    times(11, (i) => {
      const height = 14 + 40 * next();
      return { d: `M${round(i * 9.4)} 60v${-round(height)}h7v${round(height)}z`, tone: next() > 0.6 ? 'back' : 'far' };
    }),
  // Growing rings.
  Shaper: (next) => {
    const x = 15 + 70 * next();
    const y = 10 + 40 * next();
    return times(6, (i) => ({ d: circle(x, y, 10 + i * 13), tone: i % 2 ? 'back' : 'far', line: 4 + 2 * next() }));
  },
  // A honeycomb.
  'Haas-Bioroid': (next) =>
    times(28, (i) => {
      const row = Math.floor(i / 7);
      return { d: polygon(4 + (i % 7) * 16 + (row % 2) * 8, 6 + row * 16, 8, 6, Math.PI / 6), tone: next() > 0.5 ? ('back' as const) : ('far' as const) };
    }),
  // Waves and a low sun.
  Jinteki: (next) => [
    { d: circle(20 + 60 * next(), 16 + 8 * next(), 13), tone: 'back' },
    ...times(5, (i) => {
      const y = 24 + i * 9;
      const bend = 6 + 7 * next();
      return { d: `M-4 ${y}q13 ${-round(bend)} 26 0t26 0t26 0t26 0t26 0V66H-4z`, tone: i % 2 ? ('far' as const) : ('back' as const), opacity: 0.55 };
    }),
  ],
  // Something on every channel.
  NBN: (next) => {
    const x = 100 * next();
    return [...times(6, (i) => ({ d: circle(x, 62, 14 + i * 13), tone: (i % 2 ? 'back' : 'far') as Tone, line: 5 })), ...times(8, (i) => ({ d: `M0 ${round(4 + i * 7.4)}h100`, tone: 'far' as const, line: 1, opacity: 0.6 }))];
  },
  // Rock and steel, layer upon layer.
  'Weyland Consortium': (next) =>
    times(5, (i) => {
      const y = 12 + i * 11;
      const a = 8 * next();
      return { d: `M-2 ${round(y + a)}L24 ${round(y - 5 * next())}L52 ${round(y + 6 * next())}L78 ${round(y - 6 * next())}L102 ${round(y + 4 * next())}V62H-2z`, tone: i % 2 ? 'back' : 'far', opacity: 0.75 };
    }),
  Neutral: (next) => [
    { d: 'M-2 38h104v24H-2z', tone: 'back' },
    ...times(9, (i) => ({ d: `M50 38L${round(-60 + i * 27 + 4 * next())} 62`, tone: 'far' as const, line: 1.4 })),
    ...times(4, (i) => ({ d: `M-2 ${round(41 + i * i * 1.9)}h104`, tone: 'far' as const, line: 1.2 })),
  ],
};

// --- In the middle: what kind of card it is. Drawn around (0, 0), about 44 wide and high ---

const emblems = {
  barrier: (): Stroke[] => [
    { d: 'M-25 -17h50v34h-50z', tone: 'deep' },
    ...times(4, (row) => times(3, (i) => ({ d: `M${-24 + i * 16.6 + (row % 2 ? -7 : 0)} ${-15.4 + row * 8}h14.4v6.200h-14.4z`, tone: ((row + i) % 3 ? 'main' : 'light') as Tone }))).flat(),
  ],
  gate: (): Stroke[] => [
    { d: 'M-22 22V-2a22 22 0 0 1 44 0V22h-10V-2a12 12 0 0 0 -24 0V22z', tone: 'main' },
    { d: 'M-12 22V-2a12 12 0 0 1 24 0V22z', tone: 'deep' },
    { d: `${circle(0, 2, 4.5)}M-2.400 3h4.800l2.400 12h-9.600z`, tone: 'light' },
  ],
  sentry: (): Stroke[] => [
    { d: 'M-27 0Q0 -27 27 0Q0 27 -27 0z', tone: 'deep' },
    { d: 'M-22 0Q0 -20 22 0Q0 20 -22 0z', tone: 'light' },
    { d: circle(0, 0, 9), tone: 'main' },
    { d: 'M0 -8L2.500 0L0 8L-2.500 0z', tone: 'face' },
    { d: 'M-16 -15l-5 -7M0 -19v-6M16 -15l5 -7M-16 15l-5 7M0 19v6M16 15l5 7', tone: 'main', line: 3 },
  ],
  agenda: (next: Next, points = 2): Stroke[] => [
    { d: polygon(0, 0, 25, 5 + Math.floor(4 * next()), -Math.PI / 2, 0.55 + 0.15 * next()), tone: 'deep' },
    { d: polygon(0, 0, 18, 6, Math.PI / 6), tone: 'main' },
    ...times(points, (i) => ({ d: polygon((i - (points - 1) / 2) * 10, 0, 5.5, 5, -Math.PI / 2, 0.45), tone: 'face' as const })),
  ],
  asset: (next: Next): Stroke[] => [
    { d: `M-22 22V${round(-4 - 8 * next())}h12V${round(-14 - 8 * next())}h13V${round(-2 - 8 * next())}h19V22z`, tone: 'deep' },
    ...times(12, (i) => ({ d: `M${-18 + (i % 6) * 6.4} ${4 + Math.floor(i / 6) * 8}h3.600v4.400h-3.600z`, tone: (next() > 0.4 ? 'light' : 'main') as Tone })),
  ],
  upgrade: (): Stroke[] => [
    { d: 'M-23 16L0 4L23 16L0 28z', tone: 'deep' },
    { d: 'M-23 6L0 -6L23 6L0 18z', tone: 'main' },
    { d: 'M-23 -4L0 -16L23 -4L0 8z', tone: 'light' },
    { d: 'M0 -5v-19M-6 -18L0 -24L6 -18', tone: 'deep', line: 3 },
  ],
  operation: (): Stroke[] => [
    { d: 'M-16 -23h24l9 9v37h-33z', tone: 'light' },
    { d: 'M8 -23v9h9z', tone: 'deep' },
    { d: 'M-10 -10h14M-10 -2h20M-10 6h20M-10 14h12', tone: 'deep', line: 2.6 },
  ],
  event: (): Stroke[] => [
    { d: polygon(0, 0, 27, 9, 0, 0.6), tone: 'main' },
    { d: 'M5 -24L-13 3H-2L-6 24L14 -6H2z', tone: 'face' },
  ],
  hardware: (): Stroke[] => [
    { d: 'M-24 -10h48M-24 0h48M-24 10h48M-10 -24v48M0 -24v48M10 -24v48', tone: 'deep', line: 2.6 },
    { d: 'M-17 -17h34v34h-34z', tone: 'main' },
    { d: 'M-9 -9h18v18h-18z', tone: 'light' },
  ],
  console: (): Stroke[] => [
    { d: 'M-25 -20h50v31h-50z', tone: 'deep' },
    { d: 'M-21 -16h42v23h-42z', tone: 'light' },
    { d: 'M-16 -9l6 4.500l-6 4.500M-6 1h11', tone: 'deep', line: 2.6 },
    { d: 'M-14 22h28l-4 -9h-20z', tone: 'main' },
  ],
  fracter: (): Stroke[] => [
    { d: 'M-24 20L0 -25L24 20H11L0 -2L-11 20z', tone: 'main' },
    { d: 'M-20 -14l8 5M20 -14l-8 5M-26 -2l9 3M26 -2l-9 3', tone: 'deep', line: 3 },
    { d: 'M0 -25L24 20H11L0 -2z', tone: 'light' },
  ],
  decoder: (): Stroke[] => [
    { d: circle(-11, 0, 12), tone: 'main', line: 6 },
    { d: 'M0 -3h26v13h-6v-7h-4v5h-5v-5H0z', tone: 'main' },
    { d: circle(-11, 0, 4), tone: 'light' },
  ],
  killer: (): Stroke[] => [
    { d: 'M0 -27L7 8H-7z', tone: 'light', place: 'rotate(38)' },
    { d: 'M0 -27V8H-7z', tone: 'main', place: 'rotate(38)' },
    { d: 'M-12 8h24v4h-24zM-3 12h6v12h-6z', tone: 'deep', place: 'rotate(38)' },
  ],
  mask: (): Stroke[] => [
    { d: 'M-20 -16Q0 -28 20 -16Q20 12 0 25Q-20 12 -20 -16z', tone: 'main' },
    { d: 'M0 -22Q14 -22 20 -16Q20 12 0 25z', tone: 'light' },
    { d: 'M-13 -5q6 -5 10 0q-5 5 -10 0zM3 -5q6 -5 10 0q-5 5 -10 0z', tone: 'deep' },
    { d: 'M-6 12h12', tone: 'deep', line: 2.4 },
  ],
  virus: (next: Next): Stroke[] => [
    ...times(10, (i) => {
      const angle = (i * Math.PI) / 5 + next() * 0.3;
      const far = 22 + 4 * next();
      return { d: `M0 0L${round(far * Math.cos(angle))} ${round(far * Math.sin(angle))}`, tone: 'deep' as const, line: 3 };
    }),
    { d: circle(0, 0, 14), tone: 'main' },
    { d: circle(-4, -4, 4), tone: 'light' },
    { d: circle(5, 4, 2.6), tone: 'deep' },
  ],
  program: (next: Next): Stroke[] => {
    const nodes = times(6, (i) => ({ x: 20 * Math.cos(i * 1.05 + next()), y: 18 * Math.sin(i * 1.05 + next()) }));
    return [
      { d: nodes.map(({ x, y }) => `M0 0L${round(x)} ${round(y)}`).join(''), tone: 'deep', line: 2.6 },
      ...nodes.map(({ x, y }, i) => ({ d: circle(x, y, 4.4), tone: (i % 2 ? 'main' : 'light') as Tone })),
      { d: circle(0, 0, 7), tone: 'main' },
    ];
  },
  people: (): Stroke[] => [
    { d: `${circle(-9, -9, 8)}M-24 22q0 -20 15 -20t15 20z`, tone: 'deep' },
    { d: `${circle(9, -5, 8)}M-6 24q0 -19 15 -19t15 19z`, tone: 'main' },
    { d: circle(9, -5, 4), tone: 'light' },
  ],
  briefcase: (): Stroke[] => [
    { d: 'M-8 -12v-6h16v6', tone: 'deep', line: 4 },
    { d: 'M-24 -12h48v32h-48z', tone: 'main' },
    { d: 'M-24 0h48v5h-48z', tone: 'deep' },
    { d: 'M-4 -3h8v10h-8z', tone: 'light' },
  ],
  place: (): Stroke[] => [
    { d: 'M0 25L-17 -1a17 17 0 1 1 34 0z', tone: 'main' },
    { d: circle(0, -6, 8), tone: 'light' },
    { d: 'M-22 25h44', tone: 'deep', line: 3 },
  ],
  crest: (next: Next): Stroke[] => [
    { d: 'M0 -26L23 -17V2C23 15 13 22 0 27C-13 22 -23 15 -23 2V-17z', tone: 'deep' },
    { d: polygon(0, -1, 15, 3 + Math.floor(5 * next()), next() * 2), tone: 'main' },
    { d: polygon(0, -1, 8, 3 + Math.floor(5 * next()), next() * 2), tone: 'light' },
  ],
};

function emblem({ type, subtypes = [], points }: Artist, next: Next): Stroke[] {
  const is = (...names: string[]) => names.some((name) => subtypes.includes(name));
  switch (type) {
    case 'ICE':
      return is('Barrier') ? emblems.barrier() : is('Code Gate') ? emblems.gate() : emblems.sentry();
    case 'Agenda':
      return emblems.agenda(next, points);
    case 'Asset':
      return is('Ambush') ? emblems.mask() : is('Character') ? emblems.people() : emblems.asset(next);
    case 'Upgrade':
      return emblems.upgrade();
    case 'Operation':
      return emblems.operation();
    case 'Event':
      return emblems.event();
    case 'Hardware':
      return is('Console') ? emblems.console() : emblems.hardware();
    case 'Program':
      if (is('AI')) return emblems.mask();
      if (is('Fracter')) return emblems.fracter();
      if (is('Decoder')) return emblems.decoder();
      if (is('Killer')) return emblems.killer();
      return is('Virus') ? emblems.virus(next) : emblems.program(next);
    case 'Resource':
      return is('Connection') ? emblems.people() : is('Job') ? emblems.briefcase() : emblems.place();
    default:
      return emblems.crest(next);
  }
}

// --- Around it: what it does ---

const signs: [RegExp, () => Stroke[]][] = [
  [/end the run/i, () => [{ d: polygon(0, 0, 8, 8, Math.PI / 8), tone: 'main' }, { d: 'M-4 0h8', tone: 'face', line: 2.6 }]],
  [/damage/i, () => [{ d: 'M0 -9q8 10 8 13a8 7 0 0 1 -16 0q0 -3 8 -13z', tone: 'deep' }, { d: 'M-3 4a4 4 0 0 0 4 4', tone: 'face', line: 1.8 }]],
  [/\btags?\b/i, () => [{ d: circle(0, 0, 6), tone: 'deep', line: 2.2 }, { d: 'M0 -10v7M0 10v-7M-10 0h7M10 0h-7', tone: 'deep', line: 2.2 }]],
  [/virus counter/i, () => [{ d: circle(-4, 2, 3.4) + circle(4, 4, 2.6) + circle(2, -4, 3), tone: 'deep' }]],
  [/gain \d|take \d|comes with|credits/i, () => [{ d: circle(0, 0, 7.5), tone: 'light' }, { d: circle(0, 0, 7.5), tone: 'deep', line: 1.8 }, { d: 'M3 -2.500A4 4 0 1 0 3 2.500', tone: 'deep', line: 2 }]],
  [/\bdraw/i, () => [{ d: 'M-8 -5h9v13h-9z', tone: 'deep', place: 'rotate(-14)' }, { d: 'M-2 -6h9v13h-9z', tone: 'light', place: 'rotate(8)' }]],
  [/advanc/i, () => [{ d: 'M-7 3L0 -6L7 3M-7 10L0 1L7 10', tone: 'deep', line: 2.8 }]],
  [/strength/i, () => [{ d: 'M-8 7L0 -8L8 7z', tone: 'deep' }, { d: 'M-3 5L0 -1L3 5z', tone: 'light' }]],
  [/access|breach/i, () => [{ d: circle(-2, -2, 5.5), tone: 'deep', line: 2.4 }, { d: 'M2.500 2.500L8 8', tone: 'deep', line: 3 }]],
  [/search|shuffle|r&d|stack/i, () => [{ d: 'M-9 2L0 -2L9 2L0 6zM-9 -3L0 -7L9 -3L0 1z', tone: 'deep' }]],
  [/\binstall/i, () => [{ d: 'M-7 -7h14v14h-14z', tone: 'light' }, { d: 'M0 -4v8M-4 0h8', tone: 'deep', line: 2.4 }]],
  [/trash/i, () => [{ d: 'M-6 -6L6 6M6 -6L-6 6', tone: 'deep', line: 3 }]],
  [/memory/i, () => [{ d: 'M-6 -6h12v12h-12z', tone: 'deep' }, { d: 'M-9 -3h3M-9 3h3M9 -3h-3M9 3h-3', tone: 'deep', line: 1.8 }]],
  [/click/i, () => [{ d: circle(0, 0, 7), tone: 'deep', line: 2 }, { d: 'M0 -4V0l3 2', tone: 'deep', line: 2 }]],
];

const drawn = new Map<string, Stroke[]>();

export function compose(card: Artist): Stroke[] {
  const key = `${card.code} ${card.faction ?? ''} ${card.text?.length ?? 0}`;
  const kept = drawn.get(key);
  if (kept) return kept;
  const next = random(Number(card.code.replace(/\D/g, '')) || 1);
  const scene = scenes[card.faction ?? ''] ?? scenes.Neutral!;
  const meant = signs.filter(([what]) => what.test(card.text ?? '')).slice(0, 3);
  // The emblem stands to one side where signs need the other.
  const left = next() > 0.5;
  // All of it lies within the middle 60 of 100, which an upright card shows.
  const x = meant.length === 0 ? 50 : left ? 39 + 3 * next() : 58 + 3 * next();
  const scale = 0.76 + 0.14 * next();
  const tilt = card.type === 'ICE' ? 0 : Math.round((next() - 0.5) * 14);
  const within = (strokes: Stroke[], place: string): Stroke[] => strokes.map((stroke) => ({ ...stroke, place: stroke.place ? `${place} ${stroke.place}` : place }));
  const strokes = [
    ...scene(next),
    ...within(emblem(card, next), `translate(${round(x)} 30) rotate(${tilt}) scale(${round(scale)})`),
    ...meant.flatMap(([, draw], i) => {
      const y = meant.length === 1 ? 44 : 12 + i * (meant.length === 2 ? 34 : 18);
      const at = left ? 71 + 2 * next() : 27 + 2 * next();
      return [{ d: circle(0, 0, 11), tone: 'face' as const, opacity: 0.82, place: `translate(${round(at)} ${round(y)}) scale(0.7)` }, ...within(draw(), `translate(${round(at)} ${round(y)}) scale(0.7)`)];
    }),
  ];
  drawn.set(key, strokes);
  return strokes;
}
