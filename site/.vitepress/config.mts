/**
 * The site is the repository's own Markdown, where it is: README.md, docs/, the packages' READMEs and cuda/RESULTS.md, with the pages of this
 * folder and the API reference that typedoc writes into `api/`. Links between them are as in the repository.
 */
import { existsSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type DefaultTheme, defineConfigWithTheme, type MarkdownRenderer, type UserConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';

const SITE = fileURLToPath(new URL('..', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the site is served: `SITE_BASE=/sparlane/` for a folder of a host. */
const base = process.env.SITE_BASE ?? '/';

const DESCRIPTION =
  'Sparse matrix–vector products and iterative solvers for TypeScript at memory speed, in Node and in browsers.';

type Plugin = Extract<NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number], { name: string }>;
type Item = DefaultTheme.SidebarItem;

interface Manifest {
  readonly version: string;
  readonly repository?: { readonly url: string };
}

/** The address of the repository, which the manifest names from the first release on. */
const { repository, version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as Manifest;
const REPOSITORY = repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');

const GUIDE: Item[] = [
  {
    text: 'Guide',
    items: [
      { text: 'Getting started', link: '/start' },
      { text: 'Coming from SciPy, mathjs …', link: '/docs/coming-from' },
      { text: 'Algebra', link: '/docs/algebra' },
      { text: 'Blocks of vectors', link: '/docs/blocks' },
      { text: 'Solving', link: '/docs/solving' },
      { text: 'Multigrid', link: '/docs/multigrid' },
      { text: 'Eigenvalues', link: '/docs/eigenvalues' },
      { text: 'Files', link: '/docs/files' },
      { text: 'Servers and pages', link: '/docs/async' },
      { text: 'Bundlers', link: '/docs/bundlers' },
      { text: 'Use it in your library', link: '/docs/in-your-library' },
      { text: 'Ranks', link: '/docs/ranks' },
      { text: 'What works where', link: '/docs/platforms' },
      { text: 'NVIDIA GPUs', link: '/docs/gpus' },
    ],
  },
  {
    text: 'Speed',
    items: [
      { text: 'Choosing a format', link: '/docs/choosing-a-format' },
      { text: 'Formats', link: '/docs/formats' },
      { text: 'Ordering', link: '/docs/ordering' },
      { text: 'Tuning', link: '/docs/tuning' },
    ],
  },
  {
    text: 'Packages',
    items: [
      { text: '@sparlane/cli', link: '/cli/README' },
      { text: '@sparlane/graphs', link: '/graphs/README' },
      { text: '@sparlane/mathjs', link: '/mathjs/README' },
      { text: '@sparlane/tfjs', link: '/tfjs/README' },
      { text: '@sparlane/mpi', link: '/mpi/README' },
      { text: '@sparlane/cuda', link: '/cuda/README' },
    ],
  },
  {
    text: 'Evidence',
    items: [
      { text: 'Benchmarks', link: '/docs/benchmarks' },
      { text: 'Recorded reports', link: '/reports' },
      { text: 'Papers and their claims', link: '/papers' },
      { text: 'GPU results', link: '/cuda/RESULTS' },
      { text: 'Limits', link: '/limits' },
    ],
  },
  {
    text: 'Inside',
    items: [
      { text: 'Architecture', link: '/docs/architecture' },
      { text: 'Adding a format', link: '/docs/adding-a-format' },
      { text: 'Adding a solver', link: '/docs/adding-a-solver' },
      { text: 'Adding a preconditioner', link: '/docs/adding-a-preconditioner' },
      { text: 'Adding a file kind', link: '/docs/adding-a-file-kind' },
      { text: 'Pull requests', link: '/docs/pull-requests' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
  },
];

interface Entry {
  readonly title: string;
  readonly path?: string;
  readonly children?: Entry[];
}

/** Kinds that the sidebar lists one by one; of the others the page of their module has the list. */
const LISTED = /^(Functions|Classes|Variables)$/;

/** The sidebar of the reference, of what typedoc has written. */
function reference(): Item[] {
  const file = `${SITE}api/navigation.json`;
  if (!existsSync(file)) throw new Error(`${file}: expected the API reference (npm run api), got no file`);
  const link = (path = '') => `/api/${path.replace(/\.md$/, '').replace(/index$/, '')}`;
  const itemOf = (module: string, { title, path, children = [] }: Entry): Item => {
    if (path !== undefined) return moduleItem({ title, path, children });
    if (!LISTED.test(title)) return { text: title, link: `${module}#${title.toLowerCase().replaceAll(' ', '-')}` };
    return { text: title, items: children.map((child) => ({ text: child.title, link: link(child.path) })) };
  };
  const moduleItem = ({ title, path, children = [] }: Entry): Item => {
    return { text: title, link: link(path), items: children.map((child) => itemOf(link(path), child)) };
  };
  const [library, ...packages] = (JSON.parse(readFileSync(file, 'utf8')) as Entry[]).map(moduleItem);
  return [library!, ...packages.map((item) => ({ ...item, collapsed: true }))];
}

/** A heading of a table without text is a cell: readers of screens would announce an empty heading. */
function emptyHeadingsAsCells(md: MarkdownRenderer): void {
  md.core.ruler.push('empty-headings', ({ tokens }) => {
    for (const [k, { type }] of tokens.entries()) {
      if (type !== 'th_open' || tokens[k + 1]?.content !== '') continue;
      tokens[k]!.tag = 'td';
      tokens[k + 2]!.tag = 'td';
    }
  });
}

/** The index of the search is 1.3 MB of JSON, which not all servers compress. Its module gets the same text packed by gzip, in base64: a third of the size. */
const packedSearchIndex: Plugin = {
  name: 'packed-search-index',
  transform(code, id) {
    if (!id.startsWith('/@localSearchIndex') || !code.startsWith('export default "')) return undefined;
    const text = JSON.parse(code.slice('export default '.length)) as string;
    const packed = gzipSync(text, { level: 9 }).toString('base64');
    return `const bytes = Uint8Array.from(atob('${packed}'), (character) => character.charCodeAt(0));
export default await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();`;
  },
};

/** Vue, which pages outside of this folder would not find: on the server as Node resolves it for the site. */
const vueOfSite: Plugin = {
  name: 'vue-of-site',
  enforce: 'pre',
  resolveId(source, _importer, options) {
    if (!/^@?vue(\/|$)/.test(source)) return;
    if (options.ssr) return { id: source, external: true };
    return this.resolve(source, `${SITE}index.md`, { ...options, skipSelf: true });
  },
};

export default defineConfigWithTheme<DefaultTheme.Config & { repository?: string }>({
  title: 'sparlane',
  description: DESCRIPTION,
  lang: 'en',
  base,
  srcDir: ROOT,
  srcExclude: ['site/README.md', '**/{node_modules,dist,build,test,examples,bench}/**'],
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  /** A page stays in the folder in which its links are right. */
  rewrites: { 'README.md': 'start.md', 'site/:path*': ':path*' },
  lastUpdated: false,
  head: [['link', { rel: 'icon', href: `${base}icon.svg` }]],
  markdown: {
    config: emptyHeadingsAsCells,

    languageAlias: { mjs: 'js' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  /** Not pages of this site but files beside them; `links.mjs` follows these links too. */
  ignoreDeadLinks: [/^\/reports\//, /^\/llms/],
  vite: {
    publicDir: `${SITE}public`,
    build: { target: 'es2022' },
    // The engine's worker loads readers of files when it needs them.
    worker: { format: 'es' },
    plugins: [
      vueOfSite,
      packedSearchIndex,
      llmstxt({ domain: '', description: DESCRIPTION, ignoreFiles: ['site/api/**', 'CHANGELOG.md'] }),
    ],
  },
  async buildEnd({ outDir }) {
    await cp(fileURLToPath(import.meta.resolve('coi-serviceworker')), `${outDir}/coi-serviceworker.js`);
  },
  themeConfig: {
    ...(REPOSITORY !== undefined && { repository: REPOSITORY }),
    nav: [
      { text: 'Guide', link: '/start', activeMatch: '^/(start|docs|graphs|mathjs|tfjs)' },
      { text: 'Cookbook', link: '/cookbook' },
      { text: 'Live', link: '/live' },
      { text: 'Reference', link: '/api/', activeMatch: '^/api/' },
      { text: 'Benchmarks', link: '/reports' },
      {
        text: version,
        items: [
          ...(REPOSITORY === undefined ? [] : [{ text: 'Repository', link: REPOSITORY }]),
          { text: 'Changelog', link: '/CHANGELOG' },
        ],
      },
    ],
    logo: '/icon.svg',
    sidebar: { '/api/': reference(), '/': GUIDE },
    outline: [2, 3],
    search: { provider: 'local' },
    footer: {
      message: `sparlane ${version}, under the MIT licence. <a href="${base}CHANGELOG.html">Changelog</a>`,
    },
  },
});
