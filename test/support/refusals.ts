import type { Limit } from '../../src/kernel/limits.ts';

/** How often a limit refused, by the metrics of a running service, which are up to a second old. */
export async function refusalsOf(service: { readonly url: string }, limit: Limit): Promise<number> {
  const text = await (await fetch(`${new URL(service.url).origin}/metrics`)).text();
  return Number(new RegExp(`watchledger_refusals_total\\{limit="${limit}"\\} (\\d+)`).exec(text)?.[1]);
}
