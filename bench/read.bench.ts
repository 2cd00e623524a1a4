import { join, resolve } from 'node:path';
import { type Bench, figure, inTurns, median } from './support/bench.ts';
import { ADMIN, json, withService } from './support/bench-service.ts';
import { load } from './support/http-load.ts';
import { processSeconds } from './support/processor.ts';
import { residentMegabytes, startProgram } from './support/program.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PROJECTS = 100;

/** Reading a project over HTTP, beside a bare Fastify that verifies the same token and reads the same row; the start and the memory of the service. */
const bench: Bench = (tools) =>
  withService(tools, async (service, databaseUrl, jwtKey) => {
    await new Promise((nothingHappens) => setTimeout(nothingHappens, 3_000));
    const idle = await residentMegabytes(service.pid);
    const token = await json(`${service.address}/api/authenticate`, ADMIN);
    const ids: string[] = [];
    while (ids.length < PROJECTS) {
      const made = await json(`${service.address}/api/project/create`, { url: 'https://example.com' }, token);
      ids.push((JSON.parse(made) as { id: string }).id);
    }
    const bare = await startProgram(
      join(import.meta.dirname, 'support/bare-server.mjs'),
      { DATABASE_URL: databaseUrl, JWT_KEY: jwtKey },
      ROOT,
    );
    try {
      const p99s = { service: [] as number[], bare: [] as number[] };
      const cpus = { service: [] as number[], bare: [] as number[] };
      const pids = { service: service.pid, bare: bare.pid };
      const urls = {
        service: ids.map((id) => `${service.address}/api/project/${id}`),
        bare: ids.map((id) => `${bare.address}/${id}`),
      };
      const round = (which: keyof typeof urls) => async (): Promise<number> => {
        const before = processSeconds(pids[which]);
        const { count, rate, p99 } = await load(urls[which], { authorization: `Bearer ${token}` });
        p99s[which].push(p99);
        cpus[which].push(((processSeconds(pids[which]) - before) * 1_000_000) / count);
        return rate;
      };
      for (const which of ['service', 'bare'] as const) await round(which)();
      for (const { service: ofService, bare: ofBare } of [p99s, cpus]) ofService.length = ofBare.length = 0;
      const rates = await inTurns(3, { service: round('service'), bare: round('bare') });
      return [
        figure('GET /project/{id}, authenticated, 32 connections', rates.service, 'requests/s', {
          ceiling: rates.bare,
          goal: { ratio: 0.75 },
        }),
        figure('GET /project/{id}, processor of the process for each', median(cpus.service), 'µs of CPU', { ceiling: median(cpus.bare) }),
        figure('GET /project/{id}, 99 of 100 (ceiling: of the bare server)', Math.min(...p99s.service), 'ms', {
          ceiling: Math.min(...p99s.bare),
          goal: { ratioAtMost: 1.2 },
        }),
        figure('ready after the start of the process, database there', service.readyMs, 'ms', { goal: { atMost: 700 } }),
        figure('memory of the idle service', idle, 'MB', { goal: { atMost: 180 } }),
      ];
    } finally {
      await bare.stop();
    }
  });

export default bench;
