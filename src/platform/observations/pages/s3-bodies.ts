import type { AwsClient } from 'aws4fetch';
import type { PagePlace } from '../../config/kept-pages.ts';
import type { PageBodies } from './page-bodies.ts';

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
