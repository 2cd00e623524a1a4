import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreProcess } from './event-store-process.ts';

export interface EventStoreNode {
  /** For EVENTSTORE_URL. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A real server that keeps its data in memory. */
export async function startEventStoreNode(command: string): Promise<EventStoreNode> {
  const node = await EventStoreProcess.at(command);
  const log = await mkdtemp(join(tmpdir(), 'watchledger-event-store-'));
  const stop = async (): Promise<void> => {
    await node.kill();
    await rm(log, { recursive: true, force: true });
  };
  try {
    node.start({ log, 'mem-db': 'true' });
    await node.ready();
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `esdb://${node.address}?tls=false`, stop };
}
