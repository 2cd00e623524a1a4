import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const PATH = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const MAX_AGE_MS = 5_000;

export function parseHosts(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...hosts] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    if (address === undefined || isIP(address) === 0) continue;
    for (const host of hosts) names.set(host.toLowerCase(), [...(names.get(host.toLowerCase()) ?? []), address]);
  }
  return names;
}

/** The hosts file takes precedence over DNS, as everywhere else on the machine. */
export class HostsFile {
  private names = new Map<string, string[]>();
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(private readonly path = PATH) {}

  async addresses(host: string): Promise<readonly string[]> {
    if (performance.now() - this.readAt > MAX_AGE_MS) await (this.reading ??= this.read().finally(() => (this.reading = undefined)));
    return this.names.get(host) ?? [];
  }

  private async read(): Promise<void> {
    this.names = parseHosts(await readFile(this.path, 'utf8').catch(() => ''));
    this.readAt = performance.now();
  }
}
