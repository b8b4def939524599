// node make_cases.mjs > ../answer_cases.json: answers of 2 to 10 KB as narrators give them, correct ones and ones with
// the mistakes that models make. All must be valid after repair, so that both sides do the same work.
const words = ('the ancient forest whispers secrets as you step into its shade mist swirls around your feet and distant ' +
  'crystal chimes echo through the trees a lantern burns low beside the well its keeper says nothing yet watches').split(' ');
let seed = 7;
const below = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
const sentence = (n) => {
  const text = Array.from({ length: n }, () => words[below(words.length)]).join(' ');
  return text[0].toUpperCase() + text.slice(1) + '.';
};
const prose = (length) => {
  let text = '';
  while (text.length < length) text += sentence(6 + below(10)) + (below(5) === 0 ? '\n\n' : ' ');
  return text.slice(0, length).trim();
};
const uuid = () => 'xxxxxxxx-xxxx-4xxx-9xxx-xxxxxxxxxxxx'.replace(/x/g, () => below(16).toString(16));

const answer = (size) => ({
  narrative: prose(size * 0.55),
  emotion: ['neutral', 'happy', 'sad', 'fearful'][below(4)],
  choices: Array.from({ length: 4 }, () => ({ id: uuid(), label: sentence(5), description: prose(size * 0.05) })),
  npcResponses: Array.from({ length: 3 }, (_, i) => ({ npcId: `npc.${i}`, response: prose(size * 0.06), emotion: 'cautious' })),
  worldStateChanges: { lanternLit: true, door: null, visits: below(9), weather: { wind: 0.25, rain: false } },
  relationshipDeltas: { 'npc.0': 5, 'npc.1': -12 },
  factionDeltas: { keepers: 3 },
});

const plain = (value) => JSON.stringify(value, null, 2);
const spoil = {
  right: (value) => JSON.stringify(value),
  'right, indented': plain,
  fenced: (value) => '```json\n' + plain(value) + '\n```',
  'trailing commas': (value) => plain(value).replace(/([^,{[])\n( *[}\]])/g, '$1,\n$2'),
  'single quotes': (value) => plain(value).replace(/"/g, "'"),
  'names without quotes': (value) => plain(value).replace(/"(\w+)":/g, '$1:'),
  'line breaks in texts': (value) => plain(value).replace(/\\n/g, '\n'),
  'typographic quotes': (value) => plain(value).replace(/"(\w+)":/g, '\u201c$1\u201d:'),
  comments: (value) => plain(value).replace(/\n {2}"choices"/, '\n  // what you may do\n  "choices"'),
  'words of Python': (value) => plain(value).replace(/: true/g, ': True').replace(/: null/g, ': None').replace(/: false/g, ': False'),
  'cut off': (value) => plain(value).slice(0, -5),
};
const cases = [];
for (const size of [2000, 4000, 7000, 10000]) {
  for (const [name, how] of Object.entries(spoil)) cases.push({ name, size, text: how(answer(size * 0.8)) });
}
process.stdout.write('[\n' + cases.map((each) => JSON.stringify(each)).join(',\n') + '\n]\n');
