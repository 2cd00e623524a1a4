import { describe, expect, it, jest } from '@jest/globals';
import { projectSettings } from '../../../test/support/project-settings.ts';
import type { EventStore, AppendPosition } from '../event-store/event-store.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { changeSettings, create } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import { skipRun } from '../../checker/verdicts/verdict.decider.ts';
import { verdictTarget } from '../../checker/verdicts/verdict.state.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { StreamEvent } from '../../kernel/event.ts';
import { type CommandContext, systemContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';

const target = projectTarget('p');
const wanted = { projectId: 'p', payerId: 1, settings: projectSettings, apiKey: { subject: 'project-p', sealed: '' }, preset: false };
const context = (given: Partial<CommandContext> = {}): CommandContext => ({ ...systemContext({ kind: 'user', id: '1' }, 0), ...given });

async function stored(store: EventStore): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of store.readStream('project-p')) events.push(event);
  return events;
}

async function withProject(): Promise<{ store: MemoryEventStore; runner: CommandRunner }> {
  const store = new MemoryEventStore(systemClock);
  const runner = new CommandRunner(store);
  await runner.run(target, context(), (project) => create(project, wanted));
  return { store, runner };
}

describe('carrying out a command', () => {
  it('says in each event who, why and by which command', async () => {
    const { store, runner } = await withProject();
    await runner.run(target, context({ commandId: 'k', requestHash: 'h' }), (project) =>
      changeSettings(project, { title: 'A', timeout: 9 }, 1),
    );
    const [, first, second] = await stored(store);
    expect(first).toMatchObject({
      scope: 'project-p',
      version: 1,
      meta: { actor: { kind: 'user', id: '1' }, commandId: 'k', requestHash: 'h', causationId: null },
    });
    expect(first?.meta.correlationId).toBe(first?.id);
    expect(second?.meta).toMatchObject({ correlationId: first?.id, causationId: first?.id });
  });

  it('states the trace in each event: that of the chain that the decision names, else that of the command, else that of its cause', async () => {
    const { store, runner } = await withProject();
    const chain = { correlationId: 'c', causationId: 'd', traceparent: 'of the cause' };
    let title = 0;
    const run = (given: Partial<CommandContext>, decided: typeof chain | null = null): Promise<unknown> =>
      runner.run(target, context(given), (project) => ({
        events: changeSettings(project, { title: String(title++) }, 1),
        chain: decided,
      }));
    await run({});
    await run({ traceparent: 'of the request' });
    await run({ chain });
    await run({ chain, traceparent: 'of the request' });
    await run({ traceparent: 'of the request' }, chain);
    await run({ traceparent: 'of the request' }, { correlationId: 'c', causationId: 'd' } as typeof chain);
    const traces = (await stored(store)).slice(1).map(({ meta }) => meta.traceparent);
    expect(traces).toEqual([undefined, 'of the request', 'of the cause', 'of the request', 'of the cause', undefined]);
  });

  it('decides again on what came in between, and loses no member', async () => {
    const { store } = await withProject();
    const writers = Array.from({ length: 8 }, () => new CommandRunner(store));
    await Promise.all(
      writers.map((runner, index) => runner.run(target, context(), (project) => changeSettings(project, { delay: 100 + index }, 1))),
    );
    const changes = (await stored(store)).slice(1).map(({ data }) => data as { from: number; to: number });
    expect(changes).toHaveLength(8);
    expect(changes.map(({ from }) => from)).toEqual([50, ...changes.slice(0, -1).map(({ to }) => to)]);
  });

  it('lets a hundred writers of one instance in one after the other', async () => {
    const { store, runner } = await withProject();
    const append = jest.spyOn(store, 'append');
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        runner.run(target, context(), (project) => changeSettings(project, { delay: 100 + index }, 1)),
      ),
    );
    expect((await stored(store)).slice(1).map(({ data }) => (data as { to: number }).to)).toEqual(
      Array.from({ length: 100 }, (_, n) => 100 + n),
    );
    expect(append).toHaveBeenCalledTimes(100);
  });

  it('abandons a command whose client disconnected while it waited', async () => {
    const { store, runner } = await withProject();
    const client = new AbortController();
    const first = runner.run(target, context(), (project) => {
      client.abort();
      return changeSettings(project, { delay: 1 }, 1);
    });
    const waiting = runner.run(target, context({ signal: client.signal }), (project) => changeSettings(project, { delay: 2 }, 1));
    await expect(waiting).rejects.toMatchObject({ code: 'COMMAND_ABANDONED' });
    await first;
    expect(await stored(store)).toHaveLength(2);
  });

  it('lets the next one in after one that was refused', async () => {
    const { store, runner } = await withProject();
    const refused = runner.run(target, context(), () => {
      throw new Error('no');
    });
    const next = runner.run(target, context(), (project) => changeSettings(project, { delay: 7 }, 1));
    await expect(refused).rejects.toThrow('no');
    await next;
    expect(await stored(store)).toHaveLength(2);
  });

  it('neither does nothing nor refuses because of what another instance has changed since', async () => {
    const { store, runner } = await withProject();
    await runner.run(target, context(), (project) => changeSettings(project, { title: 'A' }, 1));
    await new CommandRunner(store).run(target, context(), (project) => changeSettings(project, { title: 'B' }, 1));
    await runner.run(target, context(), (project) => changeSettings(project, { title: 'A' }, 1));
    expect((await stored(store)).slice(1).map(({ data }) => data)).toMatchObject([{ to: 'A' }, { to: 'B' }, { from: 'B', to: 'A' }]);
    await new CommandRunner(store).run(target, context(), (project) => changeSettings(project, { title: 'C' }, 1));
    const refusing = runner.run(target, context(), (project) => {
      if (project.kind === 'open' && project.settings.title !== 'C') throw new Error('an old title');
      return changeSettings(project, { title: 'D' }, 1);
    });
    await expect(refusing).resolves.toMatchObject({ events: [{ data: { from: 'C', to: 'D' } }] });
  });

  it('carries a repeated command out once, and tells the place of what it wrote then', async () => {
    const { store, runner } = await withProject();
    const places: AppendPosition[] = [];
    const repeated = context({ commandId: 'k', repeat: true, recordAppend: (place) => places.push(place) });
    const decide = (): ReturnType<typeof changeSettings> => [{ type: 'ProjectRenamed', data: { from: 'Example', to: 'Twice' } }];
    await runner.run(target, { ...repeated, repeat: false }, decide);
    await runner.run(target, context(), (project) => changeSettings(project, { delay: 7 }, 1));
    const outcome = await new CommandRunner(store).run(target, repeated, decide);
    expect(outcome.events).toMatchObject([{ type: 'ProjectRenamed' }]);
    expect((await stored(store)).filter(({ type }) => type === 'ProjectRenamed')).toHaveLength(1);
    expect(places[1]).toEqual(places[0]);
  });

  it('repeats nothing when the answer to an append was lost: the repeat is the identical append', async () => {
    const { store } = await withProject();
    let answers = 0;
    const forgetful: EventStore = {
      append: async (stream, expected, events) => {
        const result = await store.append(stream, expected, events);
        if (answers++ === 0) throw new Error('the connection broke');
        return result;
      },
      readStream: (stream, options) => store.readStream(stream, options),
      ends: (streams) => store.ends(streams),
      follow: (position, signal) => store.follow(position, signal),
      ping: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    const runner = new CommandRunner(forgetful);
    const command = context({ commandId: 'k' });
    await expect(runner.run(target, command, (project) => changeSettings(project, { title: 'Once' }, 1))).rejects.toThrow('broke');
    await runner.run(target, { ...command, repeat: true }, (project) => changeSettings(project, { title: 'Once' }, 1));
    expect((await stored(store)).map(({ type }) => type)).toEqual(['ProjectCreated', 'ProjectRenamed']);
  });

  it('appends nothing while reads are too far behind', async () => {
    const { store } = await withProject();
    const gate = {
      check: () => {
        throw new Error('behind');
      },
    };
    await expect(
      new CommandRunner(store).run(target, context({ gate }), (project) => changeSettings(project, { title: 'x' }, 1)),
    ).rejects.toThrow('behind');
    expect(await stored(store)).toHaveLength(1);
  });
});

