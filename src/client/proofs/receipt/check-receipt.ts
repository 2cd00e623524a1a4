import { bytesOfBase64 } from '../base64.ts';
import { coverProblem } from './receipt-components.ts';
import { parseReceiptFile, type ReceiptFile } from './receipt-file.ts';
import { type Component, componentOf, identifierOf, signatureBase } from './signature-base.ts';
import { parseStatementHeader, type StatementHeader } from './statement-header.ts';
import { type Dictionary, type InnerList, isInnerList, parseDictionary, serializeDictionary } from './structured-field.ts';

/** How keys are read and signatures verified: with Node's modules in the service, without them in a browser. */
export interface ReceiptCrypto<Key extends { readonly text: string }> {
  /** The value of `Content-Digest` (RFC 9530). */
  digestOf(body: Uint8Array): string;
  /** Null where the text is no verifier key. */
  keyOf(text: string): Key | null;
  isSignedBy(key: Key, message: Uint8Array, signature: Uint8Array): boolean;
}

/** An answer that was signed, with what it states about itself. */
export interface CheckedReceipt<Key> {
  readonly file: ReceiptFile;
  readonly body: Uint8Array;
  readonly statement: StatementHeader;
  /** The position of the log that it stands on. */
  readonly position: number;
  /** Seconds since 1970. */
  readonly created: number;
  /** The given keys that signed it, and the texts of the others. */
  readonly signers: readonly Key[];
  readonly unknownKeys: readonly string[];
}

export type ReceiptCheck<Key> =
  | { readonly kind: 'signed'; readonly receipt: CheckedReceipt<Key> }
  /** `untrusted`: every signature is valid, none by a given key. */
  | { readonly kind: 'refuted' | 'untrusted'; readonly reason: string };

const refuted = (reason: string) => ({ kind: 'refuted', reason }) as const;

/** Clocks of two machines differ. */
const TOLERANCE_SECONDS = 300;

/** Whether one of the keys signed this answer. Trusts nothing in the file but what is signed; `now` in milliseconds. */
export function checkReceipt<Key extends { readonly text: string }>(
  text: string,
  keys: readonly Key[],
  now: number,
  crypto: ReceiptCrypto<Key>,
): ReceiptCheck<Key> {
  const file = parseReceiptFile(text);
  if (typeof file === 'string') return refuted(file);
  const signatures = signaturesOf(file, crypto);
  if (typeof signatures === 'string') return refuted(signatures);
  const body = bytesOfBase64(file.body);
  if (body === undefined) return refuted('the body is not in base64');
  const { headers, status } = file.response;
  if (headers['content-digest'] !== crypto.digestOf(body)) return refuted('the body was changed: it is not the one of content-digest');
  const problem = signatures.map((signature) => signatureProblem(file, signature, crypto)).find((found) => found !== null);
  if (problem !== undefined) return refuted(problem);
  const statement = parseStatementHeader(headers['watchledger-receipt'] ?? '');
  const position = /^(\d{1,15})(; observations=expired)?$/.exec(headers['watchledger-as-of'] ?? '')?.[1];
  if (statement === null || position === undefined || status !== 200) return refuted('what was signed is no receipt');
  const created = Math.max(...signatures.map((signature) => signature.created));
  if (created * 1000 > now + TOLERANCE_SECONDS * 1000)
    return refuted(`created: ${new Date(created * 1000).toISOString()} is in the future`);
  const texts = signatures.map(({ key }) => key.text);
  const signers = keys.filter((key) => texts.includes(key.text));
  const unknownKeys = texts.filter((one) => !signers.some((key) => key.text === one));
  if (signers.length === 0)
    return { kind: 'untrusted', reason: `it is signed by ${unknownKeys.join(', ')}, and by none of the given keys` };
  return { kind: 'signed', receipt: { file, body, statement, position: Number(position), created, signers, unknownKeys } };
}

interface ReceiptSignature<Key> {
  readonly label: string;
  readonly input: InnerList;
  readonly components: readonly Component[];
  readonly signature: Uint8Array;
  readonly key: Key;
  readonly created: number;
}

