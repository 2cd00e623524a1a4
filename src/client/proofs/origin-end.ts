import { canonicalJson } from './canonical-json.ts';
import { openCheckpoint, type SealCheckpoint } from './checkpoint.ts';
import { parseNote, signersOf, type VerifierKey } from './signed-note.ts';

export const ORIGIN_END_FORMAT = 'watchledger-origin-end/1';
/** The first bytes of its canonical form. */
export const ORIGIN_END_START = '{"continuesAs":';

/**
 * States that an origin ended, and under which the log continues. A signed note, by the keys of both: who trusts the key of the origin that ended learns the next
 * one from it. Its text is canonical JSON, so it is never a checkpoint.
 */
export interface OriginEnd {
  readonly format: typeof ORIGIN_END_FORMAT;
  /** The origin that ended. */
  readonly ended: string;
  /** Its newest known checkpoint, as a signed note; null when none is known. */
  readonly lastCheckpoint: string | null;
  /** The declarations, as events of the log that continues. */
  readonly losses: readonly OriginLoss[];
  readonly continuesAs: { readonly origin: string; readonly keys: readonly string[] };
}

export interface OriginLoss {
  /** Number of events that were sealed. */
  readonly from: number;
  /** Number of them that the log still has. */
  readonly to: number;
  readonly reason: string;
  /** Id and position of the declaration. */
  readonly event: string;
  readonly n: number;
}

export const originEndText = (end: OriginEnd): string => `${canonicalJson(end, { loneSurrogates: 'escape' })}\n`;

export type OriginEndVerdict =
  | {
      readonly kind: 'signed';
      readonly end: OriginEnd;
      readonly signers: readonly VerifierKey[];
      /** Null when none is stated, or it was signed by no given key. */
      readonly last: SealCheckpoint | null;
    }
  | { readonly kind: 'refuted'; readonly reason: string };

const refuted = (reason: string): OriginEndVerdict => ({ kind: 'refuted', reason });

export function verifyOriginEnd(note: string, keys: readonly VerifierKey[]): OriginEndVerdict {
  const parsed = parseNote(note);
  const end = parsed === null ? null : parseEnd(parsed.text);
  if (parsed === null || end === null) return refuted(`the file is not a statement in the form ${ORIGIN_END_FORMAT}`);
  const signers = signersOf(parsed, keys);
  if (!signers.some(({ name }) => name === end.ended || name === end.continuesAs.origin))
    return refuted('the statement was changed, or was not signed by a given key of either origin');
  const opened = end.lastCheckpoint === null ? null : openCheckpoint(end.lastCheckpoint, keys);
  const last = opened?.kind === 'open' && opened.checkpoint.origin === end.ended ? opened.checkpoint : null;
  return { kind: 'signed', end, signers, last };
}

function parseEnd(text: string): OriginEnd | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isOriginEnd(value) && originEndText(value) === text ? value : null;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isText = (value: unknown): value is string => typeof value === 'string';

function isOriginEnd(value: unknown): value is OriginEnd {
  if (!isRecord(value) || value['format'] !== ORIGIN_END_FORMAT || !isText(value['ended'])) return false;
  const { lastCheckpoint, losses, continuesAs } = value;
  return (
    (lastCheckpoint === null || isText(lastCheckpoint)) &&
    isRecord(continuesAs) &&
    isText(continuesAs['origin']) &&
    Array.isArray(continuesAs['keys']) &&
    continuesAs['keys'].every(isText) &&
    Array.isArray(losses) &&
    losses.every(
      (loss) =>
        isRecord(loss) &&
        ['from', 'to', 'n'].every((name) => isCount(loss[name])) &&
        ['reason', 'event'].every((name) => isText(loss[name])),
    )
  );
}
