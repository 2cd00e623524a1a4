/** Wording, which may change without changing what a client can send or receive. */
const WORDING = new Set(['description', 'summary', 'title', 'example', 'examples']);

/** Members whose keys are names that the API chose, not words of OpenAPI. */
const NAMED = new Set(['properties', 'paths', 'schemas', 'responses', 'headers', 'content', 'securitySchemes']);

/** Lists whose order says nothing. */
const UNORDERED = new Set(['required', 'enum', 'type']);

/**
 * The wording-free fingerprint of an OpenAPI document: paths, methods, parameters, schemas, required members, enums, formats and limits. Keys and
 * unordered lists are sorted, so that two documents with the same meaning have the same fingerprint.
 */
export function openApiShape(document: object): unknown {
  return shapeOf({ ...document, info: null, tags: null }, false);
}

function shapeOf(value: unknown, namesAreFree: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => shapeOf(item, false));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => namesAreFree || !WORDING.has(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, memberShape(name, member, namesAreFree)]),
  );
}

function memberShape(name: string, member: unknown, nameIsFree: boolean): unknown {
  if (nameIsFree || !Array.isArray(member)) return shapeOf(member, !nameIsFree && NAMED.has(name));
  if (UNORDERED.has(name)) return member.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (name === 'parameters') return member.map((parameter) => shapeOf(parameter, false)).toSorted(byPlaceAndName);
  return shapeOf(member, false);
}

const byPlaceAndName = (one: unknown, other: unknown): number => (keyOfParameter(one) < keyOfParameter(other) ? -1 : 1);

function keyOfParameter(parameter: unknown): string {
  const { in: place, name } = parameter as { readonly in: string; readonly name: string }; // an entry of `parameters`, as OpenAPI defines it
  return `${place} ${name}`;
}
