/** Threads need a page that is cross-origin isolated: whatever serves it, and its workers, must send these headers. */
const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default { server: { headers }, preview: { headers } };
