// one_file.mjs FOLDER: FOLDER/board.js and FOLDER/board.css as one document, FOLDER/board.html.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const kMost = 300_000; // bytes: what the page of a chat may weigh
const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: one_file.mjs FOLDER');

// Nothing in them may end the element that they are in.
const script = readFileSync(join(folder, 'board.js'), 'utf8').replaceAll('</script', '<\\/script');
const style = readFileSync(join(folder, 'board.css'), 'utf8').replaceAll('</style', '<\\/style');
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Openseat</title>
<style>${style}</style>
</head>
<body>
<script>${script}</script>
</body>
</html>
`;
const bytes = Buffer.byteLength(html);
if (bytes > kMost) throw new Error(`the board in the chat has ${bytes} bytes; it may have ${kMost}`);
writeFileSync(join(folder, 'board.html'), html);
