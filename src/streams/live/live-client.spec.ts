import { describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { LiveClient } from './live-client.ts';

const frame = (n: number, text = `${String(n)} `) => ({ n, text });
const received = (client: LiveClient): string => String(client.out.read() ?? '');

describe('a live client', () => {
  it('receives missed events, then new ones, each once and in order', () => {
    const client = new LiveClient('project-1');
    client.push(frame(3));
    client.push(frame(4));
    for (const n of [1, 2, 3]) client.replay(frame(n));
    client.caughtUp();
    client.push(frame(5));
    expect(received(client)).toBe('1 2 3 4 5 ');
  });

  it('is disconnected when its buffer exceeds the limit (backpressure)', () => {
    const client = new LiveClient('project-1');
    let ended = 0;
    client.onClose(() => ended++);
    client.caughtUp();
    for (let n = 0; n < 100 && !client.isClosed; n++) client.push(frame(n, 'x'.repeat(10_000)));
    expect([client.isClosed, ended]).toEqual([true, 1]);
    client.push(frame(1_000));
    expect(ended).toBe(1);
  });

  it('is disconnected when new events exceed the limit during the replay', () => {
    const client = new LiveClient('project-1');
    for (let n = 0; n < 100; n++) client.push(frame(n, 'x'.repeat(10_000)));
    expect(client.isClosed).toBe(true);
  });

  it('drops results rather than events when it reads slowly', async () => {
    const client = new LiveClient('project-1');
    client.offer('too early');
    client.caughtUp();
    client.push(frame(1, 'x'.repeat(200_000)));
    client.offer('dropped');
    let all = '';
    client.out.on('data', (chunk: Buffer) => (all += chunk.toString()));
    await client.drained();
    client.offer('received');
    await until(async () => Promise.resolve(all.endsWith('received')), 15_000, 'receiving the second result');
    expect(all.replace(/^x+/, '')).toBe('received');
    expect(client.isClosed).toBe(false);
  });
});
