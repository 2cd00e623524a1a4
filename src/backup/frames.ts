import { createHmac, hkdfSync } from 'node:crypto';

/**
 * A backup is a line that says so, and frames: a letter, four bytes of length, the payload. H: the head; T: a table begins; D: a piece of
 * its rows, deflated; E: it ends; Z: the MAC over every byte before. Nothing in it names a file or is run.
 */
export const MAGIC = Buffer.from('watchledger-backup 1\n');
export const FRAME_HEAD_BYTES = 5;
/** Of rows, before they are deflated. */
export const PIECE_BYTES = 1024 * 1024;
export const MOST_BYTES = 4 * PIECE_BYTES;
export const MAC_BYTES = 32;

export const KINDS = ['H', 'T', 'D', 'E', 'Z'] as const;
export type FrameKind = (typeof KINDS)[number];

export interface Frame {
  readonly kind: FrameKind;
  readonly payload: Buffer;
}

export function frameHead(kind: FrameKind, length: number): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(length, 1);
  return head;
}

const derived = (master: Uint8Array, use: string): Buffer => Buffer.from(hkdfSync('sha256', master, '', `watchledger backup ${use}`, 32));

/** Who cannot read the keys cannot make a backup that is taken for ours. */
export const macOf = (master: Uint8Array): ReturnType<typeof createHmac> => createHmac('sha256', derived(master, 'mac'));

/** Tells one master key from another and says nothing about it. */
export const keyIdOf = (master: Uint8Array): string => derived(master, 'key id').toString('hex', 0, 8);
