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

interface ChainedEvent {
  readonly type: string;
  readonly recordedAt: string;
  readonly summary: string;
}

export interface AlertsSummary {
  /** Says that none was sent when the chain has no alert. */
  readonly words: string;
  readonly isProblem: boolean;
}

const counted = (number: number): string => `${String(number)} ${number === 1 ? 'alert' : 'alerts'}`;

/** Whether people know of a failure, from the events that it caused. `clock`: writes the time of an instant. */
export function alertsSentence(chain: readonly ChainedEvent[], clock: (at: number) => string): AlertsSummary {
  const of = (type: string): readonly ChainedEvent[] => chain.filter((event) => event.type === type);
  const [requested, delivered, givenUp] = [of('NotificationRequested'), of('NotificationDelivered'), of('NotificationGivenUp')];
  if (requested.length === 0) return { words: 'No alert was sent.', isProblem: false };
  const waiting = requested.length - delivered.length - givenUp.length;
  const last = delivered.at(-1);
  const parts = [
    last === undefined ? '' : `${counted(delivered.length)} delivered by ${clock(Date.parse(last.recordedAt))}`,
    waiting > 0 ? `${counted(waiting)} under way` : '',
    givenUp.length > 0 ? `${counted(givenUp.length)} given up` : '',
  ].filter((part) => part !== '');
  return { words: `${parts.join(', ')}.`, isProblem: delivered.length === 0 && givenUp.length > 0 };
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
