import type { Sample } from '../../src/platform/observations/samples/sample.ts';

/** A seeded random generator, so that two runs measure the same. */
export function noise(seed: number): () => number {
  let state = seed % 2_147_483_647 || 1;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

/** Samples of an ordinary site: drifting phases, occasional slow answers, and an outage of some minutes about every ten days. */
export function siteSamples(from: number, to: number, periodSeconds: 15 | 30 | 60, seed: number): Sample[] {
  const random = noise(seed);
  const phase = Math.floor(random() * periodSeconds * 1000);
  const base = 40 + random() * 200;
  const samples: Sample[] = [];
  let downUntil = 0;
  for (let at = from + phase; at < to; at += periodSeconds * 1000) {
    if (random() < (periodSeconds * 1000) / (10 * 86_400_000)) downUntil = at + random() * 1_800_000;
    const down = at < downUntil;
    const slow = random() < 0.01 ? random() * 800 : 0;
    const [dns, connect, tls] = [random() < 0.1 ? random() * 20 : random(), 8 + random() * 4, 12 + random() * 6];
    const [waiting, download] = [base + random() * base * 0.4 + slow, 1 + random() * 8];
    samples.push({
      at: at + Math.floor(random() * random() * 6),
      outcome: down ? 'down' : 'up',
      periodSeconds,
      httpStatus: down ? 503 : 200,
      reason: down ? 'the server answered with HTTP status 503' : null,
      ...{ dns, connect, tls, request: 0.2, waiting, download },
      total: dns + connect + tls + 0.2 + waiting + download,
    });
  }
  return samples;
}
