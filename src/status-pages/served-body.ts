import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HtmlPage } from './page/shell.ts';

const [compressWithGzip, compressWithBrotli] = [promisify(gzip), promisify(brotliCompress)];

/** A body in the codings that it is sent in, compressed once. */
export interface ServedBody {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
  readonly etag: string;
  readonly policy: string;
}

/** Rendered and compressed once. */
export function bodyOf(
  { bodies }: { readonly bodies: Map<string, Promise<ServedBody>> },
  form: string,
  render: () => RenderedBody | Promise<RenderedBody>,
): Promise<ServedBody> {
  const known = bodies.get(form);
  if (known !== undefined) return known;
  const made = Promise.resolve(render()).then(compressed);
  made.catch(() => bodies.delete(form));
  // Addresses of feeds may follow the host of the request, of which there may be any number.
  if (bodies.size < MOST_FORMS) bodies.set(form, made);
  return made;
}

const MOST_FORMS = 20;

export interface RenderedBody {
  readonly type: string;
  readonly text: string;
  readonly policy: string;
}

export const HTML = 'text/html; charset=utf-8';

export const htmlBody = ({ html, policy }: HtmlPage): RenderedBody => ({ type: HTML, text: html, policy });

export async function compressed({ type, text, policy }: RenderedBody): Promise<ServedBody> {
  const plain = Buffer.from(text);
  const [zipped, br] = await Promise.all([
    compressWithGzip(plain, { level: 6 }),
    compressWithBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  ]);
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  return { type, plain, gzip: zipped, br, etag, policy };
}
