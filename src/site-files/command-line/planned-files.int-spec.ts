import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { WatchledgerClient } from '../../client/client.ts';
import { plannedFiles } from './planned-files.ts';
import { SitePlanning } from './server-plans.ts';
import { siteRequests } from './site-requests.ts';

let server: Server;
let status: number;
/** The names of the files of each request. */
let received: string[][];

beforeEach(async () => {
  status = 200;
  const ofTest: string[][] = (received = []);
  server = createServer((request, response) => {
    void json(request).then((body) => {
      const { files } = body as { readonly files: readonly { readonly name: string; readonly text: string }[] };
      ofTest.push(files.map(({ name }) => name));
      const projects = files.map(({ text }) => ({ key: (JSON.parse(text) as { readonly key: string }).key }));
      const answer =
        status === 200 ? { projects, statusPages: [], problems: [] } : { message: 'refused', errorCode: 'TEST', requestId: 'r' };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const planningOf = (expected: number): SitePlanning => {
  const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const client = new WatchledgerClient({ baseUrl, token: 't', attempts: 1 });
  return new SitePlanning(client, () => () => null, { prune: 'none', keepSecrets: false }, expected);
};
const fileOf = (nth: number, more = '') => ({
  name: `${String(nth)}.yaml`,
  text: `key: site-${String(nth)}\nurl: https://site-${String(nth)}.example\n${more}`,
});
const files = Array.from({ length: 120 }, (_, nth) => fileOf(nth));

it('answers the plans in the order of the files, also of sites that wait for templates of later files', async () => {
  const given = [
    fileOf(500, 'extends: ours\n'),
    ...files,
    { name: 'templates.yaml', text: 'templates: { ours: { period: 5 minutes } }\n' },
  ];
  const planning = planningOf(given.length);
  const { sent, problems } = await plannedFiles(given, planning);
  expect(problems).toEqual([]);
  const { projects } = await planning.plans(sent);
  expect(projects.map(({ key }) => key)).toEqual([500, ...files.keys()].map((nth) => `site-${String(nth)}`));
  expect(received.flat().toSorted()).toEqual(
    given
      .slice(0, -1)
      .map(({ name }) => name)
      .toSorted(),
  );
  expect(received[0]).toHaveLength(50);
});

it('names the problems in the order of the files, and sends no more once it has one', async () => {
  const given = [...files.slice(0, 60), fileOf(1), fileOf(77, 'uptimeUrll: x\n'), ...files.slice(80)];
  const { problems } = await plannedFiles(given, planningOf(given.length));
  expect(problems.map(({ file, message }) => `${file} ${message}`)).toEqual([
    '1.yaml key: site-1 is in 1.yaml, too',
    '77.yaml uptimeUrll: is not a known field; did you mean "uptimeUrl"?',
  ]);
});

it('sends no request after one that was refused, and says why', async () => {
  status = 403;
  const planning = planningOf(files.length);
  const { sent } = await plannedFiles(files, planning);
  await expect(planning.plans(sent)).rejects.toThrow('refused');
  expect(received.length).toBeLessThanOrEqual(2);
});

it('names a site that does not fit into a request', () => {
  const site = { key: 'large', name: 'large.yaml', text: '"'.repeat(600_000), references: [] };
  expect(() => siteRequests([site], () => () => null)).toThrow('large.yaml: large is larger than a request may be, 1 MiB as JSON');
});

it('names every reference without a value', async () => {
  const secret = (nth: number) => fileOf(nth, `groups: [{ name: G, httpAuth: { user: u, password: '\${env:P${String(nth)}}' } }]\n`);
  const planning = planningOf(3);
  const { sent } = await plannedFiles([secret(1), fileOf(2), secret(3)], planning);
  await expect(planning.plans(sent)).rejects.toMatchObject({
    problems: ['1.yaml: ${env:P1}', '3.yaml: ${env:P3}'].map((reference) => ({
      message: `${reference} has no value here; set the variable ${reference.slice(-3, -1)}, or keep the saved secret with --keep-secrets`,
    })),
  });
  expect(received).toEqual([]);
});
