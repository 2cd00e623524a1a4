import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface CloudEvent {
  readonly id: string;
  readonly type: string;
  readonly dataschema: string;
  readonly data: unknown;
}

/** Reads the whole log as CloudEvents, and holds the data of each against the schema that it names. */
export async function describedEvents(url: string, token: string | null) {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  const schemas = new Map<string, ValidateFunction>();
  const problems: string[] = [];
  const headers = { authorization: `Bearer ${String(token)}`, accept: 'application/x-ndjson' };
  const lines = (await (await fetch(`${url}/api/events?format=cloudevents`, { headers })).text()).trimEnd().split('\n');
  for (const line of lines) {
    const { id, type, dataschema, data } = JSON.parse(line) as CloudEvent;
    const admits = schemas.get(dataschema) ?? ajv.compile((await (await fetch(dataschema)).json()) as object);
    schemas.set(dataschema, admits);
    if (!admits(data)) problems.push(`${type} ${id}: ${ajv.errorsText(admits.errors)} ${JSON.stringify(data).slice(0, 500)}`);
  }
  return { types: schemas.size, events: lines.length, problems };
}
