import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { SsrfGuard } from '../src/platform/security/ssrf-guard/ssrf-guard.ts';
import { Judge } from '../src/checker/judging/judge.ts';
import type { Answered } from '../src/checker/probe/outcome.ts';
import { Prober } from '../src/checker/probe/prober.ts';
import type { RuleCondition } from '../src/checker/rules/rule.ts';
import { storedAnswer } from '../src/checker/rules/stored-answer.ts';
import { compiledWorker } from '../test/support/compiled-worker.ts';
import { type Bench, figure, inTurns } from './support/bench.ts';
import { openPageSite, twentyKilobytes } from './support/page-site.ts';

const CONCURRENCY = 50;
const PROBES = 500;
const ROUNDS = 9;

/** Operations per second of CPU time of this process, all threads included. */
async function perCpuSecond(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  let left = PROBES;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) await work();
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (PROBES * 1_000_000) / (user + system);
}

/** Lower bound: a request on a plain socket, without agent, name resolution or timing. */
function bare(port: number, secureContext?: SecureContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const createConnection = (): Socket =>
      secureContext === undefined ? connect(port, '127.0.0.1') : connectTls({ port, host: '127.0.0.1', secureContext });
    const sent = request({ createConnection, host: '127.0.0.1', port, path: '/' }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        if (Buffer.concat(chunks).length > 10_000) resolve();
        else reject(new Error('the page is incomplete'));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

const RULES: readonly RuleCondition[] = [
  { type: 'status', op: 'eq', val: '200' },
  { type: 'text', op: 'sub', val: 'Welcome to the shop' },
  { type: 'title', op: 'sub', val: 'shop' },
];

/** CPU cost of probing a 20 KB page over a new connection, compared with a bare request. */
const bench: Bench = async ({ say }) => {
  const site = await openPageSite(twentyKilobytes());
  const prober = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }), extraRoots: [site.root] });
  // The hooks that compile sources on import do not reach worker threads.
  const judge = new Judge({ entry: compiledWorker(new URL('../src/checker/judging/judge-worker.ts', import.meta.url)) });
  const urls = { http: `http://127.0.0.1:${String(site.http)}/`, https: `https://127.0.0.1:${String(site.https)}/` };
  let resumed = 0;
  const context = createSecureContext({ ca: site.root });
  const probe = async (url: string, resumeFor?: string): Promise<Answered> => {
    const scope = resumeFor === undefined ? {} : { resumeFor };
    const outcome = await prober.fetch({ url, timeoutMs: 30_000, userAgent: 'Watchledger', options: { http1Only: true }, ...scope });
    if (outcome.kind !== 'answered') throw new Error(outcome.reason);
    return outcome;
  };
  const check = async (): Promise<void> => {
    const job = { answer: storedAnswer(await probe(urls.http), 0), rules: RULES, type: 'simple', defaultErrors: true } as const;
    const judgement = await judge.judge(job, 'bench');
    if (judgement.kind !== 'judged' || judgement.failures.length > 0) throw new Error('the check should pass');
  };
  try {
    const contenders = {
      http: () => perCpuSecond(() => probe(urls.http)),
      bareHttp: () => perCpuSecond(() => bare(site.http)),
      https: () => perCpuSecond(() => probe(urls.https)),
      bareHttps: () => perCpuSecond(() => bare(site.https, context)),
      // As many projects as probes are open at once: a ticket is for one use.
      resumed: () => perCpuSecond(() => probe(urls.https, `project-${String(resumed++ % CONCURRENCY)}`)),
      check: () => perCpuSecond(check),
    };
    say('warming up');
    await inTurns(1, contenders);
    const found = await inTurns(ROUNDS, contenders);
    return [
      figure('probes over HTTP, against a bare request on a socket', found.http, 'probes/s of CPU', {
        ceiling: found.bareHttp,
        goal: { ratio: 1 / 1.6 },
      }),
      figure('probes over HTTPS, against a bare request on a TLS socket', found.https, 'probes/s of CPU', {
        ceiling: found.bareHttps,
        goal: { ratio: 1 / 1.2 },
      }),
      figure('uptime probes over HTTPS, against the full handshake of each', found.resumed, 'probes/s of CPU', {
        ceiling: found.https,
        goal: { ratio: 1 / 0.8 },
      }),
      figure('whole checks over HTTP on one core', found.check, 'checks/s of CPU', { goal: { atLeast: 600 } }),
    ];
  } finally {
    await judge.close();
    site.close();
  }
};

export default bench;
