/** Files of the net. */
import { mismatch } from '../../core/errors.js';

/** The file at a URL, as a stream. @throws SparlaneError `parse`, naming the URL; the signal's reason on abort */
export async function download(url: string, signal: AbortSignal | undefined): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(url, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw mismatch('parse', url, 'a file that can be fetched', String(error), { url });
  });
  if (!response.ok || response.body === null) {
    throw mismatch('parse', url, 'a file that can be fetched', `HTTP status ${response.status}`, { url });
  }
  return response.body;
}

/** The last part of the path of a URL, for errors. */
export function nameIn(url: string): string {
  return (
    url
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) || url
  );
}
