// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { readInline, readMarkdown } from './markdown';

const kinds = (text: string) => readMarkdown(text).map((block) => block.kind);

describe('Markdown', () => {
  it('has emphasis, code and links', () => {
    expect(readInline('You **win** with `move`, *not* _so_ [here](https://a.example/x).')).toEqual([
      { kind: 'text', text: 'You ' },
      { kind: 'strong', text: 'win' },
      { kind: 'text', text: ' with ' },
      { kind: 'code', text: 'move' },
      { kind: 'text', text: ', ' },
      { kind: 'em', text: 'not' },
      { kind: 'text', text: ' ' },
      { kind: 'em', text: 'so' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'here', href: 'https://a.example/x', host: 'a.example' },
      { kind: 'text', text: '.' },
    ]);
  });
  it('says where a link leads, whatever its text says', () => {
    expect(readInline('[Openseat console](https://localhost@evil.example:8080/?openseat)')[0]?.host).toBe('evil.example:8080');
    expect(readInline('[x](http://%)')).toEqual([{ kind: 'text', text: '[x](http://%)' }]);
  });
  it('leaves what only looks like it alone', () => {
    for (const text of ['2 * 3 * 4', 'snake_case_name', '[x](javascript:alert(1))', '<b>no</b>', '**open', '']) {
      expect(readInline(text).every((part) => part.kind === 'text'), text).toBe(true);
    }
  });
  it('has blocks', () => {
    expect(kinds('# A\ntext\nmore\n\n- one\n- two\n1. first\n2. second\n\n> said\n\n```\n# not a heading\n```\n---\n| a | b |\n|---|---|\n| 1 | 2 |')).toEqual([
      'heading', 'paragraph', 'list', 'list', 'quote', 'code', 'rule', 'table',
    ]);
    expect(readMarkdown('3. c\n4. d\n   and more')).toEqual([
      { kind: 'list', ordered: true, start: 3, items: [[{ kind: 'text', text: 'c' }], [{ kind: 'text', text: 'd and more' }]] },
    ]);
    expect(readMarkdown('```\na\n')).toEqual([{ kind: 'code', text: 'a\n' }]);
    expect(kinds('| a |\nno table')).toEqual(['paragraph']);
  });
  it('may flow: then a single line break is a space', () => {
    const text = 'Drop discs\n  into columns;\nfour win.\n\nKeep  \nthis\\\nbreak.\n\n- one\nmore\n- two\n\n> said\n> on';
    const said = (flowing: boolean) => readMarkdown(text, flowing).map((block) => ('parts' in block ? block.parts : 'items' in block ? block.items.flat() : []).map((part) => part.text).join('|'));
    expect(said(true)).toEqual(['Drop discs into columns; four win.', 'Keep\nthis\nbreak.', 'one more|two', 'said on']);
    expect(said(false)).toEqual(['Drop discs\ninto columns;\nfour win.', 'Keep\nthis\\\nbreak.', 'one', 'more', 'two', 'said\non']);
  });
  it('takes no long time for anything', () => {
    const hostile = `${'*'.repeat(20_000)}\n${'[a]('.repeat(5000)}\n${'_ '.repeat(10_000)}`;
    expect(readMarkdown(hostile).length).toBeGreaterThan(0);
  });
});
