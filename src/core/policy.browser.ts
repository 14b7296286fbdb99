/**
 * Finds what the Content Security Policy of a page forbids. The browser's errors rarely say so, but its reports name the directive. A worker has the policy
 * of the response with its script.
 */

/** The browser's report of a violation follows the error within this time. Chosen: some ms are usual. */
const REPORT_MS = 500;

/**
 * Listens to reports of one kind until the signal aborts.
 *
 * @returns a function that waits for a report: the change of the policy that would help, or undefined if there is none
 */
export function watchPolicy(
  isMine: (report: SecurityPolicyViolationEvent) => boolean,
  signal: AbortSignal,
): () => Promise<string | undefined> {
  const reported = new Promise<string>((resolve) => {
    const hear = (report: SecurityPolicyViolationEvent): void => {
      if (report.disposition === 'enforce' && isMine(report)) resolve(cureOf(report));
    };
    // Runtimes without pages have no events.
    globalThis.addEventListener?.('securitypolicyviolation', hear, { signal });
  });
  const silence = () => new Promise<undefined>((resolve) => setTimeout(resolve, REPORT_MS));
  return () => Promise.race([reported, silence()]);
}

function cureOf({ effectiveDirective, documentURI, blockedURI }: SecurityPolicyViolationEvent): string {
  const source = blockedURI === 'wasm-eval' ? "'wasm-unsafe-eval'" : blockedURI;
  return `let ${effectiveDirective} in the Content Security Policy of ${documentURI} allow ${source}`;
}
