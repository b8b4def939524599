// Every page, for the accessibility check and the screenshots: its path, and how to prepare it.
// Add a line here for each page added to src/routes.ts.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { finishedTicTacToe, longNetrunner, matchOfModel, remoteTicTacToe, stumblingModel } from './play';
import { program, startWithModels, type Openseat } from './harness';
import { netrunnerDecks, netrunnerTable } from './netrunner';
import { cup } from './runs';
import { storyUnderWay } from './stories';

export interface PageCase {
  name: string;
  path: string;
  // Brings the open page into the state to check.
  prepare?: (page: Page, server: Openseat) => Promise<void>;
}

// The server for these pages: with a model called "tiny", and games that are scripts: one without a board, some with.
const kScript = 'my-game';
const kDrawn = ['hex.js', 'lanterns.js', 'thorns.js', 'wolves.ts'];
export async function startForPages(): Promise<Openseat> {
  const games = mkdtempSync(join(tmpdir(), 'openseat-web-games-'));
  execFileSync(program, ['games', 'new', kScript], { cwd: games });
  for (const name of kDrawn) copyFileSync(join('../games', name), join(games, name));
  const server = await startWithModels(stumblingModel, undefined, ['--games', games]);
  const { close } = server;
  server.close = async () => {
    await close();
    rmSync(games, { recursive: true, force: true });
  };
  return server;
}

// A table of a script's game against random players, at the first choice.
const drawn = (id: string, ready: (page: Page) => Promise<void>): PageCase => ({
  name: `script_${id}`,
  path: `/play?game=${id}`,
  prepare: async (page) => {
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.locator('[data-board=parts]').waitFor();
    await ready(page);
  },
});

