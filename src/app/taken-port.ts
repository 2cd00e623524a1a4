import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { StartRefused } from '../kernel/start-refused.ts';
import { codeOf } from '../kernel/system-error.ts';

/** Asked before anything else is begun: a service that could not listen must not touch its database. */
export async function refuseTakenPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const code = await new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once('error', (error) => {
      resolve(codeOf(error) ?? 'unknown');
    });
    server.listen(port, host, () => {
      server.close(() => {
        resolve(undefined);
      });
    });
  });
  if (code !== undefined) throw new StartRefused(`cannot listen on ${host}, port ${String(port)}: ${REASONS[code] ?? code}`);
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program does already. Stop it, or set PORT to another one',
  EACCES: 'this user may not. Set PORT to one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address. Set HOST to one that it has, or to 0.0.0.0',
  EAFNOSUPPORT: 'this machine does not speak that kind of address. Set HOST to one that it has, or to 0.0.0.0',
  ENOTFOUND: 'there is no such name. Set HOST to an address of this machine',
};
