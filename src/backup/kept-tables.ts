/**
 * What a backup does with each table. `keys`: what reads, signs or signs in, and dies with an erased account, so that it is copied apart
 * and only the newest copy is worth keeping. Order: as they are restored.
 */
export const keptTables = {
  log: 'data',
  claim: 'data',
  ledger_state: 'data',
  ledger_tile: 'data',
  ledger_checkpoint: 'data',
  closed_book: 'data',
  sample_flush: 'data',
  sample_hour: 'data',
  run_flush: 'data',
  run_hour: 'data',
  latest_run: 'data',
  job_run: 'data',
  latest_look: 'data',
  kept_page: 'data',
  kept_answer: 'data',
  notifier_checkpoint: 'data',
  notifier_set_aside: 'data',
  notification_episode: 'data',
  notification_message: 'data',
  notification_intent: 'data',
  report_plan: 'data',
  subject_keys: 'keys',
  installation_secrets: 'keys',
  ledger_key: 'keys',
  passwords: 'keys',
  password_changes: 'keys',
  tokens: 'keys',
  links: 'keys',
  erasures: 'keys',
} as const;

/** What is made again, or means nothing to another database, and why. */
export const leftOut = {
  migrations: 'the head of the backup names them',
  projection: 'read models are filled again from the log',
  projection_parked: 'what cannot be folded is found again',
  lease: 'held by processes that are not there',
  idempotency: 'answers hold personal data in the clear, and the log itself knows a repeated command',
  tries: 'wrong passwords of the last minutes',
} as const;

export type KeptTable = keyof typeof keptTables;
export type Part = (typeof keptTables)[KeptTable];

export const isKept = (name: string): name is KeptTable => Object.hasOwn(keptTables, name);

export const tablesOf = (part: Part): readonly KeptTable[] =>
  Object.entries(keptTables).flatMap(([name, of]) => (of === part && isKept(name) ? [name] : []));
