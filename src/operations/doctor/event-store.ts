import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import axios from 'axios';
import type { Config } from '../../platform/config/config.ts';
import { openKurrentDb } from '../../platform/event-store/open-kurrentdb.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { fail, type Diagnosis, ok } from './finding.ts';

const PATIENCE_MS = 5_000;

/** Every node that the address names, by its own health page, and whether the store lets us in. */
export async function examineEventStore({ eventStoreUrl }: Config): Promise<readonly Diagnosis[]> {
  if (eventStoreUrl === undefined) return [ok('event store', 'Postgres keeps the events')];
  const { nodes, scheme, authority } = nodesOf(eventStoreUrl);
  const httpsAgent = new Agent(authority === null ? {} : { ca: readFileSync(authority) });
  const alive = await Promise.all(nodes.map((node) => ask(node, scheme, httpsAgent)));
  return [...alive, await read(eventStoreUrl)];
}

async function ask(node: string, scheme: 'http' | 'https', httpsAgent: Agent): Promise<Diagnosis> {
  try {
    const url = `${scheme}://${node}/health/live`;
    const { status } = await axios.get(url, { httpsAgent, proxy: false, timeout: PATIENCE_MS, validateStatus: () => true });
    if (status < 300) return ok('event store', `${node} is alive`);
    return fail('event store', `${node} answered ${String(status)}`, 'look at its log: the node runs but is not well');
  } catch (error) {
    const advice =
      scheme === 'https'
        ? 'is it up, is its certificate trusted (tlsCAFile), or does it want ?tls=false?'
        : 'is it up, and is EVENTSTORE_URL its address?';
    return fail('event store', `${node}: ${reasonOf(error)}`, advice);
  }
}

async function read(url: string): Promise<Diagnosis> {
  const store = await openKurrentDb(url, { attemptMs: PATIENCE_MS });
  try {
    await store.ping();
    return ok('event store', 'lets us read');
  } catch (error) {
    return fail(
      'event store',
      `cannot be read: ${reasonOf(error)}`,
      'are user and password in EVENTSTORE_URL right, and may the user read $all?',
    );
  } finally {
    await store.close();
  }
}

/** `authority`: the file with the certificate that all others are signed by, where it is one of their own. */
export function nodesOf(address: string): { nodes: readonly string[]; scheme: 'http' | 'https'; authority: string | null } {
  const [, hosts = '', rest = ''] = /^[^:]+:\/\/(?:[^@/?]*@)?([^/?]*)(.*)$/.exec(address) ?? [];
  const nodes = hosts.split(',').map((node) => (/:\d+$/.test(node) ? node : `${node}:2113`));
  const given = /[?&]tlsCAFile=([^&]*)/i.exec(rest)?.[1];
  return {
    nodes,
    scheme: /[?&]tls=false\b/i.test(rest) ? 'http' : 'https',
    authority: given === undefined ? null : decodeURIComponent(given),
  };
}
