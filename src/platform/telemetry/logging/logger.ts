import { pino, type DestinationStream, type Logger, stdSerializers, stdTimeFunctions } from 'pino';
import type { Config } from '../../config/config.ts';

const SECRET_KEY =
  /^(x-)?(authorization|proxy-authorization|cookie|set-cookie|pass(word|wd)?|current|new|secret|token|api[-_]?key|user[-_]?key|private[-_]?key|master[-_]?key|jwt|bearer|signature|webhook|dsn|(database|smtp)[-_]?url)s?$/i;
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  // A lookbehind lets a match begin at the first letter of a word alone: from each letter of a long one the search would be quadratic.
  [/(?<!\w)(\w+:\/\/)[^\s/@:]*:[^\s/@]*@/g, '$1***@'],
  [/([?&](?:apikey|api_key|token|key|password|secret|code|state)=)[^&\s"]*/gi, '$1***'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, '$1 ***'],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]+/g, '***'],
];
const MAX_DEPTH = 6;

/** Masks the values of fields with secret names at any depth, and credentials inside texts. */
function masked(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '...';
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, depth + 1));
  if (isPlain(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]: [string, unknown]) => [key, maskedField(key, inner, depth + 1)]));
  }
  return value;
}

const maskedField = (key: string, value: unknown, depth = 0): unknown =>
  SECRET_KEY.test(key) && value !== null && value !== undefined ? '***' : masked(value, depth);

export const maskedText = (text: string): string =>
  IN_TEXT.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

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