const PARAMS = new Set(['created', 'keyid', 'alg', 'nonce', 'tag']);

/** The signatures of the file, or what is wrong with one. */
function signaturesOf<Key extends { readonly text: string }>(
  { response: { headers } }: ReceiptFile,
  crypto: ReceiptCrypto<Key>,
): readonly ReceiptSignature<Key>[] | string {
  const inputs = fieldOf(headers, 'signature-input');
  const signatures = fieldOf(headers, 'signature');
  if (inputs === null) return 'signature-input: is not a dictionary in its canonical form';
  if (signatures === null) return 'signature: is not a dictionary in its canonical form';
  if ([...inputs.keys()].join() !== [...signatures.keys()].join()) return 'signature-input and signature have other labels';
  const read = [...inputs].map(([label, input]) => signatureOf(label, input, signatures.get(label), crypto));
  const problem = read.find((one) => typeof one === 'string');
  if (problem !== undefined) return problem;
  return read.length === 0 ? 'signature: there is none' : read.filter((one) => typeof one !== 'string');
}

function signatureOf<Key extends { readonly text: string }>(
  label: string,
  input: ReturnType<Dictionary['get']>,
  given: ReturnType<Dictionary['get']>,
  crypto: ReceiptCrypto<Key>,
): ReceiptSignature<Key> | string {
  const signature = given !== undefined && !isInnerList(given) && given.params.size === 0 ? given.value : null;
  if (input === undefined || !isInnerList(input)) return `signature-input: ${label} lists no components`;
  if (!(signature instanceof Uint8Array)) return `signature: ${label} is no signature`;
  const components = input.items.map(componentOf).filter((component) => component !== null);
  const problem = components.length < input.items.length ? 'a component cannot be covered' : coverProblem(components);
  if (problem !== null) return `signature-input: ${label}: ${problem}`;
  const foreign = [...input.params.keys()].find((name) => !PARAMS.has(name));
  if (foreign !== undefined) return `signature-input: ${label}: a receipt has no ${foreign}`;
  const [created, keyid] = [input.params.get('created'), input.params.get('keyid')];
  if (typeof created !== 'number' || typeof keyid !== 'string' || input.params.get('alg') !== 'ed25519')
    return `signature-input: ${label} must have created, keyid and alg="ed25519"`;
  const key = crypto.keyOf(keyid);
  return key?.text !== keyid
    ? `signature-input: ${label}: keyid is not a verifier key`
    : { label, input, components, signature, key, created };
}

function fieldOf(headers: Readonly<Record<string, string>>, name: string): Dictionary | null {
  const text = headers[name] ?? '';
  const members = parseDictionary(text);
  return members !== null && serializeDictionary(members) === text ? members : null;
}

/** What is wrong with a signature by the key that it names, whether that key is trusted or not: every byte of the file is under every signature. */
function signatureProblem<Key extends { readonly text: string }>(
  { request, response }: ReceiptFile,
  { label, input, components, signature, key }: ReceiptSignature<Key>,
  crypto: ReceiptCrypto<Key>,
): string | null {
  const covered = new Set(components.map(identifierOf));
  const uncovered = [
    ...Object.keys(request).filter((name) => !covered.has(identifierOf({ name, isOfRequest: true }))),
    ...Object.keys(response.headers).filter((name) => !FIELDS.has(name) && !covered.has(identifierOf({ name, isOfRequest: false }))),
  ];
  if (uncovered.length > 0) return `${uncovered[0] ?? ''} is not covered by the signature ${label}`;
  const values = { ...response.headers, '@status': String(response.status) };
  const base = signatureBase(input, ({ name, isOfRequest }) => own(isOfRequest ? request : values, name));
  if (base === null) return `a component that the signature ${label} covers is missing`;
  return crypto.isSignedBy(key, new TextEncoder().encode(base), signature)
    ? null
    : `the signature ${label} is not over this request and answer: one of them, or the signature, was changed`;
}

/** They hold the signatures. */
const FIELDS = new Set(['signature', 'signature-input']);

const own = (values: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
