import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';

const PLAIN = 0;
const DEFLATED = 1;
/** Below this, compressing costs more than it saves. */
const WORTH = 48;

/** One byte says how the rest is kept. */
export function squeeze(bytes: Uint8Array, level: number = constants.Z_DEFAULT_COMPRESSION): Buffer {
  if (bytes.length >= WORTH) {
    const deflated = deflateRawSync(bytes, { level });
    if (deflated.length < bytes.length) return Buffer.concat([Buffer.of(DEFLATED), deflated]);
  }
  return Buffer.concat([Buffer.of(PLAIN), bytes]);
}

export function unsqueeze(bytes: Uint8Array): Uint8Array {
  const rest = bytes.subarray(1);
  if (bytes[0] === PLAIN) return rest;
  if (bytes[0] === DEFLATED) return inflateRawSync(rest);
  throw new RangeError('packed bytes begin in no known way');
}
