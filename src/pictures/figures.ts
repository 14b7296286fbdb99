/** Numbers as people read them, in pictures and on the command line. */

/** 1,234,567 */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** Three significant digits, for tables. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const decimals = value === 0 ? 0 : 2 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(Math.max(decimals, 0), 6));
}

/** 1.23 MB: units of 10⁶ bytes, as in GB/s. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 3);
  return power === 0 ? `${bytes} bytes` : `${formatFigure(bytes / 1000 ** power)} ${units[power]}`;
}
