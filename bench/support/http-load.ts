import { Agent, get } from 'node:http';

const CONNECTIONS = 32;
const ROUND_MS = 2_000;

/** Requests per second over keep-alive connections, cycling through the URLs, and the time of each. */
export async function load(
  urls: readonly string[],
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly count: number; readonly rate: number; readonly p99: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  const one = (): Promise<void> =>
    new Promise((done, failed) => {
      const sent = performance.now();
      const url = urls[next++ % urls.length] ?? '';
      get(url, { agent, headers }, (response) => {
        response.resume().once('end', () => {
          times.push(performance.now() - sent);
          if (response.statusCode === 200) done();
          else failed(new Error(`${url} answered ${String(response.statusCode)}`));
        });
      }).once('error', failed);
    });
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() - began < ROUND_MS) await one();
    }),
  );
  agent.destroy();
  times.sort((a, b) => a - b);
  return {
    count: times.length,
    rate: (times.length * 1000) / (performance.now() - began),
    p99: times[Math.floor(times.length * 0.99)] ?? NaN,
  };
}
