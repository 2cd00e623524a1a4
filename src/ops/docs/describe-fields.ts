import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

/** What class-validator keeps of one rule, as far as it is looked at here. */
interface ValidationMetadata {
  readonly type: string;
  readonly name?: string;
  readonly propertyName: string;
  readonly constraints?: unknown;
}

type Facts = Partial<Pick<ApiPropertyOptions, 'type' | 'format' | 'enum' | 'isArray' | 'minimum' | 'maximum' | 'minLength' | 'maxLength'>>;

/** What each rule says about a field; a rule that is not here says nothing that a description could carry. */
const RULES: Readonly<Record<string, (...constraints: readonly unknown[]) => Facts>> = {
  isString: () => ({ type: 'string' }),
  isEmail: () => ({ type: 'string', format: 'email' }),
  isUrl: () => ({ type: 'string', format: 'uri' }),
  isISO8601: () => ({ type: 'string', format: 'date-time' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isObject: () => ({ type: 'object' }),
  isIn: (values) => (Array.isArray(values) ? { enum: values as string[] } : {}),
  isEnum: (_entity, values) => (Array.isArray(values) ? { enum: values as string[] } : {}),
  isArray: () => ({ isArray: true }),
  min: (least) => ({ minimum: Number(least) }),
  max: (most) => ({ maximum: Number(most) }),
  isLength: (least, most) => ({ minLength: Number(least), ...(most !== undefined && { maxLength: Number(most) }) }),
  minLength: (least) => ({ minLength: Number(least) }),
  maxLength: (most) => ({ maxLength: Number(most) }),
};

/** Describes each field of each checked input from its rules, so that the two cannot part. */
export function describeFields(): void {
  const storage: unknown = getMetadataStorage();
  for (const [target, rules] of targetsOf(storage)) {
    for (const [name, ofField] of byField(rules)) {
      const facts = Object.assign({}, ...ofField.map(factsOf)) as Facts;
      const required = !ofField.some((rule) => rule.type === ValidationTypes.CONDITIONAL_VALIDATION);
      const property = { type: 'string', ...facts, required } as ApiPropertyOptions;
      ApiProperty(property)(target.prototype as object, name);
    }
  }
}

type Class = abstract new (...args: never[]) => unknown;

const targetsOf = (storage: unknown): Iterable<[Class, ValidationMetadata[]]> =>
  typeof storage === 'object' && storage !== null && 'validationMetadatas' in storage && storage.validationMetadatas instanceof Map
    ? (storage.validationMetadatas as Map<Class, ValidationMetadata[]>)
    : [];

const byField = (rules: readonly ValidationMetadata[]): Map<string, ValidationMetadata[]> => {
  const fields = new Map<string, ValidationMetadata[]>();
  for (const rule of rules) fields.set(rule.propertyName, [...(fields.get(rule.propertyName) ?? []), rule]);
  return fields;
};

const factsOf = (rule: ValidationMetadata): Facts => {
  const { name } = rule;
  const constraints: readonly unknown[] = Array.isArray(rule.constraints) ? rule.constraints : [];
  return (name === undefined ? undefined : RULES[name]?.(...constraints)) ?? {};
};