export const pages: PageCase[] = [
  { name: 'home', path: '/', prepare: (page) => page.getByText('Running now').waitFor() },
  { name: 'play', path: '/play?game=connectm', prepare: (page) => page.getByLabel('In a line (M)').waitFor() },
  {
    name: 'tictactoe',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Play Tic-Tac-Toe against a bot' }).click();
      await page.getByRole('button', { name: 'Row 2, column 2: free' }).click();
      await page.getByRole('button', { name: /: O$/ }).waitFor();
    },
  },
  {
    name: 'connectm',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Play Connect-M against a bot' }).click();
      for (const column of [4, 3, 5]) {
        await page.getByText('Your turn').waitFor();
        await page.getByRole('button', { name: `Column ${column}:` }).click();
        await page.getByRole('button', { name: new RegExp(`Column ${column}: from the bottom: .*red`) }).waitFor();
      }
      await page.getByText('Your turn').waitFor();
    },
  },
  {
    name: 'rps',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Play Rock-Paper-Scissors against a bot' }).click();
      await page.locator('.choice', { hasText: 'paper' }).click();
      await page.getByText(/Round 1: (a tie|.* wins)/).first().waitFor();
    },
  },
  {
    name: 'chicken',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Play Chicken against a bot' }).click();
      await page.getByRole('button', { name: 'Swerve' }).click();
      await page.getByText(/swerved/).first().waitFor();
    },
  },
  {
    name: 'script_game',
    path: `/play?game=${kScript}`,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await page.locator('.board-card').getByRole('button').first().waitFor();
    },
  },
  drawn('hex', async (page) => {
    await page.getByText('Your turn').waitFor();
    await page.getByRole('button', { name: 'C3: empty' }).click();
    await page.getByRole('button', { name: 'C3: red' }).waitFor();
  }),
  drawn('lanterns', async (page) => {
    await page.getByRole('button', { name: /told: nothing$/ }).first().click();
    await page.getByText('Picked: player').waitFor();
  }),
  drawn('thorns', async (page) => {
    await page.getByRole('button', { name: 'petal' }).first().click();
    await page.getByRole('group', { name: /^Pile – .*you/ }).getByText('✿').waitFor();
  }),
  drawn('wolves', (page) => page.getByLabel('text').first().waitFor()),
  {
    name: 'editor',
    path: '/games/editor',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.getByText('conforms').waitFor();
    },
  },
  {
    name: 'editor_wrong',
    path: '/games/editor?game=hex',
    prepare: async (page) => {
      const source = page.getByRole('textbox', { name: 'Source of hex.js' });
      await source.fill((await source.inputValue()).replace('export const awaited = (state) => [state.turn]', 'export const awaited = (state) => [state.tunr]'));
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.locator('[data-ok=false]').waitFor();
    },
  },
  {
    name: 'invite',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Invite a friend to Tic-Tac-Toe' }).click();
      await page.getByText('Waiting for the other player').waitFor();
    },
  },
  {
    name: 'continue',
    path: '/continue/nonsense',
    prepare: (page) => page.getByText('Could not take the seat').waitFor(),
  },
  {
    name: 'your_games',
    path: '/',
    prepare: async (page, server) => {
      await page.getByRole('button', { name: 'Play Tic-Tac-Toe against a bot' }).click();
      await page.getByText('Your turn').waitFor();
      await page.goto(`${server.url}/#/`);
      await page.getByRole('button', { name: /^Resume Tic-Tac-Toe/ }).waitFor();
    },
  },
  {
    name: 'hand_on',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Play Tic-Tac-Toe against a bot' }).click();
      await page.getByRole('button', { name: 'Another device' }).click();
      await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
    },
  },
  {
    name: 'puzzles',
    path: '/puzzles?game=connectm',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Show the answer' }).click();
      await page.getByText('What may follow').waitFor();
    },
  },
  {
    name: 'replays',
    path: '/replays',
    prepare: async (page, server) => {
      await finishedTicTacToe(server);
      await page.reload();
      await page.getByRole('link', { name: 'Replay', exact: true }).first().waitFor();
    },
  },
  {
    name: 'replay',
    path: '/replays',
    prepare: async (page, server) => {
      const id = await finishedTicTacToe(server);
      await page.goto(`${server.url}/#/replays/${id}`);
      await page.getByRole('button', { name: 'Last' }).click();
      await page.getByRole('status').filter({ hasText: /won|draw/ }).waitFor();
    },
  },
  {
    name: 'replay_model',
    path: '/replays',
    prepare: async (page, server) => {
      const id = await matchOfModel(server);
      await page.goto(`${server.url}/#/replays/${id}`);
      await page.getByRole('button', { name: 'On', exact: true }).click();
      await page.getByRole('region', { name: "The model's answers" }).waitFor();
    },
  },
  {
    name: 'replay_netrunner',
    path: '/replays',
    prepare: async (page, server) => {
      const id = await longNetrunner(server);
      await page.goto(`${server.url}/#/replays/${id}?step=120`);
      await page.locator('[data-steps=all]').waitFor();
      await page.locator('.servers').waitFor();
    },
  },
  {
    name: 'replay_events',
    path: '/replays',
    prepare: async (page, server) => {
      const id = await finishedTicTacToe(server);
      await page.goto(`${server.url}/#/replays/${id}`);
      await page.getByRole('button', { name: 'Events' }).click();
      await page.getByRole('heading', { name: /^Event \d+$/ }).waitFor();
    },
  },
  {
    name: 'replay_judged',
    path: '/replays',
    prepare: async (page, server) => {
      const id = await finishedTicTacToe(server);
      await page.goto(`${server.url}/#/replays/${id}`);
      const judged = page.getByRole('region', { name: 'Judged choices' });
      await judged.getByRole('button', { name: 'Judge the choices' }).click();
      await judged.getByText(/^Given away on average/).waitFor();
    },
  },
  {
    name: 'replay_fork',
    path: '/replays',
    prepare: async (page, server) => {
      const id = await finishedTicTacToe(server);
      await page.goto(`${server.url}/#/replays/${id}?step=3`);
      await page.getByRole('button', { name: 'Play on from here' }).click();
      await page.getByRole('dialog').getByRole('combobox').nth(1).selectOption('search');
      await page.getByLabel('Level').waitFor();
    },
  },
  {
    name: 'arena',
    path: '/arena',
    prepare: async (page, server) => {
      await cup(server);
      await page.reload();
      await page.getByRole('link', { name: 'llm:tiny' }).waitFor();
    },
  },
  {
    name: 'arena_run',
    path: '/arena',
    prepare: async (page, server) => {
      await cup(server);
      await page.goto(`${server.url}/#/arena/cup`);
      await page.getByRole('table', { name: 'Leaderboard' }).waitFor();
      await page.getByRole('table', { name: 'Agents against each other' }).waitFor();
    },
  },
  {
    name: 'arena_games',
    path: '/arena',
    prepare: async (page, server) => {
      await cup(server);
      await page.goto(`${server.url}/#/arena/cup/games?agent=llm:tiny`);
      await page.getByRole('link', { name: /^Game \d+$/ }).first().waitFor();
    },
  },
  {
    name: 'arena_game',
    path: '/arena',
    prepare: async (page, server) => {
      await cup(server);
      await page.goto(`${server.url}/#/arena/cup/games?agent=llm:tiny&result=forfeit`);
      await page.getByRole('link', { name: /^Game \d+$/ }).first().click();
      await page.locator('details.card', { hasText: 'bad answer' }).first().locator('summary').click();
      await page.getByText(/Answer every request with exactly one JSON object/).waitFor();
    },
  },
  {
    name: 'arena_replay',
    path: '/arena',
    prepare: async (page, server) => {
      await cup(server);
      await page.goto(`${server.url}/#/arena/cup/games?game_id=tictactoe`);
      await page.getByRole('link', { name: /^Game \d+$/ }).first().click();
      await page.getByRole('link', { name: 'Watch the replay' }).click();
      await page.getByRole('button', { name: 'Last' }).click();
      await page.getByRole('status').filter({ hasText: /won|draw/ }).waitFor();
    },
  },
  { name: 'netrunner', path: '/netrunner', prepare: (page) => page.getByText('Current games').waitFor() },
  { name: 'netrunner_runner', path: '/netrunner', prepare: (page) => netrunnerTable(page, 'Runner') },
  { name: 'netrunner_corp', path: '/netrunner', prepare: (page) => netrunnerTable(page, 'Corp') },
  {
    name: 'netrunner_card',
    path: '/netrunner',
    prepare: async (page) => {
      await netrunnerTable(page, 'Corp');
      await page.locator('.hand .tile').first().click();
      await page.locator('[data-sheet]').waitFor();
    },
  },
  {
    name: 'netrunner_over',
    path: '/netrunner',
    prepare: async (page) => {
      await netrunnerTable(page, 'Corp');
      await page.getByRole('button', { name: 'Concede' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Concede' }).click();
      await page.locator('[data-result] [data-score-sheet]').waitFor();
    },
  },
  {
    name: 'netrunner_decks',
    path: '/netrunner/decks',
    prepare: async (page, server) => {
      await netrunnerDecks(server);
      await page.reload();
      await page.getByText('Chrome & Wire').first().waitFor();
    },
  },
  {
    name: 'netrunner_deck',
    path: '/netrunner/decks',
    prepare: async (page, server) => {
      await netrunnerDecks(server);
      await page.reload();
      await page.getByRole('link', { name: 'Chrome & Wire' }).first().click();
      await page.locator('[data-problems] > *').first().waitFor();
    },
  },
  {
    name: 'stories',
    path: '/stories',
    prepare: async (page, server) => {
      await storyUnderWay(server);
      await page.reload();
      await page.getByRole('link', { name: 'The Whispering Woods' }).first().waitFor();
    },
  },
  {
    name: 'story_begins',
    path: '/stories',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Start The Lamp at Skerry' }).click();
      await page.getByLabel('Your name').waitFor();
    },
  },
  {
    name: 'story',
    path: '/stories',
    prepare: async (page, server) => {
      const id = await storyUnderWay(server);
      await page.goto(`${server.url}/#/stories/${id}`);
      await page.getByRole('article', { name: 'Turn 3', exact: true }).waitFor();
      await page.getByRole('complementary').getByText('Kiera', { exact: true }).waitFor();
    },
  },
  {
    name: 'console',
    path: '/console',
    prepare: async (page, server) => {
      await remoteTicTacToe(server);
      await page.getByRole('heading', { name: 'The game asks' }).waitFor();
      await page.getByRole('tab', { name: 'Log' }).waitFor();
    },
  },
  {
    name: 'console_messages',
    path: '/console',
    prepare: async (page, server) => {
      await remoteTicTacToe(server);
      await page.getByRole('tab', { name: 'Messages' }).click();
      await page.getByRole('button', { name: 'Send by hand' }).click();
      await page.getByRole('button', { name: /actions\/force/ }).first().click();
    },
  },
  {
    name: 'console_results',
    path: '/console',
    prepare: async (page, server) => {
      await remoteTicTacToe(server, { kind: 'random', delay_ms: 10 });
      await page.getByRole('tab', { name: 'Results' }).click();
      await page.getByRole('group', { name: 'Results' }).waitFor();
    },
  },
  {
    name: 'console_agent',
    path: '/console',
    prepare: async (page, server) => {
      await remoteTicTacToe(server);
      await page.getByRole('button', { name: /^Seat:/ }).click();
      await page.getByRole('radio', { name: /^Random/ }).check();
    },
  },
  { name: 'checker', path: '/checker', prepare: (page) => page.getByText('Drop the files of a run here').waitFor() },
  {
    name: 'checker_report',
    path: '/checker',
    prepare: async (page) => {
      const run = 'src/pages/checker/sample/vicky_22-11-2026_01-28-25_local';
      await page.getByLabel('Files of a check run').setInputFiles(['.log', '_actions.json', '_context.json', '.junit.xml'].map((end) => run + end));
      await page.getByRole('heading', { name: 'Harbour Trader: failed' }).waitFor();
    },
  },
  {
    name: 'not_found',
    path: '/nowhere',
    prepare: (page) => page.getByRole('heading', { name: 'Page not found' }).waitFor(),
  },
];
