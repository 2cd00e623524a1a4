import type { CliCommand } from '../command.ts';
import { declareTruncated } from '../seal/declare-truncated.action.ts';
import { keys, mend, retire, rotate, status } from '../seal/seal-actions.ts';

export const command: CliCommand = {
  about: 'Look after the seal: its state, its keys, and what to do after a restore',
  actions: { status, mend, keys, rotate, retire, 'declare-truncated': declareTruncated },
};
