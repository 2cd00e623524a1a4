import type { CliCommand } from './command.ts';

export interface CommandRow {
  readonly about: string;
  /** Loaded only when it is called: each command pays for itself alone. */
  readonly load: () => Promise<{ readonly command: CliCommand }>;
}

/** A new command is a row here and a file beside the others. */
export const commandTable: Readonly<Record<string, CommandRow>> = {
  start: { about: 'start the service', load: () => import('./commands/start.command.ts') },
  accounts: { about: 'see, make, change and erase accounts', load: () => import('./commands/accounts.command.ts') },
  projections: { about: 'see, pause, rebuild and repair the read models', load: () => import('./commands/projections.command.ts') },
  generate: { about: 'write a projection of your own and its test', load: () => import('./commands/generate.command.ts') },
  replay: { about: 'fold the read models again and compare, or as of an instant', load: () => import('./commands/replay.command.ts') },
  export: { about: "write a project's history as a file that proves itself", load: () => import('./commands/export.command.ts') },
  verify: { about: 'check an export, or the whole log', load: () => import('./commands/verify.command.ts') },
  backup: { about: 'copy everything, while the service runs, with the keys apart', load: () => import('./commands/backup.command.ts') },
  restore: { about: 'fill an installation that was never used from a backup', load: () => import('./commands/restore.command.ts') },
  seal: { about: 'look after the seal and its keys', load: () => import('./commands/seal.command.ts') },
  doctor: { about: 'look for what is wrong here, and say what to do', load: () => import('./commands/doctor.command.ts') },
};
