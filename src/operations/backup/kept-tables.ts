/**
 * Every table that a backup holds, in the order in which they are restored. `keys`: encryption keys, signing keys and credentials, which are
 * deleted with an erased account; they go to a separate file of which only the newest copy should be kept.
 */
export const keptTables = {
  log: 'data',
  claim: 'data',
  ledger_state: 'data',
  ledger_tile: 'data',
  ledger_checkpoint: 'data',
  ledger_cosignature: 'data',
  ledger_origin_end: 'data',
  witnessed_log: 'data',
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
  kept_exchange: 'data',
  form_html: 'data',
  statement: 'data',
  consumer: 'data',
  consumer_parked: 'data',
  notification_episode: 'data',
  notification_message: 'data',
  notification_message_past: 'data',
  notification_intent: 'data',
  report_plan: 'data',
  destination_partition: 'data',
  destination_scan: 'data',
  record_access: 'data',
  subscription: 'data',
  subscription_parked: 'data',
  status_notice: 'data',
  status_delivery: 'data',
  subject_keys: 'keys',
  installation_secrets: 'keys',
  installation_key: 'keys',
  ledger_key: 'keys',
  passwords: 'keys',
  password_changes: 'keys',
  tokens: 'keys',
  second_factor: 'keys',
  recovery_code: 'keys',
  links: 'keys',
  invitation: 'keys',
  erasures: 'keys',
  // Deleted when a subscriber leaves: an older copy must not bring the address back.
  status_subscriber: 'keys',
} as const;

/** Tables that a backup does not hold, and why. */
export const leftOut = {
  migrations: 'the header of the backup lists them',
  projection: 'read models are rebuilt from the log',
  projection_parked: 'the rebuild parks these events again',
  team_reads: 'what the database roles of teams may read, stated again at the next start',
  team_process: 'how processes of teams ended, which a restore makes irrelevant',
  wake_channel: 'a new database has a channel of its own',
  slot_count: 'counted again as the claims are restored',
  as_of_snapshot: 'derived from the log, and ignored where the log does not match',
  as_of_rows: 'belong to as_of_snapshot',
  as_of_progress: 'the snapshots are made again',
  stream_snapshot: 'derived from the log, and ignored where the log does not match',
  lease: 'the processes that hold them do not run on the restored database',
  observation_fence: 'raised by the owners of the leases',
  observation_home: 'a restore claims the database of observations',
  page_body_orphan: 'objects of KEPT_PAGES that are to be deleted; those of the restored pages are in its own backup',
  observation_copy: 'the progress of a move',
  observations_moved: 'where the observations of the restored installation are, its OBSERVATIONS_URL says',
  idempotency: 'answers hold personal data in plain text, and the log itself detects a repeated command',
  console_address: 'the address of the restored installation is known after the next sign-in at it',
  known_networks: 'a network is known again after the next sign-in from it',
  ledger_evidence: 'what instances and the witness know to be signed, which they add again',
  write_probe: 'one row that shows whether writes go through',
  mail_outbox: 'mails of the last day with links, which a person asks for again',
  answered_challenge: 'challenges of passkeys of the last minutes',
  sign_in_codes: 'codes of sign-ins of the last two minutes',
  account_guesses: 'failed logins of the last day',
  tries: 'failed logins of the last minutes',
  token_scope_use: 'which scopes tokens used in the last 90 days, counted again from the restore on',
  account_use: 'counts of a window that ends within a day',
} as const;

/** Those of `keptTables` that `OBSERVATIONS_URL` keeps in a database of their own. */
export const observationTables: readonly KeptTable[] = [
  'closed_book',
  'sample_flush',
  'sample_hour',
  'run_flush',
  'run_hour',
  'latest_run',
  'job_run',
  'latest_look',
  'kept_page',
  'kept_answer',
  'kept_exchange',
  'form_html',
];

export type KeptTable = keyof typeof keptTables;
export type Part = (typeof keptTables)[KeptTable];

export const isKept = (name: string): name is KeptTable => Object.hasOwn(keptTables, name);

/** The tables of a part: all of them, or those that are in one of two databases. */
export function tablesOf(part: Part, place: 'one database' | 'log' | 'observations' = 'one database'): readonly KeptTable[] {
  return Object.entries(keptTables).flatMap(([name, of]) =>
    of === part && isKept(name) && (place === 'one database' || observationTables.includes(name) === (place === 'observations'))
      ? [name]
      : [],
  );
}
