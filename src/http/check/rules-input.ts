import { operators, type Rule, type RuleType, ruleTypes } from '../../domain/check/rule.ts';
import type { GroupRule } from '../../domain/area/settings.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { isPlainText } from '../validation/plain-text.ts';

const MOST_BYTES = 24 * 1024;
const known = ['type', 'op', 'val', 'origin', 'templateId', 'order'];

/** The rules of a check. A rule without a type looks at the text (docs/spec/interface.md#test-check). */
export function readRules(value: unknown, field = 'rules'): readonly Rule[] {
  if (!Array.isArray(value)) throw new InvalidInput(`${field}: must be an array of rules`);
  bounded(value, field);
  return value.map((rule: unknown, index) => readRule(rule, `${field}.${String(index)}`, index));
}

/** The rules of a group: blocks of rules; a flat array is one block (docs/spec/decisions.md#T7). */
export function readGroupRules(value: unknown): readonly (readonly GroupRule[])[] {
  if (!Array.isArray(value)) throw new InvalidInput('rules: must be an array of arrays of rules');
  bounded(value, 'rules');
  const blocks: readonly unknown[] = value.length > 0 && value.every((block) => !Array.isArray(block)) ? [value] : value;
  return blocks.map((block, index) => readRules(block, `rules.${String(index)}`).map(({ type, op, val }) => ({ type, op, val })));
}

function bounded(value: readonly unknown[], field: string): void {
  if (Buffer.byteLength(JSON.stringify(value)) > MOST_BYTES) throw new InvalidInput(`${field}: must be at most 24 KiB of JSON`);
}

function readRule(given: unknown, path: string, index: number): Rule {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new InvalidInput(`${path}: must be a rule`);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidInput(`${path}.${unknown.slice(0, 60)}: is not a known field`);
  const { type = 'text', op, val, origin = '', templateId = '', order = index } = { ...given } as Partial<Record<keyof Rule, unknown>>;
  const foundType = ruleTypes.find((choice) => choice === type);
  const foundOp = operators.find((choice) => choice === op);
  const text = typeof val === 'number' ? String(val) : val;
  if (foundType === undefined) throw new InvalidInput(`${path}.type: must be one of ${ruleTypes.join(', ')}`);
  if (foundOp === undefined) throw new InvalidInput(`${path}.op: must be one of ${operators.join(', ')}`);
  if (typeof text !== 'string' || text.includes('\u0000')) throw new InvalidInput(`${path}.val: must be text`);
  if (!isText(origin) || !isText(templateId)) throw new InvalidInput(`${path}: origin and templateId must be text`);
  if (typeof order !== 'number' || !Number.isSafeInteger(order)) throw new InvalidInput(`${path}.order: must be a whole number`);
  return { type: fitting(foundType, foundOp, path), op: foundOp, val: text, origin, templateId, order };
}

const isText = (value: unknown): value is string => isPlainText(value, MOST_BYTES);

function fitting(type: RuleType, op: string, path: string): RuleType {
  if (op === 'xpath' && type !== 'html') throw new InvalidInput(`${path}.op: xpath works on the type html only`);
  return type;
}
