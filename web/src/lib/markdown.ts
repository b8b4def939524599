// The Markdown of rules, states and narrations: headings, paragraphs, lists, quotes, code, tables, emphasis and
// links. Everything else is text. Pure; the result is drawn by components/Markdown.svelte, so nothing becomes HTML.

export interface Inline {
  kind: 'text' | 'strong' | 'em' | 'code' | 'link';
  text: string;
  href?: string;
  host?: string; // of a link: its text may claim anything
}
export type Block =
  | { kind: 'heading'; level: number; parts: Inline[] }
  | { kind: 'paragraph' | 'quote'; parts: Inline[] }
  | { kind: 'list'; ordered: boolean; start: number; items: Inline[][] }
  | { kind: 'code'; text: string }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' };

const hostOf = (href: string): string | undefined => {
  try {
    return new URL(href).host;
  } catch {
    return undefined;
  }
};

const kInline = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\s][^*\n]*)\*|(?<![\w])_([^_\s][^_\n]*)_(?![\w])|\[([^\]\n]{1,500})\]\((https?:\/\/[^\s)]{1,2000})\)/g;

export function readInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  for (const found of text.matchAll(kInline)) {
    if (found.index > from) parts.push({ kind: 'text', text: text.slice(from, found.index) });
    const [whole, code, strong, strong2, em, em2, link, href] = found;
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (strong !== undefined || strong2 !== undefined) parts.push({ kind: 'strong', text: (strong ?? strong2)! });
    else if (em !== undefined || em2 !== undefined) parts.push({ kind: 'em', text: (em ?? em2)! });
    else {
      const host = hostOf(href!);
      parts.push(host === undefined ? { kind: 'text', text: whole } : { kind: 'link', text: link!, href: href!, host });
    }
    from = found.index + whole.length;
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}

const kFence = /^\s*(```|~~~)/;
const kHeading = /^\s{0,3}(#{1,6})[ \t]+(.*)$/;
const kBullet = /^\s*[-*+]\s+(.*)$/;
const kNumber = /^\s*(\d{1,9})[.)]\s+(.*)$/;
const kQuote = /^\s*>\s?(.*)$/;
const kRule = /^\s*([-*_])(\s*\1){2,}\s*$/;
const kTableLine = /^\s*\|(.*)\|\s*$/;
const kTableRule = /^\s*\|[\s:|-]+\|\s*$/;

const cells = (line: string): Inline[][] => (kTableLine.exec(line)?.[1] ?? '').split('|').map((cell) => readInline(cell.trim()));

// Of a paragraph's lines; two spaces or a backslash at the end of one keep the break.
const flow = (lines: string[]): string =>
  lines.reduce((text, line) => (text === '' ? line.trimStart() : /( {2}|\\)$/.test(text) ? `${text.replace(/( +|\\)$/, '')}\n${line.trimStart()}` : `${text.trimEnd()} ${line.trimStart()}`), '').trimEnd();

// flowing: whether a single line break is a space.
export function readMarkdown(text: string, flowing = false): Block[] {
  const join = (said: string[]): string => (flowing ? flow(said) : said.map((line) => line.trim()).join('\n'));
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  const starts = (line: string): boolean =>
    line.trim() === '' || kFence.test(line) || kHeading.test(line) || kBullet.test(line) || kNumber.test(line) || kQuote.test(line) || kRule.test(line) || kTableLine.test(line);
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!;
    const fence = kFence.exec(line)?.[1];
    const heading = kHeading.exec(line);
    const list = kBullet.exec(line) ?? kNumber.exec(line);
    if (line.trim() === '') {
      ++i;
    } else if (fence) {
      const code: string[] = [];
      for (++i; i < lines.length && !lines[i]!.trim().startsWith(fence); ++i) code.push(lines[i]!);
      ++i;
      blocks.push({ kind: 'code', text: code.join('\n') });
    } else if (heading) {
      blocks.push({ kind: 'heading', level: heading[1]!.length, parts: readInline(heading[2]!.trim().replace(/(^|\s)#+$/, '').trim()) });
      ++i;
    } else if (kRule.test(line)) {
      blocks.push({ kind: 'rule' });
      ++i;
    } else if (list) {
      const ordered = kNumber.test(line);
      const pattern = ordered ? kNumber : kBullet;
      const items: string[] = [];
      for (; i < lines.length; ++i) {
        const item = pattern.exec(lines[i]!);
        if (item) items.push(item.at(-1)!);
        else if ((flowing || /^\s{2,}\S/.test(lines[i]!)) && !starts(lines[i]!)) items.push(`${items.pop()} ${lines[i]!.trim()}`);
        else break;
      }
      blocks.push({ kind: 'list', ordered, start: ordered ? Number(list[1]) : 1, items: items.map(readInline) });
    } else if (kTableLine.test(line) && kTableRule.test(lines[i + 1] ?? '')) {
      const head = cells(line);
      const rows: Inline[][][] = [];
      for (i += 2; i < lines.length && kTableLine.test(lines[i]!); ++i) rows.push(cells(lines[i]!));
      blocks.push({ kind: 'table', head, rows });
    } else if (kQuote.test(line)) {
      const quoted: string[] = [];
      for (; i < lines.length && kQuote.test(lines[i]!); ++i) quoted.push(kQuote.exec(lines[i]!)![1]!);
      blocks.push({ kind: 'quote', parts: readInline(join(quoted)) });
    } else {
      const said = [line];
      for (++i; i < lines.length && !starts(lines[i]!); ++i) said.push(lines[i]!);
      blocks.push({ kind: 'paragraph', parts: readInline(join(said)) });
    }
  }
  return blocks;
}
