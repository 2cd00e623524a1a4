import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Bench, figure, inTurns, median } from './support/bench.ts';
import { ADMIN, json, withService } from './support/bench-service.ts';
import { load } from './support/http-load.ts';
import { processSeconds } from './support/processor.ts';
import { startProgram } from './support/program.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ITEMS = 20;
const HEADERS = { 'accept-encoding': 'br', 'accept-language': 'cs' };

/** As it travels. */
const bytesOf = (url: string): Promise<Buffer> =>
  new Promise((done, failed) => {
    get(url, { headers: HEADERS }, (response) => {
      const parts: Buffer[] = [];
      response
        .on('data', (part: Buffer) => parts.push(part))
        .once('end', () => {
          done(Buffer.concat(parts));
        });
    }).once('error', failed);
  });

/** A status page of 20 items for outsiders, beside a bare Fastify that sends the same bytes. */
const bench: Bench = (tools) =>
  withService(tools, async (service) => {
    const token = await json(`${service.address}/api/authenticate`, ADMIN);
    const items: object[] = [];
    while (items.length < ITEMS) {
      const { id } = JSON.parse(await json(`${service.address}/api/project/create`, { url: 'https://example.com' }, token)) as {
        id: string;
      };
      items.push({ name: `Service ${String(items.length)}`, project: id });
    }
    const page = { slug: 'bench', title: 'Bench', languages: ['en', 'cs'], groups: [{ items }] };
    await json(`${service.address}/api/status-pages`, page, token);
    const url = `${service.address}/status/bench`;
    const body = await bytesOf(url);
    const folder = await mkdtemp(join(tmpdir(), 'watchledger-bench-'));
    await writeFile(join(folder, 'body'), body);
    const bare = await startProgram(join(import.meta.dirname, 'support/bare-page.mjs'), { BODY: join(folder, 'body') }, ROOT);
    try {
      const cpus = { service: [] as number[], bare: [] as number[] };
      const of = { service: { pid: service.pid, url }, bare: { pid: bare.pid, url: bare.address } };
      const round = (which: keyof typeof of) => async (): Promise<number> => {
        const before = processSeconds(of[which].pid);
        const { count, rate } = await load([of[which].url], HEADERS);
        cpus[which].push(((processSeconds(of[which].pid) - before) * 1_000_000) / count);
        return rate;
      };
      for (const which of ['service', 'bare'] as const) await round(which)();
      for (const which of ['service', 'bare'] as const) cpus[which].length = 0;
      const rates = await inTurns(5, { service: round('service'), bare: round('bare') });
      const perCore = (which: keyof typeof of): number => 1_000_000 / median(cpus[which]);
      return [
        figure('GET /status/{slug}, 32 connections', rates.service, 'requests/s', { ceiling: rates.bare }),
        figure('GET /status/{slug}, for each second of CPU of the process', perCore('service'), 'requests', {
          ceiling: perCore('bare'),
          goal: { atLeast: 5_000 },
        }),
        figure('page of 20 items as it travels', body.length / 1024, 'KB', { goal: { atMost: 30 } }),
      ];
    } finally {
      await bare.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

export default bench;
