import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';

const START_MS = 60_000;

export interface EventStoreNode {
  /** For EVENTSTORE_URL. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A real server of its own in memory, from the command that starts one, such as `dotnet EventStore.ClusterNode.dll` (docs/event-store.md). */
export async function startEventStoreNode(command: string): Promise<EventStoreNode> {
  const [program = '', ...args] = command.split(' ');
  const [port, replication] = [await freePort(), await freePort()];
  const logs = await mkdtemp(join(tmpdir(), 'watchledger-event-store-'));
  const options = {
    ...{ 'node-ip': '127.0.0.1', 'replication-ip': '127.0.0.1', 'node-port': String(port), 'replication-port': String(replication) },
    ...{ 'run-projections': 'None', log: logs },
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(program, [...args, '--insecure', '--mem-db', ...flags], { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      await ended;
    }
    await rm(logs, { recursive: true, force: true });
  };
  try {
    await until(() => isAlive(port), START_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `esdb://127.0.0.1:${String(port)}?tls=false`, stop };
}

const isAlive = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${String(port)}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
