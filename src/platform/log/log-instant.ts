import { InvalidInput } from '../../kernel/errors.ts';
import { readInstant } from '../../kernel/instants.ts';
import type { Log } from './log.ts';

/** An instant, and the last event that was recorded until then. */
export interface LogInstant {
  readonly n: number;
  /** Milliseconds. */
  readonly at: number;
}

/** Reads a parameter that is an instant (ISO 8601) or a position of the log; `name` is the parameter. */
export async function readLogInstant(log: Pick<Log, 'read' | 'at'>, given: unknown, name: string): Promise<LogInstant> {
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return instantOfPosition(log, Number(given), name);
  const read = readInstant(given);
  if (read.kind === 'invalid') throw new InvalidInput(`${name}: ${read.reason}, nor a log position`);
  if (read.at > Date.now()) throw new InvalidInput(`${name}: must not be in the future`);
  return { n: await log.at(read.utc), at: read.at };
}

export async function instantOfPosition(log: Pick<Log, 'read'>, n: number, name: string): Promise<LogInstant> {
  const [event] = await log.read({ after: n - 1, until: n, limit: 1 });
  if (event === undefined) throw new InvalidInput(`${name}: the log has no position ${String(n)} yet`);
  return { n, at: Date.parse(event.recordedAt) };
}
