// The README's moving picture: a game against a bot, from the start page on, as one animated PNG. `./dev screenshots`
// makes it with the screenshots.
import type { Browser, Page } from 'playwright-core';
import { comeAgain, visit } from './harness';

interface Frame {
  png: Buffer;
  ms: number; // how long it is shown
}

const kSignature = 8; // bytes before the first chunk

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function chunk(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...parts]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length - 4);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

// The contents of the chunks of one type.
function contents(png: Buffer, type: string): Buffer[] {
  const found: Buffer[] = [];
  for (let at = kSignature; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === type) found.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return found;
}

// 32-bit and 16-bit numbers, big-endian.
const u32 = (...values: number[]): Buffer => Buffer.concat(values.map((value) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])));
const u16 = (...values: number[]): Buffer => Buffer.concat(values.map((value) => Buffer.from([value >>> 8, value])));

// Joins pictures of one size (PNG specification, third edition: acTL, fcTL and fdAT). It repeats forever.
export function animate(frames: Frame[]): Buffer {
  const first = frames[0];
  const header = first && contents(first.png, 'IHDR')[0];
  if (!first || !header) throw new Error('there is no frame');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  let sequence = 0;
  const chunks = [first.png.subarray(0, kSignature), chunk('IHDR', header), chunk('acTL', u32(frames.length, 0))];
  for (const { png, ms } of frames) {
    if (!contents(png, 'IHDR')[0]?.equals(header)) throw new Error('all frames must have one size and form');
    chunks.push(chunk('fcTL', u32(sequence++, width, height, 0, 0), u16(ms, 1000), Buffer.from([0, 0])));
    for (const data of contents(png, 'IDAT')) chunks.push(png === first.png ? chunk('IDAT', data) : chunk('fdAT', u32(sequence++), data));
  }
  return Buffer.concat([...chunks, chunk('IEND')]);
}

export async function takeMotion(browser: Browser, url: string): Promise<Buffer> {
  const { page, context } = await visit(browser, `${url}/#/`, { viewport: { width: 800, height: 600 }, colorScheme: 'light', reducedMotion: 'reduce' });
  await comeAgain(page);
  const frames: Frame[] = [];
  const shoot = async (ms: number) => void frames.push({ png: await page.screenshot(), ms });
  await page.getByRole('button', { name: 'Play Connect-M against a bot' }).hover();
  await shoot(1500);
  await page.getByRole('button', { name: 'Play Connect-M against a bot' }).click();
  for (const column of [4, 3, 5, 2, 6, 1]) {
    if (!(await asked(page))) break;
    await shoot(700);
    await page.getByRole('button', { name: `Column ${column}:` }).click();
    await page.getByRole('button', { name: new RegExp(`Column ${column}: from the bottom: .*red`) }).waitFor();
    await shoot(500);
  }
  await asked(page);
  await shoot(2500);
  await context.close();
  return animate(frames);
}

// Whether it is the player's turn; not once the game is over.
async function asked(page: Page): Promise<boolean> {
  const turn = page.getByText('Your turn');
  await turn.or(page.getByRole('link', { name: 'Replay' })).first().waitFor();
  return (await turn.count()) > 0;
}
