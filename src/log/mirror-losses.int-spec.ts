import { describe, expect, it } from '@jest/globals';
import { sampleEvent } from '../../test/support/kurrentdb-double/sample-events.ts';
import { useMirrorWorld, type MirrorWorld } from '../../test/support/mirror-world.ts';
import type { FollowedEvent } from '../event-store/event-store.ts';

let world: MirrorWorld;
useMirrorWorld((fresh) => {
  world = fresh;
});

describe('what a stream lacks', () => {
  it('is read again where a follower left it out, and nothing is written behind it', async () => {
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
    expect(world.reports).toEqual(['revision 5 of project-a was left out before 10']);
  });

  it('is passed over where somebody else wrote in its place', async () => {
    await world.write('project-a', 0, 3);
    world.double.appendForeignEvent('project-a');
    await world.store.append('project-a', 3, [sampleEvent('project-a', 4)]);
    world.mirror();
    await world.filledTo(3);
    expect((await world.log.read({ after: -1, limit: 10 })).map(({ revision }) => revision)).toEqual([0, 1, 2, 4]);
    expect(world.reports).toEqual([]);
  });

  it('is passed over so in one batch with what stands before it', async () => {
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

describe('what a crash of the database took because it was not on its disk', () => {
  it('comes again when the next event does', async () => {
    await world.write('project-a', 0, 10);
    world.mirror();
    await world.filledTo(9);
    await world.database.pool.query('DELETE FROM log WHERE n > 6');
    await world.write('project-b', 0, 3);
    await world.filledTo(12);
    await world.expectWhole();
  });

  it('comes again though nothing new does', async () => {
    await world.write('project-a', 0, 10);
    world.mirror();
    await world.filledTo(9);
    await world.database.pool.query('DELETE FROM log WHERE n > 6');
    await world.filledTo(9);
    await world.expectWhole();
    expect(world.reports).toEqual(['the log ends before 9 now: what its database lost is read again']);
  });

  it('comes again when it was everything', async () => {
    await world.write('project-a', 0, 10);
    world.mirror();
    await world.filledTo(9);
    await world.database.pool.query('TRUNCATE log');
    await world.write('project-b', 0, 1);
    await world.filledTo(10);
    await world.expectWhole();
  });
});
