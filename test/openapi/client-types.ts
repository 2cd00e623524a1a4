import { createHash } from 'node:crypto';
import type { DescribedOperation, Description } from '../../src/app/open-api.ts';
import { describeApi } from '../../src/app/open-api.ts';
import { operationTable } from '../../src/app/operation-table.ts';
import { errorTable } from '../../src/platform/http/errors/error-table.ts';
import { openApiShape } from './openapi-shape.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;

/** What the types of the client are made of, without the wording of the description. */
export interface ClientSource {
  /** The shape of the OpenAPI document, without what every operation has: refusals, headers, and headers of answers. */
  readonly document: object;
  readonly errorCodes: readonly string[];
  /** The member of the answer that holds the items of a list, by path; null: the answer is the list. */
  readonly lists: Readonly<Record<string, string | null>>;
  /** Writes without an `Idempotency-Key`: a repeat could execute them twice. */
  readonly unkeyedWrites: readonly string[];
  /** Reads by their method that change something. */
  readonly changingGets: readonly string[];
}

export function clientSource(): ClientSource {
  const { paths, components } = openApiShape(describeApi('1')) as Pick<Description, 'components'> & { readonly paths: Paths };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ key: `${method.toUpperCase()} ${path}`, path, isKeyed: isKeyed(operation) })),
  );
  return {
    document: {
      openapi: '3.1.0',
      info: { title: '', version: '' },
      paths: mapOf(paths, (methods) => mapOf(methods, withoutWhatAllHave)),
      components: { schemas: components.schemas },
    },
    errorCodes: Object.keys(errorTable).toSorted(),
    lists: Object.fromEntries(
      Object.entries(operationTable).flatMap(([key, { list }]) =>
        list === undefined ? [] : [[key.replace('GET ', '').replace(/:(\w+)/g, '{$1}'), list.member]],
      ),
    ),
    unkeyedWrites: operations.flatMap(({ key, isKeyed }) => (isKeyed || key.startsWith('GET ') ? [] : [key])),
    changingGets: operations.flatMap(({ key, path, isKeyed }) => (isKeyed && key.startsWith('GET ') ? [path] : [])),
  };
}

const isKeyed = ({ parameters }: DescribedOperation): boolean => parameters.some(({ name }) => name === 'Idempotency-Key');

const mapOf = <From, To>(members: Readonly<Record<string, From>>, change: (from: From) => To): Readonly<Record<string, To>> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]));

function withoutWhatAllHave({ operationId, parameters, requestBody, responses }: DescribedOperation): object {
  return {
    operationId,
    parameters: parameters.filter((parameter) => parameter.in !== 'header'),
    ...(requestBody !== undefined && { requestBody }),
    responses: Object.fromEntries(
      Object.entries(responses).flatMap(([status, response]) =>
        status === '200' && 'content' in response ? [[status, { description: '', content: response.content }]] : [],
      ),
    ),
  };
}

/** The module `src/client/generated/api.ts`. */
export async function clientModule(source: ClientSource): Promise<string> {
  const { document, errorCodes, lists, unkeyedWrites, changingGets } = source;
  // It is large, and the test that compares the sources does without.
  const { default: openapiTypes, astToString } = await import('openapi-typescript');
  // A parameter with a default may be left out.
  const ast = await openapiTypes(JSON.parse(JSON.stringify(document)), { defaultNonNullable: false, immutable: true });
  const types = astToString(ast)
    .replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/^\s*(?:readonly )?headers: \{\n\s*readonly \[name: string\]: unknown;\n\s*\};\n/gm, '')
    .replace(
      /^\s*readonly (?:get|put|post|delete|options|head|patch|trace|header|cookie|query|path|requestBody|parameters)\?: never;\n/gm,
      '',
    )
    .replace(/^export type (?:webhooks|\$defs) = .*;\n/gm, '')
    .replace(/parameters: \{\n\s*\};/g, 'parameters: {};')
    .replaceAll('    ', '  ');
  const body = [
    types,
    '/** Codes of refusals; a later version of the service may send further ones. */',
    `export type ErrorCode =\n${errorCodes.map((code) => `  | '${code}'`).join('\n')};`,
    '/** The member of a page that holds the items of a list; null: the answer is the list. */',
    `export const lists = ${JSON.stringify(lists)} as const;`,
    '/** Writes that take no idempotency key. */',
    `export const unkeyedWrites: readonly string[] = ${JSON.stringify(unkeyedWrites)};`,
    '/** GETs that change something. */',
    `export const changingGets: readonly string[] = ${JSON.stringify(changingGets)};`,
    '',
  ].join('\n');
  return `${headOf(source, body)}${body}`;
}

/** States what the module was made of, and what it then contained. */
export const headOf = (source: ClientSource, body: string): string =>
  `// Generated by \`npm run docs:openapi\` from the description of the API; source ${digest(JSON.stringify(source))}, content ${digest(body)}\n`;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
