/**
 * Compiles `assembly/`: first the modules of the reader and of orders, which stand alone, then the kernels, which `describe-kernels.mjs` describes, to both of
 * their binaries in parallel: 40 s on two cores; and the complex kernels likewise. Does nothing for binaries that were built from the same sources, with the same options and
 * the same compiler, and takes such binaries from the cache.
 *
 * The modules that stand alone, 7 and 12 kB, and those of complex kernels are written in base64, so that they need no other file, wherever a bundler puts them.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { hashOf, keepFiles, takeFiles } from './build-cache.mjs';
import { describeKernels } from './describe-kernels.mjs';
import { orderFunctions } from './order-functions.mjs';

/** Each: the folder of the sources, the options, and the module that gets each binary as a constant, by target. */
const ALONE = [
  {
    folder: 'assembly/text',
    config: 'asconfig.text.json',
    module: 'dist/io/matrix-market/text.wasm.js',
    names: { text: 'TEXT_WASM' },
  },
  {
    folder: 'assembly/order',
    config: 'asconfig.order.json',
    module: 'dist/reorder/order.wasm.js',
    names: { order: 'ORDER_WASM' },
  },
];
const KERNELS = { folder: 'assembly', config: 'asconfig.json', described: 'build/index.ts', except: 'complex/' };
const COMPLEX = {
  folder: 'assembly',
  config: 'asconfig.complex.json',
  described: 'build/complex.ts',
  module: 'dist/kernels/complex.wasm.js',
  names: { simd: 'SIMD_WASM', 'relaxed-simd': 'RELAXED_SIMD_WASM' },
};

const compilerManifest = createRequire(import.meta.url).resolve('assemblyscript/package.json');
const { version } = JSON.parse(readFileSync(compilerManifest, 'utf8'));
const own = ['build-kernels.mjs', 'order-functions.mjs'].map((name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8'),
);

await Promise.all(ALONE.map((one) => ensureBuilt(one)));
const described = await describeKernels();
for (const one of [KERNELS, COMPLEX]) {
  const others = [KERNELS, COMPLEX].filter((other) => other !== one).map((other) => other.described);
  await ensureBuilt(
    one,
    described.filter((path) => !others.includes(path)),
  );
}

/** @param described further files that the binaries are made from @param except sources that they are not made from begin so */
async function ensureBuilt({ folder, config, module, names, except }, described = []) {
  const targets = Object.entries(JSON.parse(readFileSync(config, 'utf8')).targets);
  const binaries = targets.map(([, { outFile }]) => outFile);
  const outputs = module === undefined ? binaries : [...binaries, module];
  const stamp = `${binaries[0]}.sha256`;
  const sources = readdirSync(folder, { recursive: true }).filter(
    (path) => path.endsWith('.ts') && !path.startsWith(except),
  );
  const paths = [config, ...described, ...sources.sort().map((path) => join(folder, path))];
  const hash = hashOf([version, ...own], paths);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash && outputs.every((path) => existsSync(path))) return;
  mkdirSync(dirname(stamp), { recursive: true });
  rmSync(stamp, { force: true });
  if (!(await takeFiles(hash, outputs))) {
    await Promise.all(targets.map(([target]) => compile(config, target)));
    if (module === undefined) for (const path of binaries) writeFileSync(path, orderFunctions(readFileSync(path)));
    if (module !== undefined) {
      mkdirSync(dirname(module), { recursive: true });
      const lines = targets.map(
        ([target, { outFile }]) => `export const ${names[target]} = '${readFileSync(outFile, 'base64')}';\n`,
      );
      writeFileSync(module, lines.join(''));
    }
    await keepFiles(hash, outputs);
  }
  writeFileSync(stamp, hash);
}

function compile(config, target) {
  const asc = join(dirname(compilerManifest), 'bin/asc.js');
  const compiler = spawn(process.execPath, [asc, '--config', config, '--target', target], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    compiler.on('error', reject);
    compiler.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`asc --target ${target} failed`))));
  });
}
