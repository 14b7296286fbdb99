/** Pictures in a page: the built entry in Debian's Chromium, on light and on dark pages. */
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { chromium, type Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { describe, expect, test } from 'vitest';
import { gallery } from '#dist/gallery/registry.js';
import { residualPlot, spy } from '#dist/pictures/index.js';
import { CHROMIUM, FLAGS } from '../../scripts/chromium.mjs';
import { browserIsThere } from '../browser/harness.js';

const matrix = gallery('circuit', { n: 200, hubs: 1, hubLength: 200 });
const { rows, cols } = matrix;
const arrays = { rows, cols, rowPtr: [...matrix.rowPtr], colIdx: [...matrix.colIdx] };

/** The entry as a script that defines `pictures`. */
async function scriptOfEntry(): Promise<string> {
  const entry = fileURLToPath(new URL('../../dist/pictures/index.js', import.meta.url));
  const lib = { entry, formats: ['iife' as const], name: 'pictures' };
  const [{ output }] = (await build({
    configFile: false,
    logLevel: 'error',
    build: { lib, write: false },
  })) as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  return output[0].code;
}

/** The pixels of a canvas in the page after a picture was drawn. */
function drawnIn(page: Page, width: number, height: number): Promise<number[]> {
  return page.evaluate(
    ({ arrays, width, height }) => {
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width, height });
      const { spy } = (globalThis as unknown as { pictures: typeof import('#dist/pictures/index.js') }).pictures;
      spy(arrays, { as: 'canvas', canvas });
      return [...canvas.getContext('2d')!.getImageData(0, 0, width, height).data];
    },
    { arrays, width, height },
  );
}

/** The colours of a PNG, with opaque pixels, in the middle of a transparent canvas. */
function onCanvas(png: Uint8Array, width: number, height: number): number[] {
  const image = decode(png);
  const pixels = new Array<number>(4 * width * height).fill(0);
  const [left, top] = [Math.floor((width - image.width) / 2), Math.floor((height - image.height) / 2)];
  for (let y = 0; y < image.height; y++) {
    for (let x = 0; x < image.width; x++) {
      const colour = [...image.palette![image.data[y * image.width + x]!]!, 255];
      for (const [channel, value] of colour.entries()) pixels[4 * ((y + top) * width + x + left) + channel] = value;
    }
  }
  return pixels;
}

describe.skipIf(!browserIsThere('pictures in a page'))('in a page', () => {
  test('a canvas has the pixels of the PNG, in the scheme of the page; SVG takes its colours', async () => {
    const script = await scriptOfEntry();
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    try {
      for (const scheme of ['light', 'dark'] as const) {
        const page = await browser.newPage({ colorScheme: scheme });
        await page.setContent(`${spy(matrix)}${residualPlot({ residualNorms: [1, 0.1] })}`);
        await page.addScriptTag({ content: script });
        const png = spy(matrix, { as: 'png', size: 210, scheme });
        expect(await drawnIn(page, 260, 210)).toEqual(onCanvas(png, 260, 210));
        const paper = await page
          .locator('svg rect')
          .evaluateAll((all) => all.map((rect) => getComputedStyle(rect).fill));
        expect(paper).toEqual(
          scheme === 'light' ? ['rgb(255, 255, 255)', 'rgb(255, 255, 255)'] : ['rgb(16, 21, 29)', 'rgb(22, 24, 28)'],
        );
        await page.close();
      }
    } finally {
      await browser.close();
    }
  });
});
