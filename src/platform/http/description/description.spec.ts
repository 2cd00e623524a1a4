import { describe, expect, it } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { errorTable } from '../errors/error-table.ts';
import { apiRights } from '../../../app/api-rights.ts';
import { type DescribedOperation, describeApi } from '../../../app/open-api.ts';
import { operationTable } from '../../../app/operation-table.ts';

const description = describeApi('1');
const ajv = formats.default(new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true }));
ajv.addVocabulary(['components', 'example', 'x-lines']);
ajv.addSchema({ $id: 'api', components: description.components });

const schemaTable = description.components.schemas;
const named = new Map<string, ValidateFunction>();
const rows = Object.entries(operationTable);
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
);

/** With its references into the components. */
const compiled = (schema: object): ValidateFunction => {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
  const known = named.get(text) ?? ajv.compile(JSON.parse(text) as object);
  named.set(text, known);
  return known;
};

/** The problems of an example, null without any. */
const wrong = (schema: object, example: unknown): string | null => {
  const validate = compiled(schema);
  return validate(example) ? null : ajv.errorsText(validate.errors);
};

/** A reference is described at its definition. */
const isDescribed = (field: object): boolean => 'description' in field || JSON.stringify(field).includes('"$ref"');

const keysOfOperation = (table: object): readonly string[] => Object.keys(table).toSorted();

describe('the description', () => {
  it('has a row for every operation of the API, and no other', () => {
    expect(keysOfOperation(operationTable)).toEqual(keysOfOperation(apiRights));
  });

  it('gives each operation a unique id', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each(rows)('%s is described completely, with valid examples', (key, { summary, path = {}, body, answer, query = {} }) => {
    const [method = '', route = ''] = key.split(' ');
    expect(summary.length).toBeGreaterThan(3);
    const stars = route.includes('*') ? ['tile'] : [];
    expect(Object.keys(path).toSorted()).toEqual([...[...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name), ...stars].toSorted());
    expect(method === 'GET' && body !== undefined).toBe(false);
    if (body !== undefined) expect([key, wrong(body.schema, body.example)]).toEqual([key, null]);
    for (const [type, { schema, example, lines }] of Object.entries(answer)) {
      if (type === 'application/json') expect(example).toBeDefined();
      if (example !== undefined) expect([type, wrong(schema, example)]).toEqual([type, null]);
      if (lines !== undefined) compiled(lines);
      expect(Object.keys(answer).length).toBeGreaterThan(0);
    }
    for (const { schema } of Object.values(query)) {
      compiled(schema);
      expect(schema.description).toBeDefined();
    }
  });

  it.each(operations)('%s has valid examples of its errors', (_, { responses }) => {
    for (const [status, response] of Object.entries(responses)) {
      const found = '$ref' in response ? description.components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
      if (status === '200' || found?.content === undefined) continue;
      for (const { schema, example } of Object.values(found.content)) {
        expect([status, wrong(schema, example)]).toEqual([status, null]);
      }
    }
  });

  it('has every status of the error table', () => {
    const known = new Set(operations.flatMap(([, { responses }]) => Object.keys(responses)));
    // The HTTP parser answers 408 and 431, before there is an operation; 424 is of the operations of a batch.
    const elsewhere = new Set([408, 424, 431]);
    expect(Object.values(errorTable).filter(({ status }) => !known.has(String(status)) && !elsewhere.has(status))).toEqual([]);
  });

  it('describes each field of each schema, with valid examples', () => {
    const silent: string[] = [];
    const look = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      if ('properties' in schema && typeof schema.properties === 'object' && schema.properties !== null)
        for (const [name, field] of Object.entries(schema.properties)) {
          if (!isDescribed(field as object)) silent.push(`${path}.${name}`);
        }
      if ('examples' in schema && Array.isArray(schema.examples))
        for (const example of schema.examples) expect([path, wrong(schema, example)]).toEqual([path, null]);
      for (const [name, inner] of Object.entries(schema)) if (name !== 'examples' && name !== 'enum') look(inner, `${path}.${name}`);
    };
    look(schemaTable, '');
    expect(silent).toEqual([]);
  });

  it('has no unused schema', () => {
    const said = JSON.stringify(description);
    expect(Object.keys(schemaTable).filter((name) => !said.includes(`"#/components/schemas/${name}"`))).toEqual([]);
  });

  it('requires a token exactly where the right of the route does', () => {
    const open = operations.filter(([, { security }]: readonly [string, DescribedOperation]) => security.length === 0).map(([key]) => key);
    const free = Object.entries(apiRights).filter(([, { kind }]) => kind === 'public');
    const known = free.map(([key]) => key.replace(/:(\w+)/g, '{$1}').replace(/\*\w*/, '{tile}'));
    expect(open.filter((key) => !/ \/(health|metrics|schemas)/.test(key)).toSorted()).toEqual(known.toSorted());
  });
});
