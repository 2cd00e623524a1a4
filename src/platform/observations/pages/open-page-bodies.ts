import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PageBodies } from './page-bodies.ts';
import type { AwsClient } from 'aws4fetch';
import type { PagePlace } from '../../config/kept-pages.ts';

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** A folder, which every process of the installation has to see. */
export class FolderBodies implements PageBodies {
  constructor(private readonly folder: string) {}

  /** Under another name until it is complete and on the disk. */
  async put(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.folder, name);
    const draft = `${path}.${randomUUID()}`;
    await mkdir(dirname(path), { recursive: true });
    try {
      const file = await open(draft, 'wx');
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async get(name: string): Promise<Buffer | null> {
    try {
      return await readFile(join(this.folder, name));
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async delete(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
  }
}

type S3Place = Omit<Extract<PagePlace, { readonly kind: 's3' }>, 'kind'>;

const ANSWER_MS = 15_000;
/** With exponential back-off, after 429 and 5xx. */
const RETRIES = 4;

/** A bucket of an object store that speaks the protocol of S3. */
export class S3Bodies implements PageBodies {
  private client: Promise<AwsClient> | undefined;

  constructor(private readonly place: S3Place) {}

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await (await this.ask('PUT', name, bytes))?.arrayBuffer();
  }

  async get(name: string): Promise<Buffer | null> {
    const response = await this.ask('GET', name);
    return response === null ? null : Buffer.from(await response.arrayBuffer());
  }

  async delete(name: string): Promise<void> {
    await (await this.ask('DELETE', name))?.arrayBuffer();
  }

  /** Null for 404. */
  private async ask(method: string, name: string, body?: Uint8Array): Promise<Response | null> {
    const { endpoint, bucket, prefix } = this.place;
    const url = `${endpoint}/${[bucket, prefix, name].filter((part) => part !== '').join('/')}`;
    const client = await (this.client ??= openClient(this.place));
    const response = await client.fetch(url, { method, signal: AbortSignal.timeout(ANSWER_MS), ...(body && { body: Buffer.from(body) }) });
    if (response.ok) return response;
    // Read, so that its connection can be used again.
    const text = await response.text();
    if (response.status === 404 && method !== 'PUT') return null;
    throw new Error(`the object store answered ${method} with ${String(response.status)}: ${text.slice(0, 200)}`);
  }
}

/** Loaded only where an installation uses it. */
async function openClient({ region, accessKeyId, secretAccessKey }: S3Place): Promise<AwsClient> {
  const { AwsClient: Client } = await import('aws4fetch');
  return new Client({ accessKeyId, secretAccessKey, region, service: 's3', retries: RETRIES });
}

/** Null when the bodies are in the database. */
export const openPageBodies = (place: PagePlace | undefined): PageBodies | null =>
  place === undefined ? null : place.kind === 'folder' ? new FolderBodies(place.path) : new S3Bodies(place);
