// A Vite plugin for the ninja build: writes a depfile that names every input of the bundle, so that ninja
// rebuilds it exactly when one of them changed. Does nothing unless the build names a depfile.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';

// Workers are bundled separately, and are not among the other modules.
const ofWorkers = new Set<string>();
export function depfileOfWorkers(): Plugin {
  return {
    name: 'openseat-depfile-workers',
    apply: 'build',
    moduleParsed({ id }) {
      ofWorkers.add(id);
    },
  };
}

export function depfile(path: string | undefined, target: string | undefined): Plugin {
  return {
    name: 'openseat-depfile',
    apply: 'build',
    closeBundle() {
      if (!path || !target) return;
      const files = new Set<string>();
      for (const id of [...this.getModuleIds(), ...ofWorkers]) {
        const file = id.split('?')[0] ?? '';
        if (file.startsWith('/') && !file.includes('/node_modules/') && !file.includes('\0')) files.add(file);
      }
      files.add(resolve('index.html'));
      const escaped = [...files].sort().map((file) => file.replaceAll(' ', '\\ '));
      writeFileSync(path, `${target}: ${escaped.join(' ')}\n`);
    },
  };
}
