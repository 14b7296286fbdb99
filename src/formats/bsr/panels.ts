/** Panels: the rows of a block row that a kernel computes at a time. */

/** The most rows whose sums a kernel holds in registers. */
export const PANEL_ROWS = 8;

/** The number of panels of a block row. */
export function panelsOf(blockSize: number): number {
  return Math.ceil(blockSize / PANEL_ROWS);
}

/** First row of a panel within its block row: heights differ by one at most. */
export function panelTop(blockSize: number, panel: number): number {
  return Math.floor((panel * blockSize) / panelsOf(blockSize));
}

/** The panel of a row of a block row: its first row, and its rows. */
export function panelOfRow(blockSize: number, row: number): { top: number; height: number } {
  const panel = Math.floor(((row + 1) * panelsOf(blockSize) - 1) / blockSize);
  const top = panelTop(blockSize, panel);
  return { top, height: panelTop(blockSize, panel + 1) - top };
}
