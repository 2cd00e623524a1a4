import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sampleAt } from '../../../test/support/observations/sample.ts';
import type { CommandBus } from '@nestjs/cqrs';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { type RecordProbes, RecordProbesHandler } from '../observation.commands.ts';
import type { AcceptedProbe } from '../uptime/recent-probes.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemorySamples } from '../../../test/support/memory/memory-samples.ts';
import type { Sample } from '../../platform/observations/samples/sample.ts';
import { UptimeRecorder } from './uptime-recorder.ts';

const SITE = '0123456789abcdef01234567';
const START = Date.UTC(2026, 0, 1);
const fence = { name: 'eu-1', epoch: 1 };

const sample = (seconds: number, outcome: Sample['outcome']): Sample =>
  sampleAt(START + seconds * 1000, { outcome, httpStatus: outcome === 'up' ? 200 : 0 });
const probeOf = ({ at, outcome, periodSeconds }: Sample): AcceptedProbe => ({
  at,
  outcome,
  periodSeconds,
  evidence: {
    url: 'https://site.example',
    at: new Date(at).toISOString(),
    location: 'eu',
    outcome,
    httpStatus: null,
    reason: null,
    milliseconds: 1,
  },
});

let store: MemoryEventStore;
let samples: MemorySamples;
beforeEach(() => {
  store = new MemoryEventStore();
  samples = new MemorySamples(() => true);
});

/** A fresh process. */
function recorder(): UptimeRecorder {
  const handler = new RecordProbesHandler(new CommandRunner(store));
  const commands = { execute: (command: RecordProbes) => handler.execute(command) } as unknown as CommandBus;
  return new UptimeRecorder({ commands, samples, clock: { now: () => START } });
}
async function accepted(one: Sample): Promise<Sample> {
  await samples.accept([{ fence, observed: [{ projectId: SITE, item: one }] }]);
  return one;
}
const record = async (by: UptimeRecorder, one: Sample, confirming = false): Promise<boolean> =>
  (await by.record({ projectId: SITE, probe: probeOf(await accepted(one)), confirming })).needsConfirmation;
const types = (): string[] => store.events.map(({ type }) => type).filter((type) => type !== 'ProbeStarted');

describe('the uptime recorder', () => {
  it('asks for a confirmation of a failure, and continues its chain', async () => {
    const uptime = recorder();
    expect([
      await record(uptime, sample(0, 'up')),
      await record(uptime, sample(60, 'down')),
      await record(uptime, sample(70, 'down'), true),
    ]).toEqual([false, true, false]);
    expect(types()).toEqual(['UptimeBegan', 'UptimeSuspected', 'UptimeWentDown']);
    const [, , , suspected, , down] = store.events;
    expect(down?.meta).toMatchObject({ causationId: suspected?.id, correlationId: suspected?.meta.correlationId });
  });

  it('confirms what another checker suspected', async () => {
    await record(recorder(), sample(0, 'up'));
    await record(recorder(), sample(60, 'timeout'));
    await record(recorder(), sample(120, 'timeout'));
    expect(types()).toEqual(['UptimeBegan', 'UptimeSuspected', 'UptimeWentDown']);
  });

  it('decides from stored probes that a dead checker had not decided from', async () => {
    await record(recorder(), sample(0, 'up'));
    await accepted(sample(60, 'down'));
    await accepted(sample(70, 'down'));
    await record(recorder(), sample(120, 'up'));
    expect(types()).toEqual(['UptimeBegan', 'UptimeSuspected', 'UptimeWentDown', 'UptimeWentUp']);
  });

  it('decides nothing twice', async () => {
    const uptime = recorder();
    for (const [seconds, outcome] of [
      [0, 'up'],
      [60, 'down'],
      [70, 'down'],
      [120, 'up'],
    ] as const)
      await record(uptime, sample(seconds, outcome));
    const before = types();
    await record(recorder(), sample(180, 'up'));
    expect(types()).toEqual(before);
  });

  it('decides after the clock was set back', async () => {
    const uptime = recorder();
    for (const [seconds, outcome] of [
      [7200, 'up'],
      [3600, 'down'],
      [3610, 'down'],
    ] as const)
      await record(uptime, sample(seconds, outcome));
    expect(types()).toEqual(['UptimeBegan', 'UptimeSuspected', 'UptimeWentDown']);
  });

  it('decides about a shard that was taken over from one read of all its projects', async () => {
    await record(recorder(), sample(0, 'up'));
    await record(recorder(), sample(60, 'down'));
    const uptime = recorder();
    uptime.begin([SITE, 'f'.repeat(24)], samples.tail([SITE], START));
    const outcomes = jest.spyOn(samples, 'outcomes');
    await record(uptime, sample(70, 'down'), true);
    expect(types()).toEqual(['UptimeBegan', 'UptimeSuspected', 'UptimeWentDown']);
    expect(outcomes).not.toHaveBeenCalled();
  });

  it('reads the store where that failed, or a probe was stored that it did not decide about', async () => {
    await record(recorder(), sample(0, 'up'));
    const [failed, behind] = [recorder(), recorder()];
    failed.begin([SITE], Promise.resolve(null));
    behind.begin([SITE], samples.tail([SITE], START));
    await accepted(sample(60, 'down'));
    behind.forget(SITE);
    const outcomes = jest.spyOn(samples, 'outcomes');
    for (const uptime of [failed, behind]) expect(await record(uptime, sample(70, 'down'), true)).toBe(false);
    expect(outcomes).toHaveBeenCalledTimes(2);
  });
});
