/** Threads need a page that is cross-origin isolated: whatever serves it, and its workers, must send these headers. */
const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

// biome-ignore lint/style/noDefaultExport: Vite's contract
export default { server: { headers }, preview: { headers } };
