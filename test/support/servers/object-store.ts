import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Site, startHttp } from './site.ts';

export const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' } as const;

/** An object store with the protocol of S3: one bucket in memory, which refuses requests without a valid signature (AWS Signature Version 4). */
export class ObjectStore {
  readonly objects = new Map<string, Buffer>();
  /** So many further requests are answered 503. */
  failing = 0;
  refused = 0;

  private constructor(
    private readonly region: string,
    private readonly bucket: string,
  ) {}

  static async start(region: string, bucket: string): Promise<{ readonly store: ObjectStore; readonly site: Site }> {
    const store = new ObjectStore(region, bucket);
    const site = await startHttp((request, response) => {
      void bodyOf(request).then((body) => {
        const { status, answer } = store.answer(request, body);
        response.writeHead(status).end(answer);
      });
    });
    return { store, site };
  }

  private answer(request: IncomingMessage, body: Buffer): { readonly status: number; readonly answer?: Buffer | string } {
    if (this.failing > 0) {
      this.failing--;
      return { status: 503, answer: '<Error><Code>SlowDown</Code></Error>' };
    }
    if (!this.isSigned(request, body)) {
      this.refused++;
      return { status: 403, answer: '<Error><Code>SignatureDoesNotMatch</Code></Error>' };
    }
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://store').pathname);
    if (!path.startsWith(`/${this.bucket}/`)) return { status: 404, answer: '<Error><Code>NoSuchBucket</Code></Error>' };
    const name = path.slice(this.bucket.length + 2);
    if (request.method === 'PUT') this.objects.set(name, body);
    if (request.method === 'PUT') return { status: 200 };
    if (request.method === 'DELETE') this.objects.delete(name);
    if (request.method === 'DELETE') return { status: 204 };
    const found = this.objects.get(name);
    return found === undefined ? { status: 404, answer: '<Error><Code>NoSuchKey</Code></Error>' } : { status: 200, answer: found };
  }

  /** Computed as the specification says, by code that shares nothing with the client. */
  private isSigned({ headers, method, url }: IncomingMessage, body: Buffer): boolean {
    const [, credential = '', names = '', signature = ''] =
      /Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})/.exec(headers.authorization ?? '') ?? [];
    const [id, day = '', ...scope] = credential.split('/');
    const time = String(headers['x-amz-date']);
    const hash = String(headers['x-amz-content-sha256']);
    if (id !== KEYS.accessKeyId || scope.join('/') !== `${this.region}/s3/aws4_request` || !time.startsWith(day)) return false;
    if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) return false;
    const { pathname, searchParams } = new URL(url ?? '', 'http://store');
    const query = [...searchParams].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).sort();
    const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
    const canonical = [method, pathname, query.join('&'), signed.join(''), names, hash].join('\n');
    const text = ['AWS4-HMAC-SHA256', time, [day, ...scope].join('/'), sha256(canonical)].join('\n');
    const key = [day, ...scope].reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${KEYS.secretAccessKey}`);
    return hmac(key, text).toString('hex') === signature;
  }
}

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, data: string): Buffer => createHmac('sha256', key).update(data).digest();

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
