import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The pages: three HTML files and their assets, everything bundled, nothing inline and nothing from elsewhere. */
export default defineConfig({
  root: at('web'),
  publicDir: false,
  build: {
    outDir: at('dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // An inlined asset would be a data: URI, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: at('web/index.html'), device: at('web/device.html'), console: at('web/console.html') },
    },
  },
});
