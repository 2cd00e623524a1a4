import { openPool } from '../../src/platform/postgres/pool.ts';
import { LocalWake } from '../../src/platform/postgres/wake.ts';
import type { ExpectedRevision } from '../../src/platform/event-store/event-store.ts';
import { StoreUnavailable } from '../../src/kernel/errors.ts';
import { PostgresEventStore } from '../../src/platform/event-store/postgres/postgres-event-store.ts';
import type { NewEvent } from '../../src/kernel/event.ts';
import { eventId, randomId } from '../../src/kernel/ids.ts';

// A process that appends until it is killed, and prints for each acknowledged append: stream, last revision, last id, position.

const [url = '', writers = '12'] = process.argv.slice(2);
const store = new PostgresEventStore(openPool(url, { name: 'faults', max: 4, statementTimeoutMs: 5_000 }), new LocalWake());
await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(`fault-${String(writer)}`)));

async function write(stream: string): Promise<never> {
  let expected = await endOf(stream);
  for (;;) {
    const commandId = randomId();
    const first = expected === 'no stream' ? 0 : expected + 1;
    const events = Array.from({ length: 1 + (first % 3) }, (_, step) => event(commandId, stream, first + step));
    const result = await stubborn(() => store.append(stream, expected, events));
    if (result.kind === 'conflict') throw new Error(`unexpected conflict: ${stream} has one writer only`);
    process.stdout.write(`${stream} ${String(result.revision)} ${events.at(-1)?.id ?? ''} ${result.place.position}\n`);
    expected = result.revision;
  }
}

/** The end of a stream, which an earlier process may have written. */
async function endOf(stream: string): Promise<ExpectedRevision> {
  return stubborn(async () => {
    for await (const { revision } of store.readStream(stream, { direction: 'backward', limit: 1 })) return revision;
    return 'no stream';
  });
}

/** Retries the identical append until its outcome is known. */
async function stubborn<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function event(commandId: string, stream: string, revision: number): NewEvent {
  const meta = { correlationId: commandId, causationId: null, commandId, occurredAt: new Date().toISOString() };
  return {
    id: eventId(commandId, stream, revision),
    type: 'SomethingHappened',
    version: 1,
    scope: 'system',
    data: { revision },
    meta: { ...meta, actor: { kind: 'cli', id: 'faults' } },
  };
}
