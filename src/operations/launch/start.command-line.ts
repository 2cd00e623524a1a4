import type { CliCommand } from '../../platform/cli/command.ts';

export const command: CliCommand = {
  about: 'Start the service in the foreground; the environment and .env configure it (docs/operations.md)',
  run: async () => {
    await import('../../main.ts');
    return 0;
  },
};
