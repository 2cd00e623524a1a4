import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';

/** The subset of DER (X.690) that certificates of test servers need. */
const tlv = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const size = content.length;
  const bytes =
    size < 0x80
      ? [size]
      : size < 0x100
        ? [0x81, size]
        : size < 0x10000
          ? [0x82, size >> 8, size & 255]
          : [0x83, size >> 16, (size >> 8) & 255, size & 255];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => tlv(0x30, ...parts);
const explicit = (n: number, part: Buffer): Buffer => tlv(0xa0 + n, part);
const octets = (part: Buffer): Buffer => tlv(0x04, part);
const TRUE = tlv(0x01, Buffer.from([0xff]));

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const septets = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) septets.unshift((left & 0x7f) | 0x80);
    bytes.push(...septets);
  }
  return tlv(0x06, Buffer.from(bytes));
}

const name = (common: string): Buffer => sequence(tlv(0x31, sequence(oid('2.5.4.3'), tlv(0x0c, Buffer.from(common, 'utf8')))));
const time = (date: Date): Buffer => tlv(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`, 'latin1'));
const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));

const alternative = (host: string): Buffer =>
  isIP(host) === 4 ? tlv(0x87, Buffer.from(host.split('.').map(Number))) : tlv(0x82, Buffer.from(host, 'latin1'));

export interface Identity {
  readonly key: string;
  readonly cert: string;
}

export interface Authority extends Identity {
  readonly common: string;
  readonly privateKey: KeyObject;
}

interface CertificateOptions {
  readonly common?: string;
  readonly hosts?: readonly string[];
  readonly validFrom?: Date;
  readonly validTo?: Date;
  readonly authority?: boolean;
}

const DAY = 86_400_000;

function certify(options: CertificateOptions, issuer?: Authority): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const {
    common = options.hosts?.[0] ?? 'Test',
    hosts = [],
    validFrom = new Date(Date.now() - DAY),
    validTo = new Date(Date.now() + 90 * DAY),
  } = options;
  const extensions = [
    sequence(oid('2.5.29.19'), TRUE, octets(options.authority === true ? sequence(TRUE) : sequence())),
    ...(hosts.length > 0 ? [sequence(oid('2.5.29.17'), octets(sequence(...hosts.map(alternative))))] : []),
  ];
  const body = sequence(
    explicit(0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.concat([Buffer.from([0x40]), randomBytes(8)])),
    ECDSA_SHA256,
    name(issuer?.common ?? common),
    sequence(time(validFrom), time(validTo)),
    name(common),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const der = sequence(body, ECDSA_SHA256, tlv(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    common,
    privateKey,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

export const makeAuthority = (common = 'Test Root', issuer?: Authority): Authority => certify({ common, authority: true }, issuer);

/** A server's certificate, signed by the authority or, without one, by itself. */
export const makeIdentity = (options: Omit<CertificateOptions, 'authority'>, issuer?: Authority): Identity => certify(options, issuer);
