import { isRecentlyHeld } from '../../postgres/leases.ts';

/** The schema that holds one version of a team's projection. */
export const schemaOf = ({ name, version }: { readonly name: string; readonly version: number }): string => `p_${name}_v${String(version)}`;

/** The schema that a team's SQL reads, whatever version is current. */
export const publicSchemaOf = ({ name }: { readonly name: string }): string => `p_${name}`;

/** Filled beside a schema in use, to take its place. */
export const rebuildSchemaOf = (schema: string): string => `${schema}_next`;

/** Filled beside a schema in use, to be compared with it. */
export const replaySchemaOf = (schema: string): string => `${schema}_replay`;
export const isReplaySchema = (schema: string): boolean => schema.endsWith('_replay');

/** The leader lease of the instance that feeds a schema. */
export const runnerLeaseOf = (schema: string): string => `projection ${schema}`;

/** SQL: whether an instance feeds the schema that the expression names. */
export const isFed = (schema: string): string => isRecentlyHeld(`'${runnerLeaseOf('')}' || ${schema}`);

/** Rung whenever the checkpoint of a schema moves. */
export const wakeTopicOf = (schema: string): string => `projection ${schema}`;
