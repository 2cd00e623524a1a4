/** JSON Schema 2020-12, as far as data of events need it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: string | number | boolean | null;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | false;
  readonly items?: JsonSchema;
}

export interface EventSchemas {
  /** By `Type/version`. */
  readonly events: Readonly<Record<string, JsonSchema>>;
  /** What they refer to as `#/$defs/Name`. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}
