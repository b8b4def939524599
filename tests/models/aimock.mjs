// A published mock of the model providers (@copilotkit/aimock) that plays games: three models that choose differently from
// the choices that a question lists. Prints its port, and serves until its standard input ends; then it prints how many
// requests each endpoint got.
import { LLMock } from '@copilotkit/aimock';

const kPlayers = {
  first: () => 0,
  last: (choices) => choices.length - 1,
  center: (choices) => Math.max(0, choices.findIndex((label) => label.includes('center'))),
};

// The labels of the last list of choices.
function choicesIn(messages) {
  const text = messages
    .map(({ content }) => (typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n')))
    .join('\n');
  const list = text.slice(text.lastIndexOf('Your choices:\n')).split('\n').slice(1);
  return list.slice(0, list.findIndex((line) => !/^\d+: /.test(line))).map((line) => line.replace(/^\d+: /, ''));
}

const mock = new LLMock({ port: 0, chunkSize: 5 });
for (const [model, pick] of Object.entries(kPlayers)) {
  mock.on({ model }, ({ messages }) => {
    const choices = choicesIn(messages);
    return { content: JSON.stringify({ reasoning: `I am ${model}.`, choice: String(1 + pick(choices)) }) };
  });
}
await mock.start();
console.log(new URL(mock.url).port);
process.stdin.resume();
process.stdin.on('end', async () => {
  const counts = {};
  for (const { path } of mock.getRequests()) counts[path] = (counts[path] ?? 0) + 1;
  console.log(JSON.stringify(counts));
  await mock.stop();
});
