import zlib, { type Zlib } from 'node:zlib';
import type { Transform } from 'node:stream';

type Decoder = Transform & Zlib;

/** In Node from 22.15 on. */
const zstd: unknown = Reflect.get(zlib, 'createZstdDecompress');
const createZstd = typeof zstd === 'function' ? (zstd as (options: object) => Decoder) : undefined;

export const ACCEPT_ENCODING = createZstd === undefined ? 'gzip, deflate, br' : 'gzip, deflate, br, zstd';

const OPTIONS = { chunkSize: 32 * 1024 };

export type Coding =
  | { readonly kind: 'plain' }
  | {
      readonly kind: 'coded';
      readonly name: string;
      /** The choice of decoder may depend on the first bytes of the body. */
      readonly decoder: (first: Uint8Array) => Decoder;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

/** `deflate` with the zlib wrapper, as the standard says, or raw, as some servers send it. */
const inflate = (first: Uint8Array): Decoder => {
  const wrapped = ((first[0] ?? 0) & 0x0f) === 8 && (((first[0] ?? 0) << 8) | (first[1] ?? 0)) % 31 === 0;
  return wrapped ? zlib.createInflate(OPTIONS) : zlib.createInflateRaw(OPTIONS);
};

const COMPRESSIONS = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'x-compress', 'dcb', 'dcz', 'exi', 'pack200-gzip']);

/** At most one coding, because nested codings serve decompression bombs only. Unknown words (`utf-8`, `none`) are ignored, as browsers do. */
export function readCoding(header: string | undefined): Coding {
  const names = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => COMPRESSIONS.has(name));
  const [name] = names;
  if (name === undefined) return { kind: 'plain' };
  if (names.length > 1) return { kind: 'unknown', reason: 'the answer is compressed more than once' };
  if (name === 'gzip' || name === 'x-gzip') return { kind: 'coded', name, decoder: () => zlib.createGunzip(OPTIONS) };
  if (name === 'deflate') return { kind: 'coded', name, decoder: inflate };
  if (name === 'br') return { kind: 'coded', name, decoder: () => zlib.createBrotliDecompress(OPTIONS) };
  if (name === 'zstd' && createZstd !== undefined) return { kind: 'coded', name, decoder: () => createZstd(OPTIONS) };
  return { kind: 'unknown', reason: `the answer uses a compression that was not requested (${name})` };
}
