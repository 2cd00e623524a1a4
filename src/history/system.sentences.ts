import type { SystemEvents } from './system.events.ts';
import type { Sentences } from '../kernel/sentence.ts';

export const systemSentences = {
  EventVoided: ({ n, reason }) => `Event ${String(n)} voided: ${reason}`,
  ProjectionEventSkipped: ({ n, projection, version, reason }) =>
    `Projection ${projection}, version ${String(version)}, skips event ${String(n)}: ${reason}`,
  LogTruncated: ({ from, to, reason, origin }) =>
    `Log declared truncated from ${String(from)} to ${String(to)}${origin === undefined ? '' : `, continued as ${origin}`}: ${reason}`,
  WitnessPeerAdded: ({ url, witnessKey, logKeys }) =>
    `Witness agreed with ${url}:${witnessKey === null ? '' : ' it cosigns this log'}${witnessKey === null || logKeys.length === 0 ? '' : ','}${logKeys.length === 0 ? '' : ' this installation cosigns its log'}`,
  WitnessPeerRemoved: ({ url }) => `Agreement with the witness ${url} ended`,
  SealKeyDisowned: ({ key, after, reason }) => `Key ${key} of the seal disowned beyond ${String(after)} events: ${reason}`,
} satisfies Sentences<SystemEvents>;
