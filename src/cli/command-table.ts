import type { CliCommand } from './command.ts';

export interface CommandRow {
  readonly about: string;
  /** Loaded only when called, so that a command does not load the dependencies of the others. */
  readonly load: () => Promise<{ readonly command: CliCommand }>;
}

/** Each command is a row here and a module that exports `command`. */
export const commandTable: Readonly<Record<string, CommandRow>> = {
  start: { about: 'start the service', load: () => import('./commands/start.command.ts') },
  accounts: { about: 'list, create, change and erase accounts', load: () => import('./accounts/accounts.command.ts') },
  'service-accounts': {
    about: 'list, create, change and delete service accounts and their tokens',
    load: () => import('./service-accounts/service-accounts.command.ts'),
  },
  projections: { about: 'show, pause, rebuild and repair the read models', load: () => import('./projections/projections.command.ts') },
  reactors: { about: 'show, pause, repair and rehearse the reactors of teams', load: () => import('./reactors/reactors.command.ts') },
  generate: { about: 'generate a projection and its test', load: () => import('./generate/projection.action.ts') },
  replay: { about: 'rebuild the read models and compare, or as of an instant', load: () => import('./commands/replay.command.ts') },
  export: { about: "export a project's history as a verifiable file", load: () => import('./commands/export.command.ts') },
  verify: { about: 'verify an export, or the whole log', load: () => import('./commands/verify.command.ts') },
  receipt: { about: 'fetch a signed answer of the API, as a file', load: () => import('./commands/receipt.command.ts') },
  recompute: { about: 'compute a signed answer again and compare', load: () => import('./commands/recompute.command.ts') },
  validate: { about: 'check site files without a server', load: () => import('./commands/validate.command.ts') },
  plan: { about: 'show what site files change on a server', load: () => import('./commands/plan.command.ts') },
  apply: { about: 'change the projects of a server as site files say', load: () => import('./commands/apply.command.ts') },
  pull: { about: 'write the projects of a server as site files', load: () => import('./commands/pull.command.ts') },
  try: { about: 'run the checks of site files once, without a server', load: () => import('./commands/try.command.ts') },
  import: { about: 'import the settings of another monitor', load: () => import('./commands/import.command.ts') },
  backup: {
    about: 'back up everything while the service runs, the keys in a separate file',
    load: () => import('./backup/backup.command.ts'),
  },
  restore: { about: 'restore a backup into an unused installation', load: () => import('./backup/restore.command.ts') },
  observations: { about: 'move the observations to a database of their own', load: () => import('./observations/observations.command.ts') },
  seal: { about: 'show and administer the seal and its keys', load: () => import('./seal/seal.command.ts') },
  witness: { about: 'agree with others to witness each other’s log', load: () => import('./witness/witness.command.ts') },
  keys: { about: 'show and rotate the keys of the installation', load: () => import('./keys/keys.command.ts') },
  doctor: { about: 'diagnose this installation', load: () => import('./commands/doctor.command.ts') },
};
