import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeApi } from '../../src/app/open-api.ts';
import { openApiShape } from './openapi-shape.ts';

describe('the OpenAPI document', () => {
  // A deliberate change of the API: npm run docs:openapi
  it('has the shape of test/samples/openapi.shape.json, whatever its wording', () => {
    const recorded = readFileSync(join(import.meta.dirname, '../samples/openapi.shape.json'), 'utf8');
    expect(openApiShape(describeApi('1'))).toEqual(JSON.parse(recorded));
  });

  it('keeps what an operation says of a parameter that its list has, too', () => {
    const { paths } = JSON.parse(JSON.stringify(describeApi('1'))) as {
      readonly paths: {
        readonly '/accounts': { readonly get: { readonly parameters: readonly { readonly name: string; readonly schema: object }[] } };
      };
    };
    const search = paths['/accounts'].get.parameters.filter(({ name }) => name === 'search');
    expect(JSON.stringify(search)).toContain('A user id or a whole address');
  });
});

describe('the shape of an OpenAPI document', () => {
  it('ignores wording and order, but not a field that is called title', () => {
    const schema = (description: string, required: readonly string[]) => ({
      components: { schemas: { A: { description, required, properties: { title: { type: 'string', description } } } } },
    });
    expect(openApiShape(schema('one', ['a', 'b']))).toEqual(openApiShape(schema('other', ['b', 'a'])));
    expect(JSON.stringify(openApiShape(schema('one', [])))).toContain('"title":{"type":"string"}');
  });

  it('changes with a limit', () => {
    const limited = (maxLength: number) => ({
      paths: { '/a': { get: { parameters: [{ in: 'query', name: 'q', schema: { maxLength } }] } } },
    });
    expect(openApiShape(limited(1))).not.toEqual(openApiShape(limited(2)));
  });
});
