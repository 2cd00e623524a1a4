import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Receiver, startReceiver } from '../../../test/support/servers/receiver.ts';
import { TeamPackages } from '../../../test/support/team-packages.ts';
import { until } from '../../../test/support/until.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { RunningChild } from '../process/running-child.ts';

/** Each handler by the title of the event. */
const PACKAGE = `(() => {
  const url = process.env.RECEIVER;
  const later = (ms) => new Promise((done) => setTimeout(done, ms));
  const handlers = {
    'not awaited': (effects) => void effects.http({ url: url + 'fails' }),
    'in a chain': (effects) => void effects.http({ url: url + 'one' }).then(() => effects.http({ url: url + 'two' })).then(() => effects.http({ url: url + 'fails' })),
    'caught': (effects) => void effects.http({ url: url + 'fails' }).catch(() => undefined),
    'caught later': async (effects) => {
      const effect = effects.http({ url: url + 'fails' });
      await later(200);
      await effect.catch(() => undefined);
    },
    'beside one that fails': (effects) => Promise.all([effects.http({ url: url + 'fails' }), effects.http({ url: url + 'slow' })]),
    'after the end': (effects) => void setTimeout(() => effects.http({ url: url + 'late' }), 100),
    'command': (effects) => effects.command({ method: 'GET', path: '/account', token: 'any' }),
  };
  return defineReactor({ name: 'one', from: 'now', on: { ProjectRenamed: ({ data }, effects) => handlers[data.to](effects) } });
})()`;

let packages: TeamPackages;
let receiver: Receiver;
let child: RunningChild;

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.answer = ({ path }, response) => {
    setTimeout(() => response.writeHead(path === '/fails' ? 500 : 200).end(), path === '/slow' ? 300 : 0);
  };
  packages = await TeamPackages.open();
  const team = await packages.start(PACKAGE, { env: { RECEIVER: new URL('/', receiver.url).href } });
  child = await team.running(new AbortController().signal);
  await child.call('allowEffects', { allowed: ['127.0.0.0/8'], denied: [] });
});
afterAll(async () => {
  await packages.close();
  await receiver.close();
});

let before: number;
beforeEach(() => {
  before = receiver.received.length;
});
const received = (): readonly string[] => receiver.received.slice(before).map(({ path }) => path);

function renamed(to: string): LogEvent {
  const id = derivedId('event', to);
  const at = '2026-01-01T00:00:00.000Z';
  const meta = { actor: { kind: 'user', id: '1' }, correlationId: id, causationId: null, commandId: id, occurredAt: at } as const;
  return {
    ...{ n: 0, id, stream: 'project-a', revision: 0, type: 'ProjectRenamed', version: 1, scope: 'project-a', recordedAt: at },
    ...{ data: { from: '', to }, meta },
  };
}
const react = (title: string, api = ''): Promise<null> => child.call('react', { reactor: 'one', event: renamed(title), api });

describe('a handler of a reactor', () => {
  it('fails when an effect fails that it does not await', async () => {
    await expect(react('not awaited')).rejects.toThrow('answered with 500');
    await expect(react('in a chain')).rejects.toThrow('answered with 500');
    expect(received()).toEqual(['/fails', '/one', '/two', '/fails']);
    expect(packages.uncaught).toEqual([]);
  });

  it('succeeds when it catches the failure of an effect, at once or later', async () => {
    await react('caught');
    await react('caught later');
    expect(received()).toEqual(['/fails', '/fails']);
    expect(packages.uncaught).toEqual([]);
  });

  it('ends only when all its effects have ended, so that none is made beside the next attempt', async () => {
    const startedAt = performance.now();
    await expect(react('beside one that fails')).rejects.toThrow('answered with 500');
    expect(performance.now() - startedAt).toBeGreaterThan(290);
  });

  it('begins no effect after its end', async () => {
    await react('after the end');
    await until(() => Promise.resolve(packages.uncaught.length > 0), 2_000, 'the refusal');
    await sleep(300);
    expect(received()).toEqual([]);
    expect(packages.uncaught).toEqual(['the handler has ended: an effect must begin before it returns']);
  });

  it('records what it does not await in a rehearsal, too', async () => {
    const effects = await child.call('rehearse', { reactor: 'one', event: renamed('in a chain') });
    expect(effects.map(({ summary }) => summary.split('/').at(-1))).toEqual(['one', 'two', 'fails']);
  });

  it('is refused a command where no address of the API is known', async () => {
    await expect(react('command')).rejects.toThrow('a command needs the address of the API: set PUBLIC_URL');
  });
});
