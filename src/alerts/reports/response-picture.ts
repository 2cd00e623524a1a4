import { crc32, deflateSync } from 'node:zlib';
import { addDays, dayIn, instantAt } from './local-time.ts';
import type { ResponsePoint } from './report.ts';
import type { ReportSpan } from '../sender/outgoing-message.ts';

type Colour = readonly [red: number, green: number, blue: number];

/** A paletted image: one byte per pixel, rows from the top. */
interface PalettedImage {
  readonly width: number;
  readonly height: number;
  readonly palette: readonly Colour[];
  readonly points: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BITS = 8;
const BY_PALETTE = 3;

/** PNG, because mail programs do not show SVG. */
export function png({ width, height, palette, points }: PalettedImage): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([BITS, BY_PALETTE, 0, 0, 0], 8);
  // Each row starts with its filter type, 0 for none.
  const rows = Buffer.alloc(height * (width + 1));
  for (let row = 0; row < height; row++) rows.set(points.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

export const PICTURE_WIDTH = 560;
export const PICTURE_HEIGHT = 120;

const BACKGROUND = 0;
const GRID = 1;
const BAR = 2;
const palette: readonly Colour[] = [
  [255, 255, 255],
  [217, 222, 228],
  [9, 105, 218],
];
const LEVELS = 4;

/** The value of the upper edge: the next round number above the maximum. */
export function chartCeiling(points: readonly ResponsePoint[]): number {
  const most = Math.max(1, ...points.map(({ milliseconds }) => milliseconds));
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((step) => step * power).find((head) => head >= most) ?? most;
}

/** A bar chart of the week with a line at each midnight and each quarter of the height; gaps where there was no answer. */
export function responsePicture(points: readonly ResponsePoint[], { from, to }: ReportSpan, zone: string): PalettedImage {
  const pixels = new Uint8Array(PICTURE_WIDTH * PICTURE_HEIGHT).fill(BACKGROUND);
  const fill = (left: number, top: number, width: number, colour: number): void => {
    const begin = Math.max(0, left);
    const end = Math.min(PICTURE_WIDTH, left + width);
    for (let row = Math.max(0, top); row < PICTURE_HEIGHT; row++)
      if (begin < end) pixels.fill(colour, row * PICTURE_WIDTH + begin, row * PICTURE_WIDTH + end);
  };
  const x = (at: number): number => Math.round(((at - from) / (to - from)) * PICTURE_WIDTH);
  const y = (share: number): number => Math.round((1 - share) * (PICTURE_HEIGHT - 1));
  for (let level = 0; level <= LEVELS; level++)
    pixels.fill(GRID, y(level / LEVELS) * PICTURE_WIDTH, (y(level / LEVELS) + 1) * PICTURE_WIDTH);
  for (let day = dayIn(zone, from), at = from; at < to; day = addDays(day, 1), at = instantAt(zone, day, 0)) fill(x(at), 0, 1, GRID);
  const head = chartCeiling(points);
  const step = points.reduce((least, { at }, index) => Math.min(least, at - (points[index - 1]?.at ?? -Infinity)), (to - from) / 7);
  const width = Math.max(1, Math.floor((step / (to - from)) * PICTURE_WIDTH));
  for (const { at, milliseconds } of points) fill(x(at), y(milliseconds / head), width, BAR);
  return { width: PICTURE_WIDTH, height: PICTURE_HEIGHT, palette, points: pixels };
}
