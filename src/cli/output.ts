/** Output of the commands: results on stdout, everything else on stderr. */

/** Loaded on demand: it takes as long as everything else of the command line together. */
const { default: ora } = process.stderr.isTTY ? await import('ora') : {};

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Columns of the narrowest terminal for which tables are laid out. */
export const MAX_WIDTH = 100;

/** Lines of at most `width` characters, broken between words and at line breaks of the text; a longer word is cut. */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width));
}

function wrapLine(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ').flatMap((whole) => pieces(whole, width))) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function pieces(word: string, width: number): string[] {
  const count = Math.max(1, Math.ceil(word.length / width));
  return Array.from({ length: count }, (_, k) => word.slice(k * width, (k + 1) * width));
}

/** Minimum columns for a text next to its head, in any terminal. */
const MIN_TEXT = 40;

/**
 * A line that starts with `head`; if it is wider than a terminal of 100 columns, the text continues on indented lines.
 */
export function printLine(head: string, text: string): void {
  const [first, ...rest] = wrapText(text, Math.max(MAX_WIDTH - head.length, MIN_TEXT));
  print(`${head}${first}`);
  for (const line of rest) print(`${' '.repeat(head.length)}${line}`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** A single line on stderr, for any message. */
export function complain(message: string): void {
  process.stderr.write(`sparlane: ${message.trim().replace(/\s*\n\s*/g, ' ')}\n`);
}

export interface Spinner extends Disposable {
  say(text: string): void;
}

/** A spinner on stderr if it is a terminal; none in a pipe, in a log, or in a terminal without width, where ora hangs. */
export function showProgress(text: string): Spinner {
  const { stderr } = process;
  if (ora === undefined || stderr.columns === 0) return { say() {}, [Symbol.dispose]() {} };
  const spinner = ora({ text, stream: stderr, discardStdin: false }).start();
  return {
    say(news) {
      spinner.text = news;
      spinner.render();
    },
    [Symbol.dispose]: () => void spinner.stop(),
  };
}

const NAME_LENGTH = 32;

/** A matrix name without scheme and folders; a name that is too long is cut. */
export function shortName(source: string): string {
  const name = source.replace(/^gallery:/, '').replace(/^.*\//, '');
  return name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name;
}
