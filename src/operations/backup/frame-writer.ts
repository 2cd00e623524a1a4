import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { type FrameKind, frameHead, MAGIC, macOf, PIECE_BYTES } from './frames.ts';

const deflate = promisify<Buffer, { level: number }, Buffer>(deflateRaw);
/** Fast: measurements are already packed, and events compress well at any level. */
const LEVEL = 2;

/** Writes a draft beside the file and renames it only when it is complete and synced: a failed backup never replaces the previous one. */
export class FrameWriter {
  private readonly mac;
  private bytes = 0;

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
    private readonly draft: string,
    master: Uint8Array,
  ) {
    this.mac = macOf(master);
  }

  static async create(path: string, master: Uint8Array): Promise<FrameWriter> {
    // A random name: two concurrent backups to one path must not publish each other's draft.
    const draft = `${path}.${randomBytes(6).toString('hex')}.part`;
    const writer = new FrameWriter(await open(draft, 'wx', 0o600), path, draft, master);
    await writer.put(MAGIC);
    return writer;
  }

  async json(kind: Exclude<FrameKind, 'D' | 'Z'>, value: object): Promise<void> {
    await this.frame(kind, Buffer.from(JSON.stringify(value)));
  }

  /** Rows of any length, split into frames. */
  async rows(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      await this.frame('D', await deflate(bytes.subarray(at, at + PIECE_BYTES), { level: LEVEL }));
  }

  /** Ends the file with its MAC and syncs it; answers its length in bytes. */
  async finish(): Promise<number> {
    const mac = this.mac.digest();
    await this.write(frameHead('Z', mac.length));
    await this.write(mac);
    await this.file.sync();
    await this.file.close();
    return this.bytes;
  }

  /** Replaces the file of that name atomically. */
  async publish(): Promise<void> {
    await rename(this.draft, this.path);
  }

  /** Idempotent; has no effect after `publish`. */
  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(this.draft, { force: true });
  }

  private async frame(kind: FrameKind, payload: Buffer): Promise<void> {
    await this.put(frameHead(kind, payload.length));
    await this.put(payload);
  }

  private async put(bytes: Buffer): Promise<void> {
    this.mac.update(bytes);
    await this.write(bytes);
  }

  private async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length;) at += (await this.file.write(bytes, at)).bytesWritten;
    this.bytes += bytes.length;
  }
}
