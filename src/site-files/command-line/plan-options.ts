import { type CliInput, type CliOption, WrongUse } from '../../platform/cli/command.ts';
import type { PlanOptions } from './server-plans.ts';

export const planOptions: Readonly<Record<string, CliOption>> = {
  prune: {
    type: 'string',
    value: 'all',
    alone: 'some',
    about: 'delete groups and checks that no file has, at most a fifth of a project; all: any number',
    problemOf: (value) => (value === 'all' || value === 'some' ? null : 'must be all, or be left out'),
  },
  'keep-secrets': { type: 'boolean', about: 'leave secrets as they are whose reference has no value here' },
};

export const planOptionsOf = (input: CliInput): PlanOptions => {
  const prune = input.text('prune') ?? 'none';
  if (prune !== 'none' && prune !== 'some' && prune !== 'all') throw new WrongUse('--prune: must be all, or be left out');
  return { prune, keepSecrets: input.flag('keep-secrets') };
};
