import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { CONFIG, type Config } from '../../config.ts';
import { isChangingGet } from '../context/request-context.ts';
import { stateOf } from '../context/request-state.ts';
import { runAsOf } from './as-of.ts';

const DAY = 86_400_000;

const isRead = ({ method, routeOptions: { url } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !isChangingGet(url);

/** States the position that an answer stands on, and runs the handler as of the instant that the guard resolved. */
@Injectable()
export class AsOfInterceptor implements NestInterceptor {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = execution.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { asOf, position = -1 } = stateOf(request);
    if (asOf === undefined) {
      if (isRead(request) && position >= 0) void http.getResponse<FastifyReply>().header('watchledger-as-of', String(position));
      return next.handle();
    }
    const expired = asOf.at < Date.now() - this.config.retentionDays * DAY;
    void http.getResponse<FastifyReply>().header('watchledger-as-of', `${String(asOf.n)}${expired ? '; observations=expired' : ''}`);
    return from(runAsOf(asOf, () => firstValueFrom(next.handle(), { defaultValue: undefined })));
  }
}
