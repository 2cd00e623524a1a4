import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { samples } from '../../../test/samples/samples.ts';
import { catalogue, type EventType } from '../../events.ts';
import { withoutSecrets } from '../event.presenter.ts';
import { EventSchemaReading } from './event-schema-reading.ts';

const BASE = 'https://watchledger.example/api';
const reading = new EventSchemaReading();
const types = Object.keys(catalogue) as EventType[];
const examples = samples('5f0c');
const ajv = formats.default(new Ajv2020({ strict: true, allErrors: true }));

it('lists a schema for every event at its current version', async () => {
  const listed = await reading.list(BASE);
  expect(listed.map(({ type, version }) => `${type}/${String(version)}`)).toEqual(
    types.map((type) => `${type}/${String(catalogue[type].version)}`),
  );
  expect(listed.find(({ type }) => type === 'CheckFailed')).toMatchObject({
    isInternal: false,
    url: `${BASE}/events/schemas/CheckFailed/1`,
  });
  expect(listed.find(({ type }) => type === 'RunStarted')?.isInternal).toBe(true);
});

it.each(types)('the schema of %s admits the event as it is sealed and as it is answered, and no other field', async (type) => {
  // Without the schemas of the other events, which none may need.
  ajv.removeSchema();
  const admits = ajv.compile(await reading.one(BASE, type, String(catalogue[type].version)));
  for (const data of [examples[type], withoutSecrets(examples[type])]) {
    admits(data);
    expect(admits.errors).toBeNull();
  }
  expect(admits({ ...examples[type], other: 1 })).toBe(false);
});

it('refuses values of another type and a missing field', async () => {
  const admits = new Ajv2020({ strict: true }).compile(await reading.one(BASE, 'CheckFailed', '1'));
  const { failing, ...rest } = examples.CheckFailed;
  expect(admits({ ...rest, failing })).toBe(true);
  expect(admits(rest)).toBe(false);
  expect(admits({ ...rest, failing: { ...failing, failures: 'text' } })).toBe(false);
});

it('names the nearest event, or the current version, for one that does not exist', async () => {
  await expect(reading.one(BASE, 'ChekFailed', '1')).rejects.toThrow('There is no event ChekFailed; did you mean CheckFailed?');
  await expect(reading.one(BASE, 'CheckFailed', '9')).rejects.toThrow('CheckFailed has no version 9; its current version is 1.');
  await expect(reading.one(BASE, '__proto__', 'constructor')).rejects.toThrow('There is no event __proto__.');
});

it('describes every event in AsyncAPI, without a reference that leads nowhere', async () => {
  const document = (await reading.asyncApi(BASE)) as { components: { messages: object }; servers: { api: object } };
  expect(Object.keys(document.components.messages)).toEqual(types.map((type) => `${type}.v${String(catalogue[type].version)}`));
  expect(document.servers.api).toMatchObject({ host: 'watchledger.example', pathname: '/api', protocol: 'https' });
  const references = new Set([...JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)].map(([, pointer = '']) => pointer));
  expect(references.size).toBeGreaterThan(types.length);
  for (const pointer of references) {
    const found = pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
    expect({ pointer, found: typeof found }).toEqual({ pointer, found: 'object' });
  }
});

it('each message of the AsyncAPI document admits its event as a CloudEvent', async () => {
  const { components } = (await reading.asyncApi(BASE)) as {
    components: { messages: Record<string, { payload: object }>; schemas: object };
  };
  const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
  const admits = ajv.compile({ ...components.messages['CheckFailed.v1']?.payload, components: { schemas: components.schemas } });
  const event = {
    ...{ specversion: '1.0', id: 'a', source: `${BASE}/events`, type: 'watchledger.CheckFailed.v1', subject: 'check-1' },
    ...{ time: '2026-03-01T10:00:00.000000Z', datacontenttype: 'application/json', dataschema: `${BASE}/events/schemas/CheckFailed/1` },
    ...{
      position: '4711',
      revision: 3,
      scope: 'project-1',
      occurredat: '2026-03-01T10:00:00.000Z',
      actor: 'checker eu',
      correlationid: 'b',
    },
    ...{ summary: 'Check Homepage failed', data: withoutSecrets(examples.CheckFailed) },
  };
  admits(event);
  expect(admits.errors).toBeNull();
  expect(admits({ ...event, type: 'watchledger.CheckPassed.v1' })).toBe(false);
  expect(admits({ ...event, data: {} })).toBe(false);
});
