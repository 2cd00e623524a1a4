import { isIP } from 'node:net';
import type { Parse, Parsed } from './variable-reader.ts';
import { isUrl } from '../../kernel/url.ts';

/** `postgres://user:password@` · `host:port,host:port` · `/database?…` */
const SHAPE = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/;

/** The address of each host of a libpq URL that may name several, for one that takes writes. */
export function hostUrls(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = SHAPE.exec(url) ?? [];
  if (!hosts.includes(',')) return [url];
  return hosts.split(',').map((host) => {
    const own = new URL(`${before}${host}${after}`);
    own.searchParams.delete('target_session_attrs');
    return own.href;
  });
}

const found = (raw: string): string => `, found "${raw.length > 60 ? `${raw.slice(0, 57)}...` : raw}"`;

export const parseText: Parse<string> = (raw) => ({ value: raw });

export const parseInteger =
  (min: number, max: number): Parse<number> =>
  (raw) => {
    const value = /^\d{1,9}$/.test(raw) ? Number(raw) : NaN;
    return value >= min && value <= max
      ? { value }
      : { problem: `must be a whole number from ${String(min)} to ${String(max)}${found(raw)}` };
  };

export const parseOneOf =
  <T extends string>(allowed: readonly T[]): Parse<T> =>
  (raw) => {
    const value = allowed.find((candidate) => candidate === raw.toLowerCase());
    return value === undefined ? { problem: `must be one of ${allowed.join(', ')}${found(raw)}` } : { value };
  };

/** Comma-separated; each item must be valid, duplicates are removed. */
export const parseListOf =
  <T>(parse: Parse<T>): Parse<readonly T[]> =>
  (raw) => {
    const values: T[] = [];
    for (const item of raw.split(',').map((part) => part.trim())) {
      if (item === '') continue;
      const parsed = parse(item);
      if ('problem' in parsed) return parsed;
      if (!values.includes(parsed.value)) values.push(parsed.value);
    }
    return { value: values };
  };

/** URLs may contain passwords, so the message does not repeat the value. */
export const parseUrl =
  (...protocols: readonly string[]): Parse<string> =>
  (raw) => {
    const wanted = `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
    if (!isUrl(raw)) return { problem: wanted };
    return protocols.includes(new URL(raw).protocol) ? { value: raw } : { problem: wanted };
  };

/** The address of an event store may list several hosts, which the URL standard does not allow. */
export const parseEventStoreUrl: Parse<string> = (raw) => {
  if (/^esdb(\+discover)?:\/\/[^/\s]+/.test(raw)) return { value: raw };
  const hint = raw.startsWith('kurrentdb') ? ' (the client does not support kurrentdb://; the protocol is the same)' : '';
  return { problem: `must start with esdb:// or esdb+discover://${hint}` };
};

/** Several hosts, as libpq takes them, are one database of which one host takes writes. */
export const parseDatabaseUrl: Parse<string> = (raw) => {
  const wanted =
    'must be a URL such as postgres://user:password@host/watchledger, or with several hosts postgres://user:password@a:5432,b:5432/watchledger';
  const urls = hostUrlsOrNone(raw);
  for (const url of urls) {
    const parsed = parseUrl('postgres:', 'postgresql:')(url);
    if ('problem' in parsed) return urls.length === 1 ? parsed : { problem: wanted };
    const { pathname, searchParams } = new URL(url);
    if (pathname.length <= 1) return { problem: 'must name a database, as in postgres://user:password@host/watchledger' };
    if (searchParams.get('host')?.includes(',') === true) return { problem: wanted };
  }
  const attributes = /[?&]target_session_attrs=([^&]*)/.exec(raw)?.[1] ?? 'read-write';
  return ['any', 'read-write', 'primary'].includes(attributes)
    ? { value: raw }
    : { problem: 'target_session_attrs must be read-write, primary or any: the service needs a host that takes writes' };
};

/** Reads several servers, each of which is used by itself: URLs, or URLs with several hosts, separated by commas. */
export const parseDatabaseUrls: Parse<readonly string[]> = (raw) => {
  const urls: string[] = [];
  for (const url of raw.split(/,\s*(?=postgres(?:ql)?:\/\/)/)) {
    const parsed = parseDatabaseUrl(url.trim());
    if ('problem' in parsed) return parsed;
    urls.push(...hostUrls(parsed.value));
  }
  return { value: urls };
};

function hostUrlsOrNone(raw: string): readonly string[] {
  try {
    return hostUrls(raw);
  } catch {
    return [raw];
  }
}

/** Without a trailing slash, so that paths can be appended. */
export const parseBaseUrl: Parse<string> = (raw) => {
  const parsed = parseUrl('http:', 'https:')(raw);
  if ('problem' in parsed) return parsed;
  const { search, hash } = new URL(raw);
  return search === '' && hash === '' ? { value: raw.replace(/\/+$/, '') } : { problem: 'must not have a query or a fragment' };
};

export const parseOrigin: Parse<string> = (raw) => {
  if (raw === '*') return { value: raw };
  const parsed = parseUrl('http:', 'https:')(raw);
  if ('problem' in parsed) return { problem: `must list origins such as https://app.example.com, or be *${found(raw)}` };
  return { value: new URL(raw).origin };
};

/** `10.0.0.0/8`; a single address is a network of one address. */
export const parseNetwork: Parse<string> = (raw) => {
  const [address = '', prefix, ...rest] = raw.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity;
  const fits = bits > 0 && rest.length === 0 && length <= bits;
  return fits ? { value: `${address}/${String(length)}` } : { problem: `must list networks such as 10.0.0.0/8 or fd00::/8${found(raw)}` };
};

/** A secret that is sent as a bearer token. The message does not repeat it. */
export const parseToken: Parse<string> = (raw) =>
  /^[\x21-\x7e]{16,200}$/.test(raw) ? { value: raw } : { problem: 'must be 16 to 200 visible ASCII characters (openssl rand -hex 32)' };

/** Messages never contain key material. */
export const parseKey =
  (least: number, most = least): Parse<Buffer> =>
  (raw): Parsed<Buffer> => {
    const hex = /^(?:[0-9a-f]{2})+$/i.test(raw) ? Buffer.from(raw, 'hex') : undefined;
    const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(raw) ? Buffer.from(raw, 'base64') : undefined;
    const value = [hex, base64].find((bytes) => bytes !== undefined && bytes.length >= least && bytes.length <= most);
    const size = least === most ? String(least) : `at least ${String(least)}`;
    return value === undefined
      ? { problem: `must be ${size} bytes, written in hex or base64 (openssl rand -hex ${String(least)})` }
      : { value };
  };

export const parseEmail: Parse<string> = (raw) =>
  /^[^\s@<>]+@[^\s@<>]+$/.test(raw) ? { value: raw } : { problem: `must be an e-mail address${found(raw)}` };

/** `a@b.example` or `Name <a@b.example>`. */
export const parseSender: Parse<string> = (raw) => {
  const address = /<([^<>]*)>$/.exec(raw)?.[1] ?? raw;
  return 'value' in parseEmail(address) && !/[\r\n]/.test(raw)
    ? { value: raw }
    : { problem: `must be an e-mail address, or Name <address>${found(raw)}` };
};