describe('when the store lost the last moment, as after a failover', () => {
  /** A store that is replaced by another one, which holds as much of the project. */
  async function losing(keep: number) {
    const { store, runner: first } = await withProject();
    let current = store;
    const lossy: EventStore = new Proxy(store, { get: (_, name) => Reflect.get(current, name) as unknown });
    const runner = new CommandRunner(lossy);
    await first.run(target, context(), (project) => changeSettings(project, { delay: 100 }, 1));
    await runner.run(target, context(), (project) => changeSettings(project, { delay: 200 }, 1));
    const kept = (await stored(store)).slice(0, keep);
    current = new MemoryEventStore(systemClock);
    await current.append('project-p', 'no stream', kept);
    return { runner, store: current };
  }
  const delays = async (store: EventStore) => (await stored(store)).slice(1).map(({ data }) => (data as { to: number }).to);
  const delay = (to: number) => (project: Parameters<typeof changeSettings>[0]) => changeSettings(project, { delay: to }, 1);

  it('does again what is gone', async () => {
    const { runner, store } = await losing(2);
    expect((await runner.run(target, context(), delay(200))).events).toHaveLength(1);
    expect(await delays(store)).toEqual([100, 200]);
  });

  it('shows a second stream as it is', async () => {
    const { runner } = await losing(2);
    expect(await runner.read(target)).toMatchObject({ settings: { delay: 100 } });
  });

  it('does again what is gone where something else stands in its place', async () => {
    const { runner, store } = await losing(2);
    await new CommandRunner(store).run(target, context(), delay(300));
    expect((await runner.run(target, context(), delay(200))).events).toHaveLength(1);
    expect(await runner.read(target)).toMatchObject({ settings: { delay: 200 } });
    expect(await delays(store)).toEqual([100, 300, 200]);
  });
});

