import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../../config/config.ts';
import { Metrics } from '../../telemetry/metrics/metrics.ts';

/** The address at which metrics are served, and the token that they need. */
export type MetricsAccess = Pick<Config, 'host' | 'metricsPort' | 'metricsToken'>;

/** Injection token. */
export const METRICS_ACCESS = Symbol('MetricsAccess');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares in constant time. */
export const mayReadMetrics = ({ metricsToken }: MetricsAccess, authorization = ''): boolean =>
  metricsToken === undefined || timingSafeEqual(digest(authorization), digest(`Bearer ${metricsToken}`));

/** Serves metrics on a port of their own, which a firewall can keep inside; without `METRICS_PORT` they are beside the API (ops-routes.ts). */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server: Server;

  constructor(
    @Inject(METRICS_ACCESS) private readonly access: MetricsAccess,
    private readonly metrics: Metrics,
  ) {
    this.server = createServer({ requestTimeout: 5_000, headersTimeout: 5_000, maxHeaderSize: 4_096 }, (request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
    this.server.maxConnections = 50;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { host, metricsPort } = this.access;
    if (metricsPort === undefined) return;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(metricsPort, host, resolve);
    });
  }

  /** After the API has closed, so that the shutdown itself can be watched. */
  onApplicationShutdown(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer({ method, url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if ((method !== 'GET' && method !== 'HEAD') || url?.split('?', 1)[0] !== '/metrics') response.writeHead(404).end();
    else if (!mayReadMetrics(this.access, headers.authorization)) response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    else response.writeHead(200, { 'content-type': this.metrics.registry.contentType }).end(await this.metrics.text());
  }
}
