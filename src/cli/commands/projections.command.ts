import type { CliCommand } from '../command.ts';
import { pauseAction, resumeAction, retryAction, skipAction } from '../projections/ask-actions.ts';
import { listAction, parkedAction, statusAction } from '../projections/look-actions.ts';
import { query } from '../projections/query.action.ts';
import { rebuild } from '../projections/rebuild.action.ts';

export const command: CliCommand = {
  about: 'See, pause, rebuild and repair the read models of a running service',
  actions: {
    list: listAction,
    status: statusAction,
    pause: pauseAction,
    resume: resumeAction,
    rebuild,
    parked: parkedAction,
    retry: retryAction,
    skip: skipAction,
    query,
  },
};
