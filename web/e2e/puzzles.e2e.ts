// Puzzles as people solve them: by clicking, and with the keyboard only.
import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { tests } from './fixtures';
import { focusedControl } from './harness';

const it = tests({ path: '/#/puzzles?game=connectm' });
interface Line {
  label: string;
  offered: { label: string }[];
  answer: { data: { column: number } };
}
const linesOf = (game: string): Line[] => readFileSync(`../examples/puzzles/${game}.jsonl`, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Line);
const answered = (how: string) => `[data-answered=${how}]`;

describe('a puzzle', () => {
  it('is solved at the board, and the next one follows', async ({ page }) => {
    const first = linesOf('connectm')[0]!;
    const right = first.answer.data.column;
    const wrong = page.locator('[data-board] .column.playable').nth(right === 0 ? 1 : 0);
    await page.locator('[data-puzzle="1"]').waitFor();
    await wrong.click();
    await page.locator(answered('wrong')).waitFor();
    await page.getByRole('button', { name: `Column ${right + 1}:` }).click();
    await page.locator(answered('right')).waitFor();
    await page.getByRole('status').getByText(`Right: column ${right + 1}`).waitFor();
    await page.getByText('1 solved in this browser').waitFor();
    await page.getByRole('button', { name: 'Next puzzle' }).click();
    await page.locator('[data-puzzle="2"]').waitFor();
    expect(await page.locator(answered('no')).count()).toBe(1);
    // What is solved stays solved.
    await page.goto(new URL('/#/puzzles?game=connectm&puzzle=1', page.url()).href);
    await page.reload();
    await page.getByText('1 solved in this browser, this one as well').waitFor();
  });

  it('is solved with the keyboard only', async ({ page }) => {
    await page.locator('[data-puzzle="1"]').waitFor();
    await page.keyboard.press('.');
    await page.locator('[data-puzzle="2"]').waitFor();
    const right = linesOf('connectm')[1]!.answer.data.column;
    for (let i = 0; i < 60 && !(await focusedControl(page)).startsWith('Column'); i += 1) await page.keyboard.press('Tab');
    for (let i = 0; i < 7 && !(await focusedControl(page)).startsWith(`Column ${right + 1}:`); i += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.locator(answered('right')).waitFor();
  });

  it('of Netrunner lists its choices', async ({ page }) => {
    const { label, offered } = linesOf('netrunner')[0]!;
    await page.goto(new URL('/#/puzzles?game=netrunner&puzzle=1', page.url()).href);
    const choices = page.getByRole('group', { name: 'Choices', exact: true });
    await choices.waitFor();
    expect(await choices.getByRole('button').allInnerTexts()).toEqual(offered.map((each) => each.label));
    await choices.getByRole('button', { name: offered.find((each) => each.label !== label)!.label, exact: true }).click();
    await page.locator(answered('wrong')).waitFor();
    await choices.getByRole('button', { name: label, exact: true }).click();
    await page.locator(answered('right')).waitFor();
    await page.getByRole('status').getByText(`Right: ${label}`).waitFor();
  });
});
