import { createServer } from 'node:net';
import type { Config } from '../config/config.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { codeOf } from '../../kernel/system-error.ts';

/** Checked first: a service that cannot listen must not touch its database. */
export async function refuseTakenPorts({ host, port, metricsPort }: Pick<Config, 'host' | 'port' | 'metricsPort'>): Promise<void> {
  await refuseTakenPort(host, port, 'PORT');
  if (metricsPort !== undefined) await refuseTakenPort(host, metricsPort, 'METRICS_PORT');
}

async function refuseTakenPort(host: string, port: number, variable: string): Promise<void> {
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
  if (code !== undefined)
    throw new StartRefused(`cannot listen on ${host}, port ${String(port)}: ${(REASONS[code] ?? code).replace('PORT', variable)}`);
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use. Stop the other program, or set another PORT',
  EACCES: 'permission denied. Set PORT to a value above 1023',
  EADDRNOTAVAIL: 'this machine has no such address. Set HOST to one of its addresses, or to 0.0.0.0',
  EAFNOSUPPORT: 'this machine does not support this address family. Set HOST to one of its addresses, or to 0.0.0.0',
  ENOTFOUND: 'unknown host name. Set HOST to an address of this machine',
};
