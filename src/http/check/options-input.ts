import { InvalidInput } from '../../kernel/errors.ts';
import { readBoolean } from '../validation/switch.ts';
import { readHeaders } from './extra-headers-input.ts';

const switches = ['2', '6', 'g', 'l'] as const;
type Switch = (typeof switches)[number];

export interface GivenOptions {
  readonly switches: Partial<Record<Switch, boolean>>;
  /** The header lines, undefined when they were not given. */
  readonly headers: string | undefined;
}

/** docs/spec/interface.md#test-check: only supplied keys change. */
export function readOptions(given: Readonly<Record<string, unknown>>): GivenOptions {
  const unknown = Object.keys(given).find((key) => key !== 'w' && !isSwitch(key));
  if (unknown !== undefined) throw new InvalidInput(`options.${unknown.slice(0, 60)}: is not a known option`);
  const found: Partial<Record<Switch, boolean>> = {};
  for (const key of switches) {
    if (given[key] === undefined) continue;
    const value = readBoolean(given[key]);
    if (value === undefined) throw new InvalidInput(`options.${key}: must be true or false`);
    found[key] = value;
  }
  return { switches: found, headers: given['w'] === undefined || given['w'] === null ? undefined : readHeaders(given['w'], 'options.w') };
}

const isSwitch = (key: string): key is Switch => switches.some((known) => known === key);
