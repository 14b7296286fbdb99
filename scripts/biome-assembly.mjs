/**
 * Runs Biome on `assembly/`: checks it, or with --write formats it and applies safe fixes.
 *
 * AssemblyScript allows decorators on functions. TypeScript's grammar, which Biome follows, does not. Each decorator is
 * on a separate line. So Biome gets copies of the files with these lines as comments; line numbers do not change.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const FOLDER = 'assembly';
const write = process.argv.includes('--write');

const hide = (text) => text.replaceAll(/^@inline$/gm, '//@inline');
const show = (text) => text.replaceAll(/^\/\/@inline$/gm, '@inline');

const root = mkdtempSync(join(tmpdir(), 'sparlane-assembly-'));
try {
  mkdirSync(join(root, FOLDER));
  const { files, ...config } = JSON.parse(readFileSync('biome.json', 'utf8'));
  writeFileSync(join(root, 'biome.json'), JSON.stringify({ ...config, vcs: {} }));
  const names = readdirSync(FOLDER, { recursive: true }).filter((name) => name.endsWith('.ts'));
  const paths = names.map((name) => join(FOLDER, name));
  for (const path of paths) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), hide(readFileSync(path, 'utf8')));
  }
  const biome = join(process.cwd(), 'node_modules/@biomejs/biome/bin/biome');
  const options = write ? ['--write'] : [];
  const { status } = spawnSync(process.execPath, [biome, 'check', '--error-on-warnings', ...options, FOLDER], {
    cwd: root,
    stdio: 'inherit',
  });
  if (write) {
    for (const path of paths) {
      const before = readFileSync(path, 'utf8');
      const after = show(readFileSync(join(root, path), 'utf8'));
      if (after !== before) writeFileSync(path, after);
    }
  }
  process.exitCode = status ?? 1;
} finally {
  rmSync(root, { recursive: true });
}
