import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Bench, figure, inTurns } from './support/bench.ts';
import { ADMIN, json, withService } from './support/bench-service.ts';
import { twentyKilobytes } from './support/page-site.ts';

const ROUNDS = 21;
const LARGE_ROUNDS = 7;
const LARGE_BYTES = 5 * 1024 * 1024;
const SEARCHED = 'the very last words of the page';

const page = (bytes: number): Buffer => {
  const [head = '', rest = ''] = twentyKilobytes().split('<h1>');
  const filler = `<h1>${rest.split('</body>', 1)[0] ?? ''}`;
  const count = Math.max(1, Math.floor(bytes / filler.length));
  return Buffer.from(`${head}${filler.repeat(count)}<p id="end">${SEARCHED}</p></body></html>`);
};

/** Evidence of a usual page and of one of 5 MiB, beside reading the same event's chain; and what others notice meanwhile. */
const bench: Bench = (tools) => {
  const pages = { '/small': page(20_000), '/large': page(LARGE_BYTES) };
  const site = createServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pages[url as keyof typeof pages]); // of a check below
  });
  return withService(
    tools,
    async ({ address }) => {
      await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
      const api = `${address}/api`;
      const token = await json(`${api}/authenticate`, ADMIN);
      const ask = async (path: string, body: object | null = null): Promise<unknown> =>
        JSON.parse(await json(api + path, body, token)) as unknown;
      const { id } = (await ask('/project/create', { url: `http://127.0.0.1:${String((site.address() as AddressInfo).port)}/` })) as {
        id: string;
      };
      const rules = [
        { type: 'text', op: 'sub', val: SEARCHED },
        { type: 'title', op: 'sub', val: 'Example' },
        { type: 'html', op: 'xpath', val: '//p[@id="end"]' },
      ];
      const testAt = async (url: keyof typeof pages): Promise<string> =>
        ((await ask(`/project/${id}/tests`, { url, name: url, rules })) as { id: string }).id;
      const tests = { small: await testAt('/small'), large: await testAt('/large') };
      // Answered as its results come, one line for each.
      await json(`${api}/project/${id}/start?continue=true`, null, token);
      const eventOf = async (testId: string): Promise<string> => {
        for (let tried = 0; tried < 300; tried++) {
          const { events } = (await ask(`/project/${id}/history?type=CheckPassed&type=CheckFailed`)) as {
            events: readonly { id: string; data: { checkId: string } }[];
          };
          const found = events.find(({ data }) => data.checkId === testId);
          if (found !== undefined) return found.id;
          await new Promise((again) => setTimeout(again, 100));
        }
        throw new Error(`no verdict of ${testId}`);
      };
      const [small, large] = [await eventOf(tests.small), await eventOf(tests.large)];
      const timed = (path: string) => async (): Promise<number> => {
        const began = performance.now();
        await json(api + path, null, token);
        return performance.now() - began;
      };
      const history = `/project/${id}/history`;
      for (const event of [small, large]) await timed(`${history}/${event}/evidence`)();
      const usual = await inTurns(ROUNDS, { evidence: timed(`${history}/${small}/evidence`), chain: timed(`${history}/${small}/chain`) });
      const whole = await inTurns(LARGE_ROUNDS, {
        evidence: timed(`${history}/${large}/evidence`),
        page: timed(`${history}/${large}/evidence/page`),
      });
      const others = await beside(timed(`/project/${id}`), timed(`${history}/${large}/evidence`));
      return [
        figure('evidence of a page of 20 KB with three rules, against the chain of the event', usual.evidence, 'ms', {
          ceiling: usual.chain,
          goal: { atMost: 20 },
        }),
        figure('evidence with byte ranges on a page of 5 MiB, against sending the page', whole.evidence, 'ms', {
          ceiling: whole.page,
          goal: { atMost: 300 },
        }),
        figure('the slowest of 100 reads of others beside it', others, 'ms', { goal: { atMost: 50 } }),
      ];
    },
    { ALLOW_TARGETS: '127.0.0.0/8' },
  ).finally(() => site.close());
};

/** The slowest of a hundred quick requests while slow ones are under way. */
async function beside(quick: () => Promise<number>, slow: () => Promise<number>): Promise<number> {
  let isOver = false;
  const busy = (async () => {
    while (!isOver) await slow();
  })();
  let slowest = 0;
  for (let request = 0; request < 100; request++) slowest = Math.max(slowest, await quick());
  isOver = true;
  await busy;
  return slowest;
}

export default bench;
