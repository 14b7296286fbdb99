/** Vite's way to ask for the URL of a file. */
declare module '*.wasm?url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: Vite's contract
  export default url;
}
