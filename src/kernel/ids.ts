import { createHash, createHmac, randomUUID } from 'node:crypto';

export const randomId = (): string => randomUUID();

const NAMESPACE = Buffer.from('6f1c2b9f6a3f5d0e9b0e4d8a7c5b3a21', 'hex');

/** A name-based UUID (version 5): the same parts always give the same id. */
export function derivedId(...parts: readonly (string | number)[]): string {
  const hash = createHash('sha1').update(NAMESPACE).update(JSON.stringify(parts)).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Derived from command, stream and revision, so that a retried append has the same ids and is recognised. */
export const eventId = (commandId: string, stream: string, revision: number): string => derivedId('event', commandId, stream, revision);

/** The id of the n-th object that a command makes: unguessable without the secret, the same when the command is repeated. */
export const derivedObjectId = (secret: Uint8Array, commandId: string, ordinal: number): string =>
  createHmac('sha256', secret)
    .update(`${commandId}:${String(ordinal)}`)
    .digest('hex')
    .slice(0, 24);

export const OBJECT_ID = /^[0-9a-f]{24}$/;

/** Ids of events, commands and chains. */
export const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
