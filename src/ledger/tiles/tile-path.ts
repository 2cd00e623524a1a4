import { TILE_WIDTH, type TileId } from '../verify/tile.ts';

/** What the path of C2SP tlog-tiles asks for: so many of the hashes of a tile, or of the entries under it. */
export type TileRequest =
  | { readonly kind: 'hashes'; readonly tile: TileId; readonly width: number }
  | { readonly kind: 'entries'; readonly index: number; readonly width: number };

const MAX_LEVEL = 63;

/** 1234067 as `x001/x234/067`. */
function formatIndex(index: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  return groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
}

/** The path after `tile/`. */
export function formatTilePath(request: TileRequest): string {
  const [row, index] = request.kind === 'hashes' ? [String(request.tile.level), request.tile.index] : ['entries', request.index];
  return `${row}/${formatIndex(index)}${request.width < TILE_WIDTH ? `.p/${String(request.width)}` : ''}`;
}

/** Null where the path is not exactly what `formatTilePath` would write. */
export function parseTilePath(path: string): TileRequest | null {
  const [, row = '', groups = '', partial] = /^(\d+|entries)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(path) ?? [];
  const index = Number(groups.replaceAll(/[x/]/g, '') || 'none');
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  if (!Number.isSafeInteger(index) || width < 1) return null;
  const request: TileRequest =
    row === 'entries' ? { kind: 'entries', index, width } : { kind: 'hashes', tile: { level: Number(row), index }, width };
  if (request.kind === 'hashes' && request.tile.level > MAX_LEVEL) return null;
  return formatTilePath(request) === path ? request : null;
}
