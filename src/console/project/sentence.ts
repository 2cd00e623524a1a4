import type { ShownProblem } from '../parts/shown-problem.ts';
import type { Schemas } from '../../client.ts';
import { DAY_LENGTH } from '../time/instants.ts';

interface Summary {
  readonly title: string;
  /** Null when nothing was judged yet. */
  readonly status: string | null;
  readonly failed: number;
  readonly total: number;
}

/** A longer sentence stands below, with its evidence. */
const LONGEST = 60;

/** What a person would say of a site first. `state`: by everything that is watched; undefined until it was read, and no more is said then than when it is unknown. */
export function projectSentence(
  { title, status }: Summary,
  problems: readonly ShownProblem[],
  state: Schemas['ProjectFigures']['state'] | undefined,
): string {
  const failing = problems.filter(({ severity }) => severity === 'failing');
  const [worst] = failing;
  if (worst !== undefined) {
    const parts = [worst.test?.name ?? '', worst.sentence.length > LONGEST ? '' : worst.sentence].filter((part) => part !== '');
    const what = parts.map((part) => `: ${part}`).join('');
    return `${title} ${worst.kind === 'uptime' ? 'is down' : 'is failing'}${what}.`;
  }
  const isKnown = state !== undefined && state !== 'unknown';
  if (problems.length > 0) return isKnown ? `${title} works, and needs attention.` : `${title} needs attention.`;
  if (isKnown) return `${title} is well.`;
  return status === null ? `Nothing of ${title} has been checked yet.` : `By its last checks ${title} is well.`;
}

/** The checks in figures. */
export function checksSentence({ status, failed, total }: Summary): string {
  if (total === 0) return 'No check is enabled.';
  if (status === null) return total === 1 ? 'Its check has not run yet.' : `None of its ${String(total)} checks has run yet.`;
  if (failed === 0) return total === 1 ? 'Its check passes.' : `All ${String(total)} checks pass.`;
  if (total === 1) return 'Its check fails.';
  return `${String(failed)} of ${String(total)} checks ${failed === 1 ? 'fails' : 'fail'}.`;
}

export interface AlertsSummary {
  /** Says why none was sent, as far as that is known. */
  readonly words: string;
  readonly isProblem: boolean;
}

const counted = (number: number): string => `${String(number)} ${number === 1 ? 'alert' : 'alerts'}`;

/** Whether people know of a failure. `clock`: writes the time of an instant. */
export function alertsSentence(
  { delivered, deliveredAt, underWay, givenUp, due, recipients, fromFirst }: NonNullable<Schemas['ProjectProblem']['alerts']>,
  now: number,
  clock: (at: number) => string,
): AlertsSummary {
  const dueAt = due === null ? null : Date.parse(due);
  const waiting = dueAt === null ? '' : dueAt > now ? `leaves at ${clock(dueAt)}` : 'is about to leave';
  const sent = [
    delivered > 0 && deliveredAt !== null ? `${counted(delivered)} delivered by ${clock(Date.parse(deliveredAt))}` : '',
    underWay > 0 ? `${counted(underWay)} under way` : '',
    givenUp > 0 ? `${counted(givenUp)} given up` : '',
    waiting === '' ? '' : `the next ${waiting}`,
  ].filter((part) => part !== '');
  if (delivered + underWay + givenUp > 0) return { words: `${sent.join(', ')}.`, isProblem: delivered + underWay === 0 };
  if (waiting !== '') return { words: `The alert ${waiting}.`, isProblem: false };
  const reason = fromFirst ? ': it fails since its first measurement' : recipients === 0 ? ': nobody is to be alerted' : '';
  return { words: `No alert was sent${reason}.`, isProblem: false };
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const utcDayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Null when nothing was measured. */
export function importedSentence({ origin, from, up, down }: Schemas['ImportedUptime']): string | null {
  const [ups, probes] = [sumOf(up), sumOf(up) + sumOf(down)];
  if (origin === null || from === null || probes === 0) return null;
  const last = utcDayOf(Date.parse(from) + (up.length - 1) * DAY_LENGTH);
  const share = ((ups / probes) * 100).toFixed(3);
  return `${origin.replace('imported:', '')} measured ${share} % in ${probes.toLocaleString('en')} probes, ${from} to ${last}; no other figure contains it`;
}
