// The games that ship as scripts, to begin with.
const files = import.meta.glob<string>(['../../../../games/*.{js,ts}', '!../../../../games/*.d.ts'], { query: '?raw', import: 'default' });

export const examples = Object.keys(files)
  .map((path) => path.slice(path.lastIndexOf('/') + 1))
  .sort();

export async function readExample(name: string): Promise<string> {
  const read = files[`../../../../games/${name}`];
  return read ? await read() : '';
}

// What a new game starts from: docs/writing_games.md explains it.
export const starter = `// Twenty-one: a small game that works. docs/writing_games.md says what a script exports.
export const info = {
  id: 'twenty-one',
  title: 'Twenty-one',
  description: 'Take one, two or three of 21 stones; the last one wins',
  rules: 'There are 21 stones. The players take turns to take one, two or three. The player who takes the last one wins.',
  seats: { min: 2, max: 2, roles: ['First', 'Second'] },
  actions: {
    take: { description: 'Take \`count\` stones.', data: { count: [1, 2, 3] }, label: ({ count }) => \`Take \${count}\` },
  },
};
export const setup = () => ({ stones: 21, turn: 0 });
export const awaited = (state) => [state.turn];
export const actions = (state) => [{ name: 'take', data: { count: [1, 2, 3].filter((count) => count <= state.stones) } }];
export const apply = (state, seat, { data: { count } }, random, names) => ({
  state: { stones: state.stones - count, turn: 1 - seat },
  log: [\`\${names[seat]} took \${count}.\`],
});
export const observe = (state, viewer, names) => ({ stones: state.stones, turn: names[state.turn] });
export const outcome = (state) => (state.stones === 0 ? { winners: [1 - state.turn], reason: 'took the last stone' } : null);

// The table as people see it: a stone that is clicked is taken, with those after it
export const view = ({ stones }) => ({
  parts: [{
    type: 'tokens',
    label: \`Stones: \${stones}\`,
    tokens: Array.from({ length: stones }, (_, at) => ({
      color: 'brown',
      label: \`Take \${stones - at}\`,
      choice: stones - at <= 3 ? { name: 'take', data: { count: stones - at } } : undefined,
    })),
  }],
});
`;
