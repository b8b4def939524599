// node make_cases.mjs > ../schema_cases.json: the schemas and instances that ./dev bench-schema validates. The output
// is the same every time, and committed, so that both sides read one file.

let state = 12345;
function below(bound) {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return state % bound;
}
const pick = (list) => list[below(list.length)];
const words = ['amber', 'birch', 'cobalt', 'dune', 'ember', 'fjord', 'garnet', 'harbor', 'indigo', 'jade', 'kelp', 'lotus'];
const word = () => pick(words);
const sentence = (count) => Array.from({ length: count }, word).join(' ');
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const without = (object, key) => Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));

const cases = [];

// --- small: what a game registers for one action

cases.push({
  size: 'small',
  name: 'place_mark',
  schema: {
    type: 'object',
    properties: { position: { type: 'array', items: { enum: [0, 1, 2] }, minItems: 2, maxItems: 2 } },
    required: ['position'],
  },
  valid: times(8, () => ({ position: [below(3), below(3)] })),
  invalid: [{ position: [0, 3] }, { position: [1] }, {}, { position: 'a1' }, { position: [0, 1, 2] }, 7, { pos: [0, 1] }],
});

const moods = ['neutral', 'happy', 'sad', 'angry', 'surprised'];
const say = () => ({ text: sentence(2 + below(6)), mood: pick(moods), volume: below(11) });
cases.push({
  size: 'small',
  name: 'say',
  schema: {
    type: 'object',
    properties: {
      text: { type: 'string', minLength: 1, maxLength: 200 },
      mood: { type: 'string', enum: moods },
      volume: { type: 'integer', minimum: 0, maximum: 10 },
    },
    required: ['text'],
    additionalProperties: false,
  },
  valid: times(8, say),
  invalid: [
    { ...say(), mood: 'bored' },
    { ...say(), volume: 11 },
    { ...say(), loud: true },
    without(say(), 'text'),
    { ...say(), text: '' },
    { ...say(), volume: 2.5 },
  ],
});

cases.push({
  size: 'small',
  name: 'square',
  schema: { type: 'object', properties: { square: { type: 'string', pattern: '^[a-h][1-8]$' } }, required: ['square'] },
  valid: times(8, () => ({ square: 'abcdefgh'[below(8)] + (1 + below(8)) })),
  invalid: [{ square: 'i1' }, { square: 'a9' }, { square: 'a' }, { square: 'a1 ' }, { square: 4 }],
});

// --- medium: a prompt's answer, a narrator's turn, a settings file

const kinds = ['install', 'run', 'play', 'draw', 'pass'];
const target = () => pick([{ server: pick(['hq', 'rd', 'archives']) }, { remote: 1 + below(5), position: below(4) }]);
const choice = () => ({
  kind: pick(kinds),
  card: { id: `c${1000 + below(9000)}`, title: sentence(2), cost: below(8), tags: times(below(4), word) },
  target: target(),
  clicks: 1 + below(3),
  note: sentence(4),
  confirmed: below(2) === 1,
});
cases.push({
  size: 'medium',
  name: 'choice',
  schema: {
    type: 'object',
    properties: {
      kind: { enum: kinds },
      card: {
        type: 'object',
        properties: {
          id: { type: 'string', pattern: '^c[0-9]{4}$' },
          title: { type: 'string', maxLength: 80 },
          cost: { type: 'integer', minimum: 0 },
          tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: 8 },
        },
        required: ['id', 'title'],
        additionalProperties: false,
      },
      target: {
        oneOf: [
          { type: 'object', properties: { server: { enum: ['hq', 'rd', 'archives'] } }, required: ['server'] },
          {
            type: 'object',
            properties: { remote: { type: 'integer', minimum: 1 }, position: { type: 'integer', minimum: 0 } },
            required: ['remote'],
          },
        ],
      },
      clicks: { type: 'integer', minimum: 0, maximum: 4 },
      note: { type: 'string' },
      confirmed: { type: 'boolean' },
    },
    required: ['kind', 'target', 'clicks'],
    additionalProperties: false,
  },
  valid: times(8, choice).map((value) => ({ ...value, card: { ...value.card, tags: [...new Set(value.card.tags)] } })),
  invalid: [
    { ...choice(), kind: 'jump' },
    { ...choice(), clicks: 9 },
    { ...choice(), target: {} },
    { ...choice(), card: { id: 'c12', title: 'x' } },
    { ...choice(), surplus: 1 },
    without(choice(), 'target'),
    { ...choice(), card: { id: 'c1234', title: 'x', tags: ['a', 'b', 'a'] } },
  ],
});

