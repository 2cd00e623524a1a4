import type { Config } from '../../config.ts';
import { reasonOf } from '../system-error.ts';
import { fail, type Finding, ok } from './finding.ts';

const PATIENCE_MS = 5_000;

/** Every node that the address names, by its own health page. */
export async function examineEventStore({ eventStoreUrl }: Config): Promise<readonly Finding[]> {
  if (eventStoreUrl === undefined) return [ok('event store', 'Postgres keeps the events')];
  const { nodes, scheme } = nodesOf(eventStoreUrl);
  return Promise.all(nodes.map((node) => ask(node, scheme)));
}

async function ask(node: string, scheme: 'http' | 'https'): Promise<Finding> {
  try {
    const { status } = await fetch(`${scheme}://${node}/health/live`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (status < 300) return ok('event store', `${node} is alive`);
    return fail('event store', `${node} answered ${String(status)}`, 'look at its log: the node runs but is not well');
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const advice =
      scheme === 'https'
        ? 'is it up, is its certificate trusted, or does it want ?tls=false?'
        : 'is it up, and is EVENTSTORE_URL its address?';
    return fail('event store', `${node}: ${reasonOf(cause)}`, advice);
  }
}

export function nodesOf(address: string): { nodes: readonly string[]; scheme: 'http' | 'https' } {
  const [, authority = '', rest = ''] = /^[^:]+:\/\/(?:[^@/?]*@)?([^/?]*)(.*)$/.exec(address) ?? [];
  const nodes = authority.split(',').map((node) => (/:\d+$/.test(node) ? node : `${node}:2113`));
  return { nodes, scheme: /[?&]tls=false\b/i.test(rest) ? 'http' : 'https' };
}
