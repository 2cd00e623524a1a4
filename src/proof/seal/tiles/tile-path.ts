import { TILE_WIDTH, type TileId } from '../../../client/proofs/tile.ts';

/** A tile request of C2SP tlog-tiles: the first `width` hashes of a tile, or the entries under it. */
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

/** Null unless the path is exactly in the form of `formatTilePath`. */
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

const MAX_ENTRY_BYTES = 0xffff;

/** C2SP tlog-tiles, log entries: each prefixed by its length as a big-endian uint16. Events are limited well below that. */
export function entryBundle(leaves: readonly string[]): Buffer {
  return Buffer.concat(
    leaves.flatMap((leaf) => {
      const bytes = Buffer.from(leaf);
      if (bytes.length > MAX_ENTRY_BYTES) throw new RangeError(`an entry of ${String(bytes.length)} bytes is longer than 65535`);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      return [length, bytes];
    }),
  );
}
