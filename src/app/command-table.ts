import type { CliCommand } from '../platform/cli/command.ts';

export interface CommandRow {
  readonly about: string;
  /** Loaded only when called, so that a command does not load the dependencies of the others. */
  readonly load: () => Promise<{ readonly command: CliCommand }>;
}

/** Each command is a row here and a module that exports `command`. */
export const commandTable: Readonly<Record<string, CommandRow>> = {
  start: { about: 'start the service', load: () => import('../operations/launch/start.command-line.ts') },
  accounts: { about: 'list, create, change and erase accounts', load: () => import('../accounts/accounts.command-line.ts') },
  'service-accounts': {
    about: 'list, create, change and delete service accounts and their tokens',
    load: () => import('../projects/service-accounts/service-accounts.command-line.ts'),
  },
  projections: { about: 'show, pause, rebuild and repair the read models', load: () => import('../teams/projections.command-line.ts') },
  consumers: {
    about: 'show, pause and repair what acts on events: alerts, messages of status pages, reactors',
    load: () => import('../operations/consumers/consumers.command-line.ts'),
  },
  rehearse: { about: 'run a reactor over history without its effects', load: () => import('../teams/rehearse.command-line.ts') },
  generate: { about: 'generate a projection and its test', load: () => import('../teams/generate/generate.command-line.ts') },
  replay: {
    about: 'rebuild the read models and compare, or as of an instant',
    load: () => import('../operations/replay/replay.command-line.ts'),
  },
  export: { about: "export a project's history as a verifiable file", load: () => import('../proof/export.command-line.ts') },
  verify: { about: 'verify an export, or the whole log', load: () => import('../proof/verify.command-line.ts') },
  receipt: { about: 'fetch a signed answer of the API, as a file', load: () => import('../proof/receipts/receipt.command-line.ts') },
  recompute: { about: 'compute a signed answer again and compare', load: () => import('./recompute/recompute.command-line.ts') },
  validate: { about: 'check site files without a server', load: () => import('../site-files/validate.command-line.ts') },
  plan: { about: 'show what site files change on a server', load: () => import('../site-files/plan.command-line.ts') },
  apply: { about: 'change the projects of a server as site files say', load: () => import('../site-files/apply.command-line.ts') },
  pull: { about: 'write the projects of a server as site files', load: () => import('../site-files/pull.command-line.ts') },
  try: { about: 'run the checks of site files once, without a server', load: () => import('../site-files/try.command-line.ts') },
  import: { about: 'import the settings of another monitor', load: () => import('../import/import.command-line.ts') },
  backup: {
    about: 'back up everything while the service runs, the keys in a separate file',
    load: () => import('../operations/backup/backup.command-line.ts'),
  },
  restore: { about: 'restore a backup into an unused installation', load: () => import('../operations/backup/restore.command-line.ts') },
  observations: {
    about: 'move the observations to a database of their own',
    load: () => import('../operations/observations/observations.command-line.ts'),
  },
  seal: { about: 'show and administer the seal and its keys', load: () => import('../proof/seal.command-line.ts') },
  witness: { about: 'agree with others to witness each other’s log', load: () => import('../proof/witness.command-line.ts') },
  keys: { about: 'show and rotate the keys of the installation', load: () => import('../operations/keys/keys.command-line.ts') },
  doctor: { about: 'diagnose this installation', load: () => import('../operations/doctor/doctor.command-line.ts') },
};
