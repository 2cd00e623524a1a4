import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Contexts of Nest's start-up messages, which are logged at debug level. */
const WIRING = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Adapts Nest's logger to pino; `new Logger('context')` logs through it. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    const context = contextOf(rest);
    this.write(context !== undefined && WIRING.has(context) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', message: unknown, rest: readonly unknown[]): void {
    const context = contextOf(rest);
    const where = context === undefined ? {} : { context };
    const text = rest.slice(0, -1).find((item) => typeof item === 'string' && !item.includes('\n    at '));
    const stack = rest.slice(0, -1).find((item) => typeof item === 'string' && item.includes('\n    at '));
    if (message instanceof Error) this.logger[level]({ ...where, err: message }, message.message);
    else if (typeof message === 'object' && message !== null)
      this.logger[level]({ ...where, ...message }, ...(typeof text === 'string' ? [text] : []));
    else this.logger[level]({ ...where, ...(stack !== undefined && { stack }) }, String(message));
  }
}

/** Nest passes the context last. */
const contextOf = (rest: readonly unknown[]): string | undefined => {
  const last = rest.at(-1);
  return typeof last === 'string' ? last : undefined;
};
