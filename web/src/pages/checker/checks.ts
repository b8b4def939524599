// What each check of `openseat check` means and what to do about it: the table of docs/checker.md, which a test keeps
// equal to the program's own.
import page from '../../../../docs/checker.md?raw';

export interface Check {
  key: string;
  happened: string;
  advice: string;
}

export function readTable(markdown: string): Map<string, Check> {
  const checks = new Map<string, Check>();
  for (const line of markdown.split('\n')) {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
    const key = /^`([a-z0-9/_-]+)`$/.exec(cells[1] ?? '')?.[1];
    if (key && cells.length === 8) checks.set(key, { key, happened: cells[5] ?? '', advice: cells[6] ?? '' });
  }
  return checks;
}

export const checks: ReadonlyMap<string, Check> = readTable(page);
