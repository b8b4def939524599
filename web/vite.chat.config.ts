import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { depfile } from './build_tools/depfile';

// The board in the chat: one script and one style sheet, which build_tools/one_file.mjs puts into one document.
export default defineConfig({
  plugins: [svelte(), depfile(process.env.OPENSEAT_DEPFILE, process.env.OPENSEAT_DEPFILE_TARGET)],
  publicDir: false,
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    lib: { entry: 'src/chat/main.ts', formats: ['iife'], name: 'board', fileName: () => 'board.js', cssFileName: 'board' },
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
  define: { 'process.env.NODE_ENV': '"production"' },
});
