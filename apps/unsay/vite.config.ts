import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * The pages: HTML files and their assets, everything bundled and nothing from elsewhere. In the mode `card` it is the
 * one page that hosts are given as a card: a single file, because a sandbox has nowhere to load another one from.
 */
export default defineConfig(({ mode }) => ({
  root: at('web'),
  publicDir: false,
  plugins: mode === 'card' ? [oneFile()] : [],
  build: {
    outDir: at('dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // An inlined asset would be a data: URI, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input:
        mode === 'card'
          ? { card: at('web/card.html') }
          : {
              index: at('web/index.html'),
              device: at('web/device.html'),
              console: at('web/console.html'),
              'sign-in': at('web/sign-in.html'),
            },
    },
  },
}));

/** Puts what a page loads into the page. The script goes to the end of the body, where it finds its document. */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = Object.values(bundle).find(({ fileName }) => fileName.endsWith('.html'));
      if (page?.type !== 'asset') throw new Error('there is no page to put anything into');
      let html = String(page.source);
      for (const file of Object.values(bundle)) {
        if (file === page) continue;
        const isScript = file.type === 'chunk';
        const text = isScript ? file.code : String(file.source);
        const tag = isScript ? 'script' : 'style';
        if (new RegExp(`</${tag}|<!--`, 'i').test(text))
          throw new Error(`${file.fileName} would end its own element`);
        const loader = new RegExp(`\\s*<(script|link)[^>]*${escaped(file.fileName)}[^>]*>(</script>)?`);
        if (!loader.test(html))
          throw new Error(`${file.fileName} is loaded by nothing, so the page is not one file`);
        html = html.replace(loader, '');
        const place = isScript ? '</body>' : '</head>';
        const whole = isScript ? `<script type="module">${text}</script>` : `<style>${text}</style>`;
        html = html.replace(place, () => `${whole}\n${place}`);
        delete bundle[file.fileName];
      }
      page.source = html;
    },
  };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
