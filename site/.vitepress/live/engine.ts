/** The engine of the live page: one for all of its parts, begun by the first that needs it. */
import type { AsyncEngine } from 'sparlane/async';

export type { AsyncEngine };

let started: Promise<AsyncEngine> | undefined;

export function theEngine(): Promise<AsyncEngine> {
  started ??= newEngine();
  return started;
}

/** @param threads default: all cores, if the page is isolated */
export async function newEngine(threads?: number): Promise<AsyncEngine> {
  const { createAsyncEngine } = await import('sparlane/async');
  return createAsyncEngine(threads === undefined ? {} : { threads });
}

/**
 * Asks for cross-origin isolation where the server does not send its headers: a service worker adds them, and the page is loaded again.
 * `?isolation=off` leaves the page as it is, with one thread.
 */
export function isolate(base: string): void {
  if (crossOriginIsolated || new URLSearchParams(location.search).get('isolation') === 'off') return;
  const script = document.createElement('script');
  script.src = `${base}coi-serviceworker.js`;
  document.head.append(script);
}
