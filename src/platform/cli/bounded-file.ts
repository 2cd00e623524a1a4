import { closeSync, openSync, readSync } from 'node:fs';
import { StartRefused } from '../../kernel/start-refused.ts';
import { codeOf, reasonOf } from '../../kernel/system-error.ts';

const CHUNK = 64 * 1024;
const MIB = 1024 * 1024;

/** The bytes of a file or a pipe of at most so many MiB: a device such as /dev/zero, which never ends, does not fill the memory. */
export function boundedFile(name: string, mostMib: number): Buffer {
  try {
    const file = openSync(name, 'r');
    try {
      return readUpTo(file, mostMib * MIB) ?? refuse(name, `is larger than ${String(mostMib)} MiB`);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof StartRefused) throw error;
    const code = codeOf(error);
    if (code === 'ENOENT') return refuse(name, 'there is no such file');
    return refuse(name, code === 'EISDIR' ? 'is a folder' : `cannot be read: ${reasonOf(error)}`);
  }
}

function refuse(name: string, why: string): never {
  throw new StartRefused(`${name}: ${why}`);
}

/** Null when the file has more bytes. */
function readUpTo(file: number, most: number): Buffer | null {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= most;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const read = readSync(file, chunk);
    if (read === 0) return Buffer.concat(chunks, size);
    chunks.push(chunk.subarray(0, read));
    size += read;
  }
  return null;
}
