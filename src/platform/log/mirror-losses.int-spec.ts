import { describe, expect, it } from '@jest/globals';
import { sampleEvent } from '../../../test/support/kurrentdb-double/sample-events.ts';
import { useMirrorWorld, type MirrorWorld } from '../../../test/support/mirror-world.ts';
import type { FollowedEvent } from '../event-store/event-store.ts';

let world: MirrorWorld;
useMirrorWorld((fresh) => {
  world = fresh;
});

describe('a gap in a stream', () => {
  it('is mirrored again when the subscription skipped the event, and nothing is written behind it', async () => {
    await world.write('project-a', 0, 20);
    await world.write('project-b', 0, 3);
    let blind = true;
    const source = world.heardBy(async function* (position, signal) {
      for await (const batch of world.store.follow(position, signal)) {
        const seen = blind ? batch.filter(({ stream, revision }) => stream !== 'project-a' || revision < 5 || revision > 9) : batch;
        if (batch.some(({ revision }) => revision > 9)) blind = false;
        if (seen.length > 0) yield seen;
      }
    });
    world.mirror(world.aLease(), source);
    await world.filledTo(22);
    await world.expectWhole();
    expect(world.reports).toEqual(['gap in stream project-a: revision 5 is missing (next seen: 10)']);
  });

  it('is accepted where another application wrote into the stream', async () => {
    await world.write('project-a', 0, 3);
    world.double.appendForeignEvent('project-a');
    await world.store.append('project-a', 3, [sampleEvent('project-a', 4)]);
    world.mirror();
    await world.filledTo(3);
    expect((await world.log.read({ after: -1, limit: 10 })).map(({ revision }) => revision)).toEqual([0, 1, 2, 4]);
    expect(world.reports).toEqual([]);
  });

  it('is accepted in one batch with the events before it', async () => {
    await world.write('project-a', 0, 3);
    world.double.appendForeignEvent('project-a');
    await world.store.append('project-a', 3, [sampleEvent('project-a', 4)]);
    const source = world.heardBy(async function* (position, signal) {
      const whole: FollowedEvent[] = [];
      for await (const batch of world.store.follow(position, signal)) {
        whole.push(...batch);
        if (whole.length === 4) yield whole;
      }
    });
    world.mirror(world.aLease(), source);
    await world.filledTo(3);
    expect(world.reports).toEqual([]);
  });
});

describe('rows lost in a crash of the database', () => {
  it('are mirrored again with the next event', async () => {
    await world.write('project-a', 0, 10);
    world.mirror();
    await world.filledTo(9);
    await world.database.pool.query('DELETE FROM log WHERE n > 6');
    await world.write('project-b', 0, 3);
    await world.filledTo(12);
    await world.expectWhole();
  });

  it('are mirrored again without a new event', async () => {
    await world.write('project-a', 0, 10);
    world.mirror();
    await world.filledTo(9);
    await world.database.pool.query('DELETE FROM log WHERE n > 6');
    await world.filledTo(9);
    await world.expectWhole();
    expect(world.reports).toEqual(['the database lost the end of the log: event 9 is missing and will be mirrored again']);
  });

  it('are mirrored again when the whole log was lost', async () => {
    await world.write('project-a', 0, 10);
    world.mirror();
    await world.filledTo(9);
    await world.database.pool.query('TRUNCATE log');
    await world.write('project-b', 0, 1);
    await world.filledTo(10);
    await world.expectWhole();
  });
});
