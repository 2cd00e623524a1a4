import type { CliCommand } from '../command.ts';
import { pause, resume, retry, skip } from '../projections/ask-actions.ts';
import { list, parked, status } from '../projections/look-actions.ts';
import { query } from '../projections/query.action.ts';
import { rebuild } from '../projections/rebuild.action.ts';

export const command: CliCommand = {
  about: 'See, pause, rebuild and repair the read models of a running service',
  actions: { list, status, pause, resume, rebuild, parked, retry, skip, query },
};
