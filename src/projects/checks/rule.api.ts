import { type Operator, operators, type Rule, ruleFamilies, type RuleType, ruleTypes } from './rule.ts';
import { isRuleType, operatorMisfit, ruleTypeProblem } from './rule-type.ts';
import type { GroupRule } from '../areas/area.settings.ts';
import { eitherOf, integer, list, text, word, named, record } from '../../platform/http/description/schema.ts';
import { isPlainText, oneOf } from '../../platform/http/validation/fields.ts';
import { Input, type InputField, inputSchema, instanceOf, Optional, Required } from '../../platform/http/validation/input.ts';

const MOST_BYTES = 24 * 1024;
const LIMIT = 'at most 24 KiB of JSON';

const examples = [
  'json:$.status',
  'json-ld:Product.offers.price',
  'csp:script-src',
  'cookie:sid',
  'cert:days',
  'time:wait',
  'redirects:target',
].concat(['meta-robots:googlebot', 'hreflang:de', 'sitemap:count', 'robots:disallow', 'mixed-content:count']);

/** Types with a parameter are described by their form alone: what it may be is in the message of a refusal and in docs/rules.md. */
export const ruleTypeSchema = eitherOf(
  'What the rule examines: one of the list, or a type with a parameter such as `json:$.status` or `csp:script-src`',
  word(ruleTypes, 'A part of the answer'),
  text('A part that the parameter names', { pattern: `^(?:${ruleFamilies.join('|')}):.+$`, maxLength: 1100, examples }),
);
const ruleType: InputField<RuleType> = {
  schema: ruleTypeSchema,
  accepts: isRuleType,
  must: (given) => ruleTypeProblem(typeof given === 'string' ? given : '') ?? 'must be text',
};
export const operator = oneOf(
  '`eq` equal, `sub` / `!sub` contains or not, `match` / `!match` is exactly or not, `xpath` an XPath 1.0 on `html`, `regex` / `!regex` in linear-time syntax, ' +
    '`lt`, `lte`, `gt`, `gte` a number less than, at most, more than, at least `val`',
  operators,
);

const value: InputField<string> = {
  schema: eitherOf('What is compared', { type: 'string' }, { type: 'number' }),
  read: (given) => (typeof given === 'number' ? String(given) : given),
  accepts: (given) => typeof given === 'string' && !given.includes('\u0000'),
  must: 'must be text',
};

const note = (description: string): InputField<string> => ({
  schema: text(description, { default: '' }),
  accepts: (given) => isPlainText(given, MOST_BYTES),
  must: 'must be text without control characters',
});

const order: InputField<number> = {
  schema: integer('Position among the rules', { minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  accepts: Number.isSafeInteger,
  must: 'must be a whole number',
};

/** A rule without a type examines the text (docs/spec/interface.md#test-check). */
@Input('NewRule', 'A rule over an answer')
export class RuleInput {
  @Optional({ ...ruleType, schema: { ...ruleType.schema, default: 'text' } }) type: RuleType = 'text';

  @Required<Operator>({
    ...operator,
    accepts: (given, rule) => operator.accepts(given, rule) && operatorMisfit((rule as RuleInput).type, given as Operator) === null,
    must: (given, rule) =>
      operator.accepts(given, rule)
        ? (operatorMisfit((rule as RuleInput).type, given as Operator) ?? '')
        : `must be one of ${operators.join(', ')}`,
  })
  op!: Operator;

  @Required(value) val!: string;
  @Optional(note('Where the rule comes from')) origin = '';
  @Optional(note('Template')) templateId = '';
  @Optional(order) order?: number;
}

/** The rules of a check. */
export const newRules: InputField<RuleInput[]> = {
  schema: list(inputSchema(RuleInput), LIMIT, { maxItems: 100 }),
  read: (given) => (Array.isArray(given) && isBounded(given) ? given.map(rule) : given),
  accepts: (given) => Array.isArray(given) && given.every(isRuleOrPlain),
  must: (given) => (Array.isArray(given) && !isBounded(given) ? `must be ${LIMIT}` : 'must be an array of rules'),
  nested: true,
};

/** The rules of a group: blocks of rules; a flat array is one block (docs/spec/decisions.md#T7). */
export const newGroupRules: InputField<RuleInput[][]> = {
  schema: eitherOf(
    `Blocks of rules; a flat array is one block; ${LIMIT}`,
    list(newRules.schema, 'Blocks', { maxItems: 10 }),
    newRules.schema,
  ),
  read: (given) => (Array.isArray(given) && isBounded(given) ? blocksOf(given).map((block) => newRules.read?.(block)) : given),
  accepts: (given) => Array.isArray(given) && given.every((block) => Array.isArray(block) && block.every(isRuleOrPlain)),
  must: (given) => (Array.isArray(given) && !isBounded(given) ? `must be ${LIMIT}` : 'must be an array of arrays of rules'),
  nested: true,
};

const rule = (given: unknown): unknown => instanceOf(RuleInput, given);
/** A text or a number in place of a rule is refused by its own path; class-validator would pass over null and an empty array. */
const isRuleOrPlain = (given: unknown): boolean => given instanceof RuleInput || typeof given !== 'object';
const isBounded = (given: readonly unknown[]): boolean => Buffer.byteLength(JSON.stringify(given)) <= MOST_BYTES;
const blocksOf = (given: readonly unknown[]): readonly unknown[] =>
  given.length > 0 && given.every((block) => !Array.isArray(block)) ? [given] : given;

/** A rule without an order keeps the place at which it was sent. */
export const toRules = (given: readonly RuleInput[]): readonly Rule[] =>
  given.map(({ type, op, val, origin, templateId, order = null }, index) => ({ type, op, val, origin, templateId, order: order ?? index }));

export const groupRulesOf = (given: readonly (readonly RuleInput[])[]): readonly (readonly GroupRule[])[] =>
  given.map((block) => block.map(({ type, op, val }) => ({ type, op, val })));

const val = text('What is compared', { examples: ['Example'] });

/** docs/spec/interface.md#test-check. */
export const ruleSchema = named(
  'Rule',
  record('A rule over an answer', {
    type: { ...ruleTypeSchema, examples: ['title'] },
    op: word(operators, operator.schema.description ?? '', { examples: ['sub'] }),
    val,
    origin: text('Where the rule comes from', { examples: [''] }),
    templateId: text('Template, empty without one', { examples: [''] }),
    order: integer('Position among the rules', { examples: [0] }),
  }),
);
export const groupRuleSchema = named(
  'GroupRule',
  record('A rule of a group', {
    type: text('As in Rule', { examples: ['status'] }),
    op: text('As in Rule', { examples: ['eq'] }),
    val: { ...val, examples: ['200'] },
  }),
);
