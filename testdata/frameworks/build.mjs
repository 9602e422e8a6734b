// Bundles every app in src to dist, one page each. Svelte has its own compiler.
import { build } from 'esbuild';
import { compile } from 'svelte/compiler';
import { mkdir, readFile, readdir, writeFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';

const svelte = {
  name: 'svelte',
  setup(b) {
    b.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compile(await readFile(path, 'utf8'), { filename: basename(path), css: 'injected', generate: 'client' });
      return { contents: js.code, loader: 'js', resolveDir: 'src' };
    });
  },
};

await rm('dist', { recursive: true, force: true });
await mkdir('dist');
const apps = (await readdir('src')).filter((f) => /\.(jsx|js)$/.test(f) && !f.startsWith('_'));
await build({
  entryPoints: apps.map((f) => 'src/' + f), outdir: 'dist', bundle: true, format: 'iife', minify: true, target: 'es2022', logLevel: 'warning',
  conditions: ['svelte', 'browser', 'production'], mainFields: ['svelte', 'browser', 'module', 'main'],
  define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
  alias: { vue: 'vue/dist/vue.esm-bundler.js' }, jsx: 'automatic', plugins: [svelte],
});
const files = await readdir('dist');
for (const f of apps) {
  const name = f.replace(/\.jsx?$/, ''), css = files.includes(name + '.css') ? `<link rel="stylesheet" href="${name}.css">` : '';
  await writeFile(`dist/${name}.html`, `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title>${css}<body style="font:15px system-ui;margin:2rem"><div id="app"></div><script src="${name}.js"></script></body></html>\n`);
}
console.log(apps.length + ' apps in dist');
