import { pino, type DestinationStream, type Logger, stdSerializers, stdTimeFunctions } from 'pino';
import type { Config } from '../../config/config.ts';
import { masked, maskedField, maskedText } from './masking.ts';

/** Injection token for the program's logger. */
export const LOGGER = Symbol('Logger');

/** One JSON object per line, or coloured text on a terminal. Commands log to standard error, because standard output holds their results. */
export async function createLogger({ logLevel }: Pick<Config, 'logLevel'>, output: 'stdout' | 'stderr' = 'stdout'): Promise<Logger> {
  const { isTTY } = process[output];
  const fd = output === 'stdout' ? 1 : 2;
  return createLoggerOn(isTTY ? await prettyStream(fd) : pino.destination({ fd, sync: true }), logLevel);
}

export function createLoggerOn(stream: DestinationStream, level: Config['logLevel']): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (entry) => maskedEntry(entry) },
      serializers: { err: (error: Error) => masked(primitiveFields({ ...stdSerializers.err(error) })) },
      hooks: {
        logMethod(args, method) {
          method.apply(this, args.map((arg: unknown) => (typeof arg === 'string' ? maskedText(arg) : arg)) as typeof args);
        },
      },
    },
    stream,
  );
}

/** Imported on demand: only terminals need it. */
async function prettyStream(fd: number): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: fd, colorize: true, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' });
}

/** Errors keep their own serializer, with stack and cause. */
const maskedEntry = (entry: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, key === 'err' ? value : maskedField(key, value)]));

/** Drivers attach whole clients to their errors; only primitive fields such as message, stack and code are logged. */
const primitiveFields = (error: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(error).filter(([, value]) => typeof value !== 'object' && typeof value !== 'function'));
