/** What the service says of itself in `/metrics`. */
export interface ServiceMetrics {
  /** Uptime probes that were started, that wait, and that were left out, since the start. */
  readonly started: number;
  readonly queued: number;
  readonly putOff: number;
  readonly isOverloaded: boolean;
  /** Seconds that the oldest due work has waited. */
  readonly queuedSeconds: number;
}

const DUE = ['due probes', 'due checks'].map((queue) => `queue="${queue}"`);

export async function readMetrics(address: string): Promise<ServiceMetrics> {
  const answer = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(10_000) });
  const lines = (await answer.text()).split('\n');
  const value = (name: string, ...labels: readonly string[]): number =>
    lines
      .filter((line) => line.startsWith(`watchledger_${name}`) && labels.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  return {
    started: value('turn_lateness_seconds_count{', 'kind="uptime"'),
    queued: value('checker_queue{', 'queue="due probes"'),
    putOff: value('checker_put_off_total{', 'queue="due probes"'),
    isOverloaded: value('checker_overloaded') > 0,
    queuedSeconds: Math.max(...DUE.map((queue) => value('checker_queue_seconds{', queue))),
  };
}