const turn = () => ({
  narration: sentence(40),
  scene: { location: word(), time: pick(['dawn', 'noon', 'dusk', 'night']), weather: word() },
  characters: times(3, (i) => ({ id: `npc_${i}`, name: word(), mood: pick(moods), says: sentence(8), hp: below(20) })),
  choices: times(4, (i) => ({ id: i + 1, label: sentence(4), risk: pick(['low', 'medium', 'high']) })),
  state_changes: times(3, () => ({ path: `/${word()}/${word()}`, op: pick(['set', 'add', 'remove']), value: below(9) })),
  ended: false,
});
const turnSchema = {
  type: 'object',
  properties: {
    narration: { type: 'string', minLength: 1, maxLength: 4000 },
    scene: {
      type: 'object',
      properties: {
        location: { type: 'string' },
        time: { enum: ['dawn', 'noon', 'dusk', 'night'] },
        weather: { type: ['string', 'null'] },
      },
      required: ['location', 'time'],
    },
    characters: {
      type: 'array',
      maxItems: 10,
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          mood: { enum: moods },
          says: { type: 'string' },
          hp: { type: 'integer', minimum: 0, maximum: 100 },
        },
        required: ['id', 'name', 'mood'],
        additionalProperties: false,
      },
    },
    choices: {
      type: 'array',
      minItems: 1,
      maxItems: 6,
      items: { $ref: '#/$defs/choice' },
    },
    state_changes: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, op: { enum: ['set', 'add', 'remove'] }, value: true },
        required: ['path', 'op'],
        if: { properties: { op: { const: 'remove' } } },
        else: { required: ['value'] },
      },
    },
    ended: { type: 'boolean' },
  },
  required: ['narration', 'choices', 'ended'],
  additionalProperties: false,
  $defs: {
    choice: {
      type: 'object',
      properties: { id: { type: 'integer' }, label: { type: 'string', minLength: 1 }, risk: { enum: ['low', 'medium', 'high'] } },
      required: ['id', 'label'],
    },
  },
};
const wrongTurns = [
  { ...turn(), choices: [] },
  { ...turn(), ended: 'no' },
  without(turn(), 'narration'),
  { ...turn(), scene: { location: 'x', time: 'midnight' } },
];
const badCharacter = turn();
badCharacter.characters[2].hp = 101;
wrongTurns.push(badCharacter);
cases.push({ size: 'medium', name: 'turn', schema: turnSchema, valid: times(4, turn), invalid: wrongTurns });

const account = () => ({ id: below(100000), name: word(), email: `${word()}@example.com`, role: pick(['admin', 'player']), level: 3 });
cases.push({
  size: 'medium',
  name: 'unevaluated',
  schema: {
    type: 'object',
    allOf: [
      { properties: { id: { type: 'integer' }, name: { type: 'string' } }, required: ['id'] },
      { anyOf: [{ properties: { email: { type: 'string' } }, required: ['email'] }, { properties: { phone: { type: 'string' } } }] },
      { if: { properties: { role: { const: 'player' } } }, then: { properties: { level: { type: 'integer' } } },
        else: { properties: { level: { type: 'integer' }, rights: { type: 'array' } } } },
    ],
    properties: { role: { enum: ['admin', 'player'] } },
    unevaluatedProperties: false,
  },
  valid: times(8, account),
  invalid: [{ ...account(), color: 'red' }, { ...account(), level: 'x' }, without(account(), 'id'), { ...account(), phone: 1 }],
});

// --- large: a library of cards, a tree, numbers, a schema against the meta-schema

const card = (i) => ({
  code: String(30000 + i),
  title: sentence(3),
  side: pick(['corp', 'runner']),
  type: pick(['agenda', 'asset', 'ice', 'operation', 'program', 'event']),
  cost: below(12),
  strength: pick([null, below(9)]),
  subtypes: [...new Set(times(below(4), word))],
  text: sentence(20),
  limits: { deck: 3, influence: below(6) },
});
const cardSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', pattern: '^[0-9]{5}$' },
    title: { type: 'string', minLength: 1 },
    side: { enum: ['corp', 'runner'] },
    type: { enum: ['agenda', 'asset', 'ice', 'operation', 'program', 'event'] },
    cost: { type: ['integer', 'null'], minimum: 0 },
    strength: { type: ['integer', 'null'] },
    subtypes: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    text: { type: 'string' },
    limits: {
      type: 'object',
      properties: { deck: { type: 'integer', minimum: 0 }, influence: { type: 'integer', minimum: 0 } },
      additionalProperties: false,
    },
  },
  required: ['code', 'title', 'side', 'type'],
  additionalProperties: false,
};
const library = times(150, card);
const wrongLibrary = structuredClone(library);
wrongLibrary[140].side = 'referee';
const wrongLibrary2 = structuredClone(library);
delete wrongLibrary2[75].title;
cases.push({
  size: 'large',
  name: 'library',
  schema: { type: 'object', properties: { cards: { type: 'array', items: cardSchema } }, required: ['cards'] },
  valid: [{ cards: library }],
  invalid: [{ cards: wrongLibrary }, { cards: wrongLibrary2 }],
});

const tree = (depth) => ({
  name: word(),
  value: below(100),
  children: depth === 0 ? [] : times(3, () => tree(depth - 1)),
});
const wrongTree = tree(5);
wrongTree.children[2].children[2].children[2].children[2].children[2].value = 'x';
cases.push({
  size: 'large',
  name: 'tree',
  schema: {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          value: { type: 'integer' },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        },
        required: ['name', 'children'],
      },
    },
  },
  valid: [tree(5)],
  invalid: [wrongTree],
});

const grid = times(40, () => times(40, () => below(1000) / 8));
const wrongGrid = structuredClone(grid);
wrongGrid[39][39] = 1000;
cases.push({
  size: 'large',
  name: 'grid',
  schema: {
    type: 'array',
    items: { type: 'array', items: { type: 'number', minimum: 0, maximum: 500 }, minItems: 40, maxItems: 40 },
  },
  valid: [grid],
  invalid: [wrongGrid],
});

const wrongSchema = structuredClone(turnSchema);
wrongSchema.properties.state_changes.items.properties.op = { enum: 'set' };
cases.push({
  size: 'large',
  name: 'metaschema',
  schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' },
  valid: [turnSchema, cardSchema],
  invalid: [wrongSchema],
});

console.log(`[\n${cases.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`);
