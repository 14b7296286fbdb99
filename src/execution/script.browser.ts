/** Starts the script of a worker in a page, and describes a failed start. */
import { watchPolicy } from '../core/policy.browser.js';
import { notStarted, type Script, START_MS } from './script.js';

/** @throws SparlaneError `backend` if the browser refuses the URL at once, such as a URL of another origin */
export function startScript(script: Script, start: () => Worker): Worker {
  try {
    return start();
  } catch (cause) {
    throw notStarted(script, String(cause));
  }
}

/** Resolves at the worker's first message. @throws SparlaneError `backend` if it fails before, or sends no message */
export function started(worker: Worker, script: Script): Promise<void> {
  const listening = new AbortController();
  const { signal } = listening;
  const cure = watchPolicy(({ effectiveDirective }) => effectiveDirective === 'worker-src', signal);
  return new Promise<void>((resolve, reject) => {
    // The event of a script that is forbidden or not there has no message.
    const refuse = async (reason: string | undefined): Promise<void> => {
      const advice = reason ? undefined : await cure();
      const got = advice === undefined ? reason || (await askFor(script)) : 'a refusal of the browser';
      reject(notStarted(script, got, advice));
    };
    const timer = setTimeout(refuse, START_MS, `silence for ${START_MS} ms`);
    signal.addEventListener('abort', () => clearTimeout(timer));
    worker.addEventListener('message', () => resolve(), { signal });
    worker.addEventListener('error', ({ message }) => void refuse(message), { signal });
  }).finally(() => listening.abort());
}

/** A browser gives no reason if a script does not load. The response of the server may give one. */
async function askFor({ url }: Script): Promise<string> {
  const unknown = 'an error without a reason';
  if (url === undefined) return unknown;
  try {
    const response = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(START_MS) });
    if (!response.ok) return `HTTP status ${response.status} from ${url}`;
    const type = response.headers.get('content-type') ?? 'a file without a type';
    return `${type.includes('javascript') ? unknown : type} from ${url}`;
  } catch (error) {
    return `${error} from ${url}`;
  }
}
