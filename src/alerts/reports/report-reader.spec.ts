import { describe, expect, it } from '@jest/globals';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { samples } from '../../../test/samples/samples.ts';
import type { Events, EventType } from '../../events.ts';
import type { Outcome } from '../../checker/verdicts/timeline.ts';
import type { LogEvent } from '../../kernel/event.ts';
import {
  type CheckUptimeReport,
  correctedFiguresOf,
  type CorrectionReader,
  figuresOf,
} from '../../checker/corrections/correction.reader.ts';
import type { CorrectedCheck } from './report.ts';
import { ReportReader } from './report-reader.ts';

const HOUR = 3_600_000;
const PROJECT = 'a'.repeat(24);
const from = Date.parse('2026-03-09T00:00:00Z');
const span = { from, to: from + 7 * 24 * HOUR };
const iso = (hour: number): string => new Date(from + hour * HOUR).toISOString();
const sample = samples(PROJECT);

const event = <Type extends EventType>(type: Type, changes: Partial<Events[Type]>, n: number): LogEvent => ({
  ...{ id: `event ${String(n)}`, type, version: 1, scope: `project-${PROJECT}`, stream: 's', revision: n, n, recordedAt: iso(n) },
  meta: { actor: { kind: 'user', id: '1' }, correlationId: 'x', causationId: null, commandId: 'x', occurredAt: iso(n) },
  data: { ...sample[type], ...changes },
});

type Stretches = readonly (readonly [state: Outcome, from: number, to: number])[];
interface Corrected {
  readonly said: Stretches;
  /** What should have been said; null: no correction concerns the span. */
  readonly right: Stretches | null;
  readonly name?: string;
  /** What the correction speaks of, in hours of the week. */
  readonly of?: readonly [from: number, to: number];
}

/** What a report says of checks that were corrected. */
async function read(checks: Readonly<Record<string, Corrected>>): Promise<readonly CorrectedCheck[]> {
  const stretchesOf = (list: Stretches) => list.map(([state, begin, end]) => ({ state, from: from + begin * HOUR, to: from + end * HOUR }));
  const events = Object.entries(checks).flatMap(([checkId, { name = checkId, of: [begin, end] = [0, 24] }]) => [
    event('CheckCreated', { checkId, settings: { ...sample.CheckCreated.settings, name, url: `/${checkId}` } }, 0),
    event('CheckCorrected', { correctionId: checkId, checkId, from: iso(begin), to: iso(end), reason: 'the first' }, 0),
  ]);
  const all = [event('ProjectCreated', { projectId: PROJECT }, 0), ...events].map((one, n) => ({ ...one, n }));
  const views = new MemoryViews(() => all);
  const checkUptime: CorrectionReader['checkUptime'] = (_, checkId, request): Promise<CheckUptimeReport> => {
    const { said, right } = checks[checkId]!;
    const correction = { ...sample.CheckCorrected, recordedAt: '', order: 0, eventId: '', actor: { kind: 'user', id: '1' } as const };
    return Promise.resolve({
      original: figuresOf(stretchesOf(said), request),
      corrected: right === null ? null : correctedFiguresOf(stretchesOf(said), stretchesOf(right), request),
      corrections: ['the first', 'the last'].map((reason) => ({ ...correction, reason })),
    });
  };
  const nothing = { upMs: 0, downMs: 0, timeoutMs: 0, unknownMs: 0, maintenanceMs: 0 };
  const reader = new ReportReader({
    views,
    log: { read: () => Promise.resolve([]), at: () => Promise.resolve(-1) },
    uptime: { totals: () => Promise.resolve({ total: nothing, days: [], daysCount: 7 }) },
    responseTimes: { between: () => Promise.resolve([]) },
    corrections: { checkUptime },
    checkpoint: () => Promise.resolve(null),
    clock: { now: () => span.to },
  });
  const { projects } = await reader.read('r', sample.ProjectCreated.payerId, span, 'UTC');
  return projects[0]!.corrections;
}

describe('corrections in a weekly report', () => {
  it('show original and corrected figures, with the share of known time that passed', async () => {
    const said: Stretches = [
      ['ok', 0, 6],
      ['error', 6, 7],
      ['ok', 7, 8],
      ['timeout', 8, 9],
      ['ok', 9, 12],
      ['error', 12, 16],
    ];
    const right: Stretches = [
      ['ok', 0, 12],
      ['timeout', 12, 16],
    ];
    expect(await read({ one: { said, right } })).toEqual([
      {
        what: 'check one',
        reason: 'the last',
        original: { failures: 3, passed: 62.5 },
        corrected: { failures: 1, passed: 75 },
        isPartial: false,
      },
    ]);
  });

  it('say when part of the time, or all of it, could not be evaluated again', async () => {
    const said: Stretches = [
      ['ok', 0, 2],
      ['error', 2, 4],
    ];
    expect(await read({ some: { said, right: [['ok', 2, 4]] }, none: { said, right: [] } })).toMatchObject([
      { what: 'check some', original: { failures: 1, passed: 50 }, corrected: { failures: 0, passed: 100 }, isPartial: true },
      { what: 'check none', original: { failures: 1, passed: 50 }, corrected: { failures: 0, passed: null }, isPartial: true },
    ]);
  });

  it('name a check without a name by its address', async () => {
    expect(await read({ one: { said: [], right: [], name: '' } })).toMatchObject([
      { what: 'check /one', original: { failures: 0, passed: null } },
    ]);
  });

  it('are omitted when none concerns the week', async () => {
    const said: Stretches = [['ok', 0, 1]];
    const week = 7 * 24;
    const wrong = { said, right: said };
    const checks = {
      before: { ...wrong, of: [-24, 0] },
      after: { ...wrong, of: [week, week + 24] },
      first: { ...wrong, of: [-24, 1] },
      last: { ...wrong, of: [week - 1, week + 24] },
      outside: { said, right: null },
    } as const;
    expect((await read(checks)).map(({ what }) => what)).toEqual(['check first', 'check last']);
  });
});
