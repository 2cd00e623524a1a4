import { Agent, get } from 'node:http';
import { percentile } from './bench.ts';

const A_SECOND = 200;
const SPAN_MS = 5_000;

/** The 99th percentile of requests that are sent when due, independent of earlier answers, in milliseconds. */
export async function steadyReads(urls: readonly string[], token: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const times: number[] = [];
  const began = performance.now();
  const one = (url: string): Promise<void> =>
    new Promise((done, failed) => {
      const sent = performance.now();
      get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
        response.resume().once('end', () => {
          times.push(performance.now() - sent);
          done();
        });
      }).once('error', failed);
    });
  const sent: Promise<void>[] = [];
  for (let count = 0; performance.now() - began < SPAN_MS; count++) {
    sent.push(one(urls[count % urls.length] ?? ''));
    const ahead = ((count + 1) * 1_000) / A_SECOND - (performance.now() - began);
    if (ahead > 0) await new Promise((due) => setTimeout(due, ahead));
  }
  await Promise.all(sent);
  agent.destroy();
  return percentile(times, 0.99);
}
