import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { Platform } from '../../client/verify/platform.ts';

const inflate = promisify(inflateRaw);

/** A statement is computed and verified with Node's modules. */
export const nodePlatform: Platform = {
  sha256: (bytes) => hash('sha256', bytes, 'buffer'),
  inflate: (bytes) => inflate(bytes),
  fromBase64: (text) => Buffer.from(text, 'base64'),
  toBase64: (bytes) => Buffer.from(bytes).toString('base64'),
};
