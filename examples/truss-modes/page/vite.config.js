/** Threads need a cross-origin isolated page: the server of the page and its workers must send these headers. */
const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default { server: { headers }, preview: { headers } };
