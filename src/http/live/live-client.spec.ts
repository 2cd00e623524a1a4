import { describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { LiveClient } from './live-client.ts';

const frame = (n: number, text = `${String(n)} `) => ({ n, text });
const heard = (client: LiveClient): string => String(client.out.read() ?? '');

describe('A live client', () => {
  it('hears what it missed, then what happened meanwhile, each once and in order', () => {
    const client = new LiveClient('project-1');
    client.push(frame(3));
    client.push(frame(4));
    for (const n of [1, 2, 3]) client.replay(frame(n));
    client.caughtUp();
    client.push(frame(5));
    expect(heard(client)).toBe('1 2 3 4 5 ');
  });

  it('is cut off when it reads too slowly, rather than remembered without bound', () => {
    const client = new LiveClient('project-1');
    let ended = 0;
    client.onEnd(() => ended++);
    client.caughtUp();
    for (let n = 0; n < 100 && !client.over; n++) client.push(frame(n, 'x'.repeat(10_000)));
    expect([client.over, ended]).toEqual([true, 1]);
    client.push(frame(1_000));
    expect(ended).toBe(1);
  });

  it('is cut off too when more happens than fits while it is told what it missed', () => {
    const client = new LiveClient('project-1');
    for (let n = 0; n < 100; n++) client.push(frame(n, 'x'.repeat(10_000)));
    expect(client.over).toBe(true);
  });

  it('misses a result rather than an event', async () => {
    const client = new LiveClient('project-1');
    client.mention('too early');
    client.caughtUp();
    client.push(frame(1, 'x'.repeat(200_000)));
    client.mention('left out');
    let all = '';
    client.out.on('data', (chunk: Buffer) => (all += chunk.toString()));
    await client.drained();
    client.mention('heard');
    await until(async () => Promise.resolve(all.endsWith('heard')), 15_000, 'hearing the second result');
    expect(all.replace(/^x+/, '')).toBe('heard');
    expect(client.over).toBe(false);
  });
});
