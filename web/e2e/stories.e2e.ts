// Stories: one played to the end by clicking, with the keyboard and with free text, watched by another browser; and the
// error messages when a model narrates badly.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { tests } from './fixtures';
import { startWithModels } from './harness';
import { createMatch, waitForTheEnd } from './play';
import { beginStory, storyUnderWay } from './stories';

const narration = (narrative: string) =>
  JSON.stringify({ narrative, emotion: 'happy', choices: [{ id: 'a1b2c3d4-e5f6-7890-abcd-ef1234567890', label: 'Go on' }] });

// The opening is good; the next turn is prose, even when asked again; then it has an unknown mood, twice.
const answers = [narration('It begins.'), 'I would rather not.', 'No, really.', narration('Then').replace('happy', 'confused'), narration('Then').replace('happy', 'confused')];
const it = tests({ start: () => startWithModels((_, call) => answers[call] ?? narration('It goes on.')), path: '/#/stories' });

it('a whole story is played, and followed from elsewhere', async ({ page, visit }) => {
  await page.getByRole('button', { name: 'Start The Whispering Woods' }).click();
  await page.getByLabel('Your name').fill('Ana');
  await page.getByLabel('Narrator').selectOption('storyteller');
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('Maximum turns').fill('4');
  await page.getByRole('button', { name: 'Start', exact: true }).click();

  // By click, while another browser watches.
  await page.getByRole('heading', { name: 'What do you do?' }).waitFor();
  const other = await visit(page.url());
  await other.page.getByRole('article', { name: 'Turn 1', exact: true }).waitFor();
  const choice = page.locator('.choice').first();
  const label = await choice.locator('.label').textContent();
  await choice.click();
  await page.getByRole('article', { name: 'Turn 2', exact: true }).getByText(label ?? '?').waitFor();
  await other.page.getByRole('article', { name: 'Turn 2', exact: true }).waitFor();

  // With free text.
  const own = page.getByLabel('Something else, in your own words');
  await own.fill('I hold up the lantern and sing.');
  await own.press('Enter');
  await page.getByRole('article', { name: 'Turn 3', exact: true }).getByText('I hold up the lantern and sing.').first().waitFor();

  // With the keyboard; that was the last turn.
  await page.getByRole('heading', { name: 'What do you do?' }).waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('1');
  await page.getByRole('region', { name: 'The end' }).waitFor();
  await other.page.getByRole('region', { name: 'The end' }).waitFor();
  await expect.poll(() => page.getByRole('article').count()).toBe(4);
  await page.getByRole('complementary', { name: 'Relationships and world' }).getByText('Kiera', { exact: true }).waitFor();

  // It can be exported, and read again.
  const [markdown] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Markdown' }).click()]);
  const text = readFileSync(await markdown.path(), 'utf8');
  expect(text).toMatch(/^# The Whispering Woods\n\n\*Played by Ana, told by storyteller; 4 of 4 turns\.\*/);
  expect(text).toContain('> **Ana:** I hold up the lantern and sing.');
  const [json] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'JSON' }).click()]);
  expect((JSON.parse(readFileSync(await json.path(), 'utf8')) as { turns: unknown[] }).turns).toHaveLength(4);
  await page.reload();
  await expect.poll(() => page.getByRole('article').count()).toBe(4);
  await page.getByRole('region', { name: 'The end' }).waitFor();
});

it('a turn is taken back, told differently, and a story branched', async ({ page, server }) => {
  const id = await storyUnderWay(server);
  await page.goto(`${server.url}/#/stories/${id}`);
  const turn = (n: number) => page.getByRole('article', { name: `Turn ${n}`, exact: true });
  const own = 'I hold the lantern up and hum the oldest song that I know.';
  await turn(3).getByText(own).waitFor();
  await page.getByRole('button', { name: 'Tell it differently' }).click();
  await expect.poll(() => page.url()).not.toContain(id);
  const second = page.url();
  await turn(3).getByText(own).waitFor();
  await page.getByRole('button', { name: 'Take back' }).click();
  await expect.poll(() => page.url()).not.toBe(second);
  await turn(2).waitFor();
  await page.getByRole('heading', { name: 'What do you do?' }).waitFor();
  expect(await turn(3).count()).toBe(0);
  const third = page.url();
  await page.getByRole('button', { name: 'Go on from here, after turn 1' }).click();
  await expect.poll(() => page.url()).not.toBe(third);
  await turn(1).waitFor();
  await expect.poll(() => turn(2).count()).toBe(0);
  // The first version is as it was.
  await page.goto(`${server.url}/#/stories/${id}`);
  await turn(3).getByText(own).waitFor();
});

it('a bad narration is refused, shown, and requested again', async ({ visitor, page, server }) => {
  visitor.expected = /422/;
  const id = await beginStory(server, { scenario: 'last-tram', player: 'Bo', narrator: { kind: 'llm', model: 'tiny' } });
  await page.goto(`${server.url}/#/stories/${id}`);
  await page.getByText('It begins.').waitFor();
  await page.getByRole('button', { name: /Go on/ }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('Invalid JSON response from model').waitFor();
  await alert.getByText("The narrator's answer", { exact: true }).click();
  await alert.getByText('No, really.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await alert.getByText('Response failed schema validation').waitFor();
  await alert.getByText('emotion', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('It goes on.').waitFor();
  await alert.waitFor({ state: 'detached' });
  // The home page leads there, too.
  await page.goto(`${server.url}/#/`);
  await page.locator('li', { hasText: id }).getByRole('link', { name: 'Read' }).click();
  await page.getByText('It goes on.').waitFor();
});

it('a clock counts in a story, too', async ({ page, server }) => {
  const id = await createMatch(server, {
    game: 'narrative',
    options: { scenario: 'whispering-woods' },
    terms: { move_time: 1 },
    seats: [{ agent: { kind: 'storyteller' } }, { name: 'Ana', agent: { kind: 'external' } }],
  });
  await waitForTheEnd(server, id); // nobody plays Ana
  await page.goto(`${server.url}/#/stories/${id}`);
  await page.getByRole('region', { name: 'The end' }).getByText('Ana ran out of time').waitFor();
});

it('reports a story that does not exist', async ({ server, visit }) => {
  const { page } = await visit(`${server.url}/#/stories/no-such-story`, {}, /404/);
  await page.getByRole('alert').waitFor();
  await page.getByRole('link', { name: 'All stories' }).click();
  await page.getByRole('heading', { name: 'Start a story' }).waitFor();
});
