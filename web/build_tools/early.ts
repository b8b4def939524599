// A Vite plugin: a short script in index.html that asks for the files of the opened page while the first load is still on
// its way. The server does not know the page, because its path is behind "#". embed.mjs lets the script through the content
// security policy.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin, Rollup } from 'vite';

// A route of src/routes.ts that loads its page when it is opened.
const kRoute = /path: '([^']+)'.*import\('\.\/(pages\/[^']+)'\)/g;

// The files of a chunk and of what it imports, without those of the first load.
function filesOf(chunk: Rollup.OutputChunk, bundle: Rollup.OutputBundle, found = new Set<string>()): Set<string> {
  if (chunk.isEntry || found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const css of chunk.viteMetadata?.importedCss ?? []) found.add(css);
  for (const name of chunk.imports) {
    const imported = bundle[name];
    if (imported?.type === 'chunk') filesOf(imported, bundle, found);
  }
  return found;
}

export function early(): Plugin {
  return {
    name: 'openseat-early',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        if (!bundle) return undefined;
        const files: string[] = [];
        const numbered = (file: string): number => (files.includes(file) ? files.indexOf(file) : files.push(file) - 1);
        const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
        const routes = [...readFileSync(resolve('src/routes.ts'), 'utf8').matchAll(kRoute)].map(([, path = '', page = '']) => {
          const chunk = chunks.find((each) => each.moduleIds.includes(resolve('src', page)));
          if (!chunk) throw new Error(`no chunk has the page ${page} of src/routes.ts`);
          return [path.replace(/:\w+/g, '[^/]+'), ...[...filesOf(chunk, bundle)].map(numbered)];
        });
        const script = `{const r=${JSON.stringify(routes)},f=${JSON.stringify(files)},p=location.hash.slice(1).split("?")[0],m=r.find(([e])=>new RegExp("^"+e+"$").test(p));if(m)for(const n of m.slice(1)){const l=document.createElement("link"),c=f[n].endsWith("css");l.rel=c?"preload":"modulepreload";if(c)l.as="style";l.crossOrigin="";l.href="/"+f[n];document.head.append(l)}}`;
        // Before the style sheet, for which it would wait.
        return html.replace('<script ', (next) => `<script>${script}</script>\n    ${next}`);
      },
    },
  };
}
