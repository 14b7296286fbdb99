/** Debian's Chromium, as the tests of pages start it and serve it: one place for `test/browser` and `check-bundlers.mjs`. */

export const CHROMIUM = '/usr/bin/chromium';

/** Flags against permission dialogs and network requests of the browser. */
export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Headers that make a page cross-origin isolated. */
export const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
