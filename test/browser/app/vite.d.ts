/** Vite's way to ask for the URL of a bundled worker. */
declare module '*?worker&url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: Vite's contract
  export default url;
}
