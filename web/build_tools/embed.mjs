// embed.mjs DIST BOARD OUT.cc: writes the files in DIST, compressed, as a table that is linked into the program, and BOARD, a document of its own
// (src/web_ui/web_files.h).
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const [dist, board, out] = process.argv.slice(2);
if (!dist || !board || !out) throw new Error('usage: embed.mjs DIST BOARD OUT.cc');

const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(dist, join(entry.parentPath ?? entry.path, entry.name)))
  .sort();

// A C++ string literal: three octal digits for special characters.
function literal(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 4096) {
    let line = '';
    for (const byte of bytes.subarray(at, at + 4096)) {
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
      line += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
    }
    lines.push(`"${line}"`);
  }
  return lines.join('\n     ');
}

let text = '// Made by web/build_tools/embed.mjs.\n#include "web_ui/web_files.h"\n\nnamespace openseat::web_ui {\n\n';
text += 'using namespace std::string_view_literals;\n\nconst std::vector<PackedFile>& PackedFiles() {\n';
text += '  static const std::vector<PackedFile> files = {\n';
function packed(name, bytes) {
  const zipped = gzipSync(bytes, { level: 9 });
  zipped[9] = 255; // the operating system: unknown, so all machines produce the same bytes
  return `{${JSON.stringify(name)}, ${bytes.length}, ${name.startsWith('assets/')},\n     ${literal(zipped)}sv,\n     ${literal(brotliCompressSync(bytes))}sv}`;
}
for (const name of files) text += `    ${packed(name, readFileSync(join(dist, name)))},\n`;
text += '  };\n  return files;\n}\n\n';
text += `const PackedFile& ChatBoard() {\n  static const PackedFile file = ${packed('board.html', readFileSync(board))};\n  return file;\n}\n\n`;

// The script that is in the page itself, as the content security policy names it.
const [, script] = /<script>([^]*?)<\/script>/.exec(readFileSync(join(dist, 'index.html'), 'utf8')) ?? [];
if (script === undefined) throw new Error('index.html must have a script of its own (build_tools/early.ts)');
text += `std::string_view PageScript() { return "'sha256-${createHash('sha256').update(script).digest('base64')}'"; }\n\n`;
text += '}  // namespace openseat::web_ui\n';

// An interrupted run leaves the previous file.
writeFileSync(`${out}.part`, text);
renameSync(`${out}.part`, out);
