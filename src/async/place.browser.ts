/** Absolute URLs, because a relative one has another base in the worker. */
import { mismatch } from '../core/errors.js';

/** @throws SparlaneError `argument`, naming the option */
export function absolute(option: string, url: URL | string): string {
  const base = globalThis.document?.baseURI ?? location.href;
  if ((typeof url === 'string' || url instanceof URL) && URL.canParse(url, base)) return new URL(url, base).href;
  throw mismatch('argument', option, 'a URL', url);
}
