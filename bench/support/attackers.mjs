import { request as ask, Agent, createServer } from 'node:http';
import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { gzipSync } from 'node:zlib';

// Attacks a service from one address of this machine, in a process of its own that gets what processor time is left, as if it ran elsewhere. `message`: { port, token, projectId, slug, exporter: { token, projectId } }.
// Each attack repeats itself as fast as it is answered.

const HOST = '127.0.0.1';
const FROM = '127.0.0.2';
/** Whose further connections are closed for a while. */
const PIPELINING_FROM = '127.0.0.3';
const CONNECTIONS = 400;
const MEBIBYTE = 2 ** 20;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, localAddress: FROM });
const counts = {};
let isOver = false;

setPriority(19);

const pause = (milliseconds) => new Promise((over) => setTimeout(over, milliseconds));
const letters = (length) => 'x'.repeat(length);

/** Answers the status, or 0 where the connection ends before. */
function send(port, method, path, { headers = {}, body, within = 10_000 } = {}) {
  return new Promise((done) => {
    const sent = ask({ host: HOST, port, method, path, headers, agent, localAddress: FROM }, (answer) => {
      answer.resume().once('close', () => done(answer.statusCode));
    });
    sent.once('error', () => done(0)).setTimeout(within, () => sent.destroy());
    sent.end(body);
  });
}

/** Writes a text to a connection of its own, and closes that after a pause. */
const write = (port, text, openMs, localAddress = FROM) =>
  new Promise((done) => {
    const socket = connect({ host: HOST, port, localAddress }, () => socket.write(text));
    socket.resume().once('error', () => socket.destroy());
    socket.once('close', done);
    setTimeout(() => socket.destroy(), openMs);
  });

const attacks = ({ port, token, projectId, exporter, slug, hostile }) => {
  const own = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const json = (path, body, headers = own) => send(port, 'POST', path, { headers, body: JSON.stringify(body) });
  const jwt = `/api/project/${'-eyJ'.repeat(3_800)}`;
  const keys = Array.from({ length: 20_000 }, (_, key) => `k${key.toString(36)}: 1`).join('\n');
  const bomb = gzipSync(Buffer.alloc(20 * MEBIBYTE));
  let slugs = 0;
  return {
    pipelining: [2, () => write(port, 'HEAD /api/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000), 500, PIPELINING_FROM)],
    'long addresses': [2, () => send(port, 'GET', jwt)],
    'unknown pages': [100, () => send(port, 'GET', `/status/unknown-${String(slugs++)}`)],
    'unknown routes': [4, () => send(port, 'GET', `/api/${letters(1_000)}`)],
    'guessed passwords': [
      2,
      () =>
        send(port, 'POST', `/status/${slug}/password`, {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `password=${String(Math.random())}`,
        }),
    ],
    'bodies without a right': [
      8,
      () => send(port, 'POST', '/api/project/create', { headers: { authorization: 'Bearer x' }, body: letters(MEBIBYTE - 1) }),
    ],
    'deep bodies': [
      2,
      () => send(port, 'POST', '/api/authenticate', { headers: { 'content-type': 'application/json' }, body: '['.repeat(500_000) }),
    ],
    'compressed bodies': [
      2,
      () =>
        send(port, 'POST', '/api/authenticate', {
          headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
          body: bomb,
        }),
    ],
    'unfinished heads': [200, () => write(port, 'GET /health/live HTTP/1.1\r\nHost: a\r\nX-Slow: ', 10_000)],
    'unfinished bodies': [30, () => write(port, 'POST /api/authenticate HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{', 10_000)],
    'batches of unknown paths': [
      1,
      () => json('/api/batch', { operations: Array.from({ length: 1_000 }, (_, n) => ({ method: 'POST', path: `/n${String(n)}` })) }),
    ],
    'atomic batches': [
      1,
      () =>
        json('/api/batch', {
          atomic: true,
          operations: Array.from({ length: 1_000 }, (_, n) => ({
            method: 'PUT',
            path: `/project/${projectId}`,
            body: { title: `T${String(n)}` },
          })),
        }),
    ],
    'abandoned exports': [
      10,
      () =>
        send(port, 'GET', `/api/project/${exporter.projectId}/history/export`, {
          headers: { authorization: `Bearer ${exporter.token}` },
          within: 200,
        }),
    ],
    'site files of many keys': [1, () => json('/api/projects/plan', { files: [{ name: 'bomb.yaml', text: keys }] })],
    'hostile homepages': [
      1,
      () =>
        send(port, 'PUT', `/api/project/${projectId}`, {
          headers: own,
          body: JSON.stringify({ url: `${hostile}/${String(slugs++)}` }),
        }).then(() => pause(500)),
    ],
  };
};

process.on('message', ({ end, ...given }) => {
  if (end) {
    isOver = true;
    process.send({ counts });
    process.disconnect();
    process.exit();
  }
  const page = `<html><body>${'='.repeat(2 * MEBIBYTE)}<a href="//x">${'<'.repeat(MEBIBYTE)}`;
  const site = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(page)).listen(0, HOST, () => {
    for (const [name, [workers, act]] of Object.entries(attacks({ ...given, hostile: `http://${HOST}:${String(site.address().port)}` }))) {
      counts[name] = {};
      for (let worker = 0; worker < workers; worker++) void repeat(name, act);
    }
  });
});

async function repeat(name, act) {
  while (!isOver) {
    const status = (await act()) ?? 'closed';
    counts[name][status] = (counts[name][status] ?? 0) + 1;
    // A refusal costs a client nothing: without a pause it would take the processor from what it attacks.
    await pause(status === 429 || status === 404 || status === 'closed' || status === 0 ? 20 : 2);
  }
}
