import { fileURLToPath } from 'node:url';
import { isUrl } from '../../kernel/url.ts';
import type { Parse, VariableReader } from './variable-reader.ts';
import { parseText } from './values.ts';

/** The place to which `KEPT_PAGES` puts the bodies of kept pages. */
export type PagePlace =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly endpoint: string;
      readonly region: string;
      readonly bucket: string;
      /** Without slashes at its ends; may be empty. */
      readonly prefix: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };

const WANTED = 'must be file:///FOLDER or s3://BUCKET/PREFIX?region=REGION, with endpoint=URL for a store that is not that of AWS';

const parsePlace: Parse<URL> = (raw) => {
  if (!isUrl(raw)) return { problem: WANTED };
  const url = new URL(raw);
  if (url.protocol === 'file:') return url.host === '' && url.pathname.length > 1 ? { value: url } : { problem: WANTED };
  if (url.protocol !== 's3:' || url.hostname === '' || url.username !== '') return { problem: WANTED };
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !(isUrl(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)))
    return { problem: 'endpoint must be a URL that starts with https:// or http://' };
  return { value: url };
};

/** Undefined when the bodies are in the database. */
export function readPagePlace(read: VariableReader): PagePlace | undefined {
  const url = read.optional('KEPT_PAGES', parsePlace);
  if (url === undefined) return undefined;
  if (url.protocol === 'file:') return { kind: 'folder', path: fileURLToPath(url) };
  const [accessKeyId, secretAccessKey] = [read.optional('AWS_ACCESS_KEY_ID', parseText), read.optional('AWS_SECRET_ACCESS_KEY', parseText)];
  read.require('AWS_ACCESS_KEY_ID', accessKeyId !== undefined, 'with KEPT_PAGES=s3://...');
  read.require('AWS_SECRET_ACCESS_KEY', secretAccessKey !== undefined, 'with KEPT_PAGES=s3://...');
  const region = url.searchParams.get('region') ?? 'us-east-1';
  return {
    kind: 's3',
    endpoint: (url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, ''),
    region,
    bucket: url.hostname,
    prefix: url.pathname.replace(/^\/+|\/+$/g, ''),
    accessKeyId: accessKeyId ?? '',
    secretAccessKey: secretAccessKey ?? '',
  };
}
