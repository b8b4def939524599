// node npm_packages.mjs FOLDER VERSION HOMEPAGE ARCH: writes FOLDER/openseat/package.json, the launcher, and
// FOLDER/platform/package.json, which has the program for one platform.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, version, homepage, arch] = process.argv.slice(2);
const platforms = ['linux-x64']; // platforms in a release; the launcher picks the matching one

const common = {
  version,
  license: 'MIT',
  homepage,
  repository: { type: 'git', url: `git+${homepage}.git` },
};
function write(name, content) {
  writeFileSync(join(folder, name, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
}

write('openseat', {
  name: 'openseat',
  description: 'Gives any agent a seat at any game: a server and a command-line tool',
  keywords: ['neuro', 'game', 'agent', 'llm', 'mcp', 'server'],
  ...common,
  mcpName: 'io.github.openseat/openseat', // as in packaging/mcp/server.json
  bin: { openseat: 'bin/openseat.js' },
  files: ['bin'],
  engines: { node: '>=18' },
  optionalDependencies: Object.fromEntries([...new Set([...platforms, `linux-${arch}`])].map((each) => [`@openseat/${each}`, version])),
});
write('platform', {
  name: `@openseat/linux-${arch}`,
  description: `The program of openseat for Linux (glibc 2.36 or newer), ${arch}`,
  ...common,
  os: ['linux'],
  cpu: [arch],
  libc: ['glibc'],
  files: ['bin', 'lib', 'licenses'],
  preferUnplugged: true,
});
