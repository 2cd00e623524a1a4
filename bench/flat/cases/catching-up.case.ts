import { randomId } from '../../../src/kernel/ids.ts';
import { projectStream } from '../../../src/kernel/stream-names.ts';
import { ViewRunner } from '../../../src/platform/read-models/views/view-runner.ts';
import { projectCreated } from '../../support/projects.ts';
import type { FlatCase } from '../flat-case.ts';

const MISSED = 6_000;
const APPENDED_AT_ONCE = 1_000;

const newId = (): string => randomId().replaceAll('-', '').slice(0, 24);

/** The core views of a service that was away for some thousand events, beside a log of any length. */
const catchingUp: FlatCase = {
  name: `catching up with ${MISSED.toLocaleString('en')} events`,
  over: 'projects',
  calls: 3,
  prepare: async ({ pool, log, store, unit }) => {
    const projectId = newId();
    const stream = projectStream(projectId);
    const from = await log.head();
    const at = await eventIdAt(from);
    const meta = { actor: { kind: 'user', id: '1' }, correlationId: randomId(), causationId: null, commandId: randomId() } as const;
    const bodies = [
      projectCreated(projectId, 'https://caught-up.example', '60'),
      ...Array.from({ length: MISSED }, (_, index) => ({ type: 'ProjectRenamed', data: { from: '', to: `Caught up ${String(index)}` } })),
    ];
    for (let start = 0; start < bodies.length; start += APPENDED_AT_ONCE) {
      const events = bodies.slice(start, start + APPENDED_AT_ONCE).map(({ type, data }) => ({
        ...{ id: randomId(), type, version: 1, scope: stream, data },
        meta: { ...meta, occurredAt: '2026-11-01T12:00:00.000Z' },
      }));
      await store.append(stream, start === 0 ? 'no stream' : start - 1, events);
    }
    return async () => {
      await pool.query('UPDATE projection SET n = $2, event_id = $3 WHERE schema = $1', [unit.schema, from, at]);
      const runner = new ViewRunner(unit, log, pool);
      await runner.begin();
      while ((await runner.applyNext(new AbortController().signal)) > 0);
    };

    async function eventIdAt(n: number): Promise<string | undefined> {
      return (await log.read({ after: n - 1, limit: 1 }))[0]?.id;
    }
  },
};
export default catchingUp;
