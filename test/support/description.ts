import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Response } from '../../src/app/error-responses.ts';
import type { DescribedOperation, Description } from '../../src/app/open-api.ts';

export interface SeenAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

interface Place {
  readonly key: string;
  readonly pattern: RegExp;
  readonly operation: DescribedOperation;
}

type Body = NonNullable<Response['content']>[string] & { readonly 'x-lines'?: object };

export const description = await readDescription();
/** Compiles fast, because every acceptance file does it anew; `description.spec.ts` holds the schemas against their own standard. */
const ajv = formats.default(
  new Ajv2020({
    ...{ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true },
    ...{ validateSchema: false, inlineRefs: false, code: { optimize: false } },
  }),
);
ajv.addVocabulary(['components', 'example', 'x-lines']);
ajv.addSchema({ $id: 'api', components: description.components });
/** By the object of a schema, and by its text: hundreds of operations describe the same answer. */
const validators = new Map<object | string, ValidateFunction>();

/** Names before parameters, and what takes several segments last. */
const rank = (path: string): string => path.replace(/\{tile\}/g, '~~').replace(/\{\w+\}/g, '~');
const places: readonly Place[] = Object.entries(description.paths)
  .sort(([one], [other]) => (rank(one) < rank(other) ? -1 : 1))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      key: `${method.toUpperCase()} ${path}`,
      pattern: new RegExp(
        `^${method.toUpperCase()} ${path
          .replaceAll('.', '\\.')
          .replace('{tile}', '.+')
          .replace(/\{\w+\}/g, '[^/]+')}$`,
      ),
      operation,
    })),
  );

/** As the global set-up wrote it down: making it loads every controller, which takes a second of each file. */
async function readDescription(): Promise<Description> {
  const file = process.env['TEST_API_DESCRIPTION'];
  if (file !== undefined) return JSON.parse(readFileSync(file, 'utf8')) as Description; // what describeApi returned
  const { describeApi } = await import('../../src/app/open-api.ts');
  return describeApi('1');
}

/** What cannot be read, or is longer than any id, names nothing: no route takes it. */
function mayBeId(segment: string): boolean {
  try {
    return decodeURIComponent(segment).length <= 300 && segment.length <= 300;
  } catch {
    return false;
  }
}

/** The operation that a request asks for, as the description knows it. */
export const placeOf = (method: string, path: string): Place | undefined => {
  if (!path.split('?', 1)[0]?.split('/').every(mayBeId)) return undefined;
  const [withoutQuery = ''] = path.split('?', 1);
  const asked = `${method === 'HEAD' ? 'GET' : method} ${withoutQuery.replace(/(?<=.)\/$/, '')}`;
  return places.find(({ pattern }) => pattern.test(asked));
};

/** Null when the description allows the answer, else the difference in words. */
export function undescribed(method: string, path: string, answer: SeenAnswer): string | null {
  if (method === 'OPTIONS') return null;
  const place = placeOf(method, path);
  const response =
    place === undefined || isHeadOfNothing(method, answer) ? unknownPath[answer.status] : responseOf(place.operation, answer.status);
  const said = (problem: string): string =>
    `${place?.key ?? `${method} ${path}`} answered ${String(answer.status)} ${problem}\nWhat an operation answers stands in the .api.ts beside its presenter. The body:\n${answer.text.slice(0, 600)}`;
  if (response === undefined) return said('which the description does not know');
  // A client that names fields gets those alone (docs/spec/beyond.md#B16).
  if (method === 'HEAD' || answer.status === 304 || (answer.status === 200 && /[?&]fields=/.test(path))) return null;
  const body = bodyOf(response, answer.type);
  if (body === undefined) return said(`as ${answer.type}, which the description does not know`);
  const problem = problemOf(body, answer);
  return problem === null ? null : said(`with a body that is not as described: ${problem}`);
}

/** A HEAD of what changes something is no operation (docs/spec/decisions.md#G5). */
const isHeadOfNothing = (method: string, { status }: SeenAnswer): boolean => method === 'HEAD' && status === 404;

const unknownPath: Readonly<Record<number, Response | undefined>> = Object.fromEntries(
  [400, 401, 404, 413, 415, 429].map((status) => [status, description.components.responses[`Error${String(status)}`]]),
);

function responseOf({ responses }: DescribedOperation, status: number): Response | undefined {
  const found = responses[String(status)];
  return found !== undefined && '$ref' in found ? description.components.responses[found.$ref.split('/').at(-1) ?? ''] : found;
}

function bodyOf({ content = {} }: Response, type: string): Body | undefined {
  const [plain = ''] = type.split(';', 1);
  return content[plain.trim().toLowerCase()];
}

function problemOf(body: Body, { type, text }: SeenAnswer): string | null {
  const lines = body['x-lines'];
  if (lines !== undefined) {
    const problems = text.split('\n').map((line) => (line === '' ? null : mismatch(lines, parsed(line))));
    return problems.find((problem) => problem !== null) ?? null;
  }
  return type.startsWith('application/json') ? mismatch(body.schema, parsed(text)) : null;
}

/** The violations of a schema in words; null when there are none. */
export function mismatch(schema: object, value: unknown): string | null {
  const validate = validatorOf(schema);
  if (validate(value)) return null;
  const found = (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) => `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`,
  );
  return found.slice(0, 8).join('; ');
}

function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text) as object);
  validators.set(schema, validate).set(text, validate);
  return validate;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
