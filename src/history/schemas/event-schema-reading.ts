import { Injectable } from '@nestjs/common';
import { catalogue, isKnown } from '../../events.ts';
import type { EventEntry } from '../../kernel/catalogue.ts';
import { nearestName } from '../../kernel/nearest-name.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import type { EventSchemas, JsonSchema } from './event-schema.ts';

export interface ListedSchema {
  readonly type: string;
  readonly version: number;
  readonly isInternal: boolean;
  readonly url: string;
}

/** The schemas of the events (docs/spec/beyond.md#B30), loaded at their first request so that they do not delay the start. */
@Injectable()
export class EventSchemaReading {
  async list(baseUrl: string): Promise<readonly ListedSchema[]> {
    const { events } = await read();
    return Object.keys(events).map((name) => {
      const [type = '', version = ''] = name.split('/');
      return { type, version: Number(version), isInternal: isInternal(type), url: urlOf(baseUrl, type, version) };
    });
  }

  async one(baseUrl: string, type: string, version: string): Promise<object> {
    const { events, definitions } = await read();
    const name = `${type}/${version}`;
    const schema = Object.hasOwn(events, name) ? events[name] : undefined;
    if (schema === undefined) throw new NotFound(missing(type, version));
    return {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: urlOf(baseUrl, type, version),
      title: type,
      ...schema,
      $defs: definitionsOf(schema, definitions),
    };
  }

  async asyncApi(baseUrl: string): Promise<object> {
    return describe(baseUrl, await read());
  }
}

// Outside of the class: in a decorated one the compiler leaves the name of an imported file as it is.
const describe = async (baseUrl: string, schemas: EventSchemas): Promise<object> =>
  (await import('./async-api.ts')).describeEvents(baseUrl, schemas, isInternal);
const read = async (): Promise<EventSchemas> => (await import('./generated/event-schemas.ts')).eventSchemas;

const urlOf = (baseUrl: string, type: string, version: string): string => `${baseUrl}/events/schemas/${type}/${version}`;

function isInternal(type: string): boolean {
  if (!isKnown(type)) return false;
  const { visibility }: EventEntry = catalogue[type];
  return visibility === 'internal';
}

function missing(type: string, version: string): string {
  if (isKnown(type)) return `${type} has no version ${version}; its current version is ${String(catalogue[type].version)}.`;
  const near = nearestName(type, Object.keys(catalogue));
  return `There is no event ${type}${near === null ? '.' : `; did you mean ${near}?`}`;
}

/** What a schema refers to, also through others. */
function definitionsOf(schema: JsonSchema, definitions: EventSchemas['definitions']): Readonly<Record<string, JsonSchema>> {
  const found = new Map<string, JsonSchema>();
  const collect = (from: JsonSchema): void => {
    for (const [, name = ''] of JSON.stringify(from).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      const definition = definitions[name];
      if (definition === undefined || found.has(name)) continue;
      found.set(name, definition);
      collect(definition);
    }
  };
  collect(schema);
  return Object.fromEntries(found);
}
