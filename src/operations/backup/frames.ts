import { createHmac, hkdfSync } from 'node:crypto';

/**
 * The backup format: a magic line, then frames of a letter, four bytes of length and the payload. H: the header; T: start of a table; D: a
 * piece of its rows, deflated; E: end of the table; Z: the MAC over every byte before. Nothing in it names a file or is executed.
 */
export const MAGIC = Buffer.from('watchledger-backup 1\n');
export const FRAME_HEAD_BYTES = 5;
/** Maximum length of a piece of rows before compression. */
export const PIECE_BYTES = 1024 * 1024;
export const MOST_BYTES = 4 * PIECE_BYTES;
export const MAC_BYTES = 32;

export const KINDS = ['H', 'T', 'D', 'E', 'Z'] as const;
export type FrameKind = (typeof KINDS)[number];

export interface BackupFrame {
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

/** Keyed by the master key: without it, a backup cannot be forged. */
export const macOf = (master: Uint8Array): ReturnType<typeof createHmac> => createHmac('sha256', derived(master, 'mac'));

/** Identifies the master key without revealing it. */
export const keyIdOf = (master: Uint8Array): string => derived(master, 'key id').toString('hex', 0, 8);
