import { describe, expect, it } from '@jest/globals';
import { sampleEvent } from '../../../../test/support/kurrentdb-double/sample-events.ts';
import { type MirrorWorld, useMirrorWorld } from '../../../../test/support/mirror-world.ts';
import { StreamStates } from '../../commands/stream-states.ts';
import { systemContext } from '../../commands/context.ts';
import type { EventStore } from '../event-store.ts';
import { KurrentDbEventStore } from './kurrentdb-event-store.ts';
import { mirroredStreams } from './mirrored-streams.ts';

const LONG = 400;

describe('what KurrentDB stored of a stream after a position', () => {
  let world: MirrorWorld;
  useMirrorWorld((fresh) => {
    world = fresh;
  });

  async function append(stream: string, from: number, count: number, command = 'c'): Promise<void> {
    const events = Array.from({ length: count }, (_, index) => sampleEvent(stream, from + index, command));
    expect(await world.store.append(stream, from === 0 ? 'no stream' : from - 1, events)).toMatchObject({ kind: 'appended' });
  }

  const logEnd = async (): Promise<string> =>
    (await world.database.pool.query<{ at: string }>('SELECT source_position AS at FROM log ORDER BY n DESC LIMIT 1')).rows[0]?.at ?? '';

  /** The revisions that are read after a position by an instance that starts. */
  async function readAfter(stream: string, after: string): Promise<readonly number[]> {
    const store = new KurrentDbEventStore(world.double.url, {}, mirroredStreams(world.database.pool));
    const revisions: number[] = [];
    for await (const { revision } of store.readStream(stream, { after })) revisions.push(revision);
    await store.close();
    return revisions;
  }

  it('is read from the event before it, however long the stream is', async () => {
    await append('project-a', 0, LONG);
    await append('project-b', 0, 3);
    world.mirror();
    await world.filledTo(LONG + 2);
    const after = await logEnd();
    expect(await readAfter('project-a', after)).toEqual([]);
    await append('project-a', LONG, 2);
    // Whether or not the mirror has them already.
    expect(await readAfter('project-a', after)).toEqual([LONG, LONG + 1]);
    await world.filledTo(LONG + 4);
    expect(await readAfter('project-a', after)).toEqual([LONG, LONG + 1]);
    await append('project-c', 0, 2);
    expect(await readAfter('project-c', after)).toEqual([0, 1]);
  });

  it('is searched for in the whole stream where the mirror knows nothing of it, or the store has another event there', async () => {
    await append('project-a', 0, 10);
    world.mirror();
    await world.filledTo(9);
    await world.stopMirrors();
    const after = await logEnd();
    const all = Array.from({ length: 10 }, (_, revision) => revision);
    for (const damage of [
      `UPDATE log SET data = '{"revision": 9, "text": "lost in a failover"}' WHERE revision = 9`,
      `UPDATE log SET revision = 10, data = '{}' WHERE revision = 9`,
      'TRUNCATE log',
    ]) {
      await world.database.pool.query(damage);
      expect([damage, await readAfter('project-a', after)]).toEqual([damage, all]);
    }
  });

  it('is what the repeat of a keyed write reads', async () => {
    await append('project-a', 0, LONG);
    world.mirror();
    await world.filledTo(LONG - 1);
    const firstTriedAfter = await logEnd();
    await append('project-a', LONG, 1, 'keyed');
    await append('project-a', LONG + 1, 1);
    const store = new KurrentDbEventStore(world.double.url, {}, mirroredStreams(world.database.pool));
    let read = 0;
    const readStream: EventStore['readStream'] = async function* (...given) {
      for await (const event of store.readStream(...given)) {
        read++;
        yield event;
      }
    };
    const context = { ...systemContext({ kind: 'user', id: '1' }, 0, { commandId: 'keyed' }), firstTriedAfter };
    expect((await new StreamStates({ readStream }).earlierEvents('project-a', context)).map(({ revision }) => revision)).toEqual([LONG]);
    expect(read).toBe(2);
    await store.close();
  });

  it('has the ends that the mirror knows, in one query', async () => {
    await append('project-a', 0, 3);
    await append('project-b', 0, 1);
    world.mirror();
    await world.filledTo(3);
    await world.stopMirrors();
    await append('project-b', 1, 1);
    const store = new KurrentDbEventStore(world.double.url, {}, mirroredStreams(world.database.pool));
    const ends = await store.ends(['project-a', 'project-b', 'project-c']);
    expect([...ends].map(([stream, { revision }]) => [stream, revision]).sort()).toEqual([
      ['project-a', 2],
      ['project-b', 0],
    ]);
    await store.close();
  });
});