describe('a continual command, such as the decision about each probe', () => {
  /** The streams that were read, and how often their ends were asked for. */
  function counting(store: EventStore) {
    const counts = { reads: 0, ends: 0 };
    const counted: EventStore = new Proxy(store, {
      get: (_, name) => {
        if (name === 'readStream') counts.reads++;
        if (name === 'ends') counts.ends++;
        return Reflect.get(store, name, store) as unknown;
      },
    });
    return { counts, counted };
  }
  const nothing = () => [];
  const continual = { isContinual: true };
  const renamed = (to: string) => (project: Parameters<typeof changeSettings>[0]) => changeSettings(project, { title: to }, 1);

  it('reads the stream once, and again only when it has moved', async () => {
    const { store, runner: other } = await withProject();
    const { counts, counted } = counting(store);
    const runner = new CommandRunner(counted);
    for (let turn = 0; turn < 5; turn++) await runner.run(target, context(), nothing, continual);
    expect(counts).toEqual({ reads: 1, ends: 5 });
    await other.run(target, context(), renamed('By another instance'));
    const { state } = await runner.run(target, context(), nothing, continual);
    expect(state).toMatchObject({ settings: { title: 'By another instance' } });
    expect(counts.reads).toBe(2);
  });

  it('reads no stream that does not exist', async () => {
    const { counts, counted } = counting(new MemoryEventStore(systemClock));
    const runner = new CommandRunner(counted);
    await runner.run(target, context(), nothing, continual);
    expect(counts).toEqual({ reads: 0, ends: 1 });
  });

  it('reads none of them again where a checker decides about more streams than clients change', async () => {
    const streams = Array.from({ length: 20_100 }, (_, check) => verdictTarget('p', String(check)));
    const { counts, counted } = counting(new MemoryEventStore(systemClock));
    const runner = new CommandRunner(counted);
    const missing = { name: 'token', from: null, reason: 'no check gives it' };
    for (const check of streams) await runner.run(check, context(), (state) => skipRun(state, check.stream, '', missing), continual);
    for (const check of streams.slice(0, 100)) await runner.run(check, context(), nothing, continual);
    expect(counts.reads).toBe(0);
  });

  it('appends to the stream as it is, and refuses by it, although a mirror shows it a moment late', async () => {
    const { store } = await withProject();
    const late = new CommandRunner(store, { endOf: () => Promise.resolve(undefined) });
    const { state, events } = await late.run(target, context(), renamed('Late'), continual);
    expect([state, events]).toMatchObject([{ settings: { title: 'Late' } }, [{ type: 'ProjectRenamed' }]]);
    const refusing = new CommandRunner(store, { endOf: () => Promise.resolve(undefined) });
    await refusing.run(
      target,
      context(),
      (project) => {
        if (project.kind === 'none') throw new Error('refused by a state that is long gone');
        return [];
      },
      continual,
    );
  });
});
