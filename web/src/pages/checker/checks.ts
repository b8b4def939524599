// What each rule of `openseat check` means and what to do about it: the table of docs/rules.md, which a test keeps
// equal to the program's own.
import page from '../../../../docs/rules.md?raw';

export interface Check {
  key: string;
  happened: string;
  advice: string;
}

export function readTable(markdown: string): Map<string, Check> {
  const checks = new Map<string, Check>();
  for (const line of markdown.split('\n')) {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
    const key = /^`([A-Za-z0-9/_-]+)`$/.exec(cells[1] ?? '')?.[1];
    if (key && cells.length === 9) checks.set(key, { key, happened: cells[6] ?? '', advice: cells[7] ?? '' });
  }
  return checks;
}

export const checks: ReadonlyMap<string, Check> = readTable(page);
