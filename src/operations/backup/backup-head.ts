import { BackupRefused } from './frames.ts';
import type { Part } from './kept-tables.ts';

/** The header of a backup file. */
export interface BackupHead {
  readonly part: Part;
  /** The program's version, for display only: `migrations` decide about compatibility. */
  readonly program: string;
  readonly engine: 'postgres' | 'kurrentdb';
  /** The origin of the log, which identifies the installation. */
  readonly origin: string;
  readonly keyId: string;
  /** By the database's clock, in UTC. */
  readonly takenAt: string;
  /** Number of events in the log. */
  readonly events: number;
  /** The newest signed checkpoint. */
  readonly checkpoint: string | null;
  /** Applied migrations, in order. */
  readonly migrations: readonly string[];
  /** UTC days that have a partition of measurements. */
  readonly days: { readonly sample: readonly string[]; readonly run: readonly string[] };
}

export interface TableHead {
  readonly table: string;
  readonly columns: readonly string[];
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

type Fields = Readonly<Record<string, unknown>>;

export function readHead(payload: Buffer, path: string): BackupHead {
  const head = fieldsOf(payload, path);
  const { part, engine, days } = head;
  const { sample, run } = isFields(days) ? days : {};
  const program = textOf(head, 'program', path);
  if ((part !== 'data' && part !== 'keys') || (engine !== 'postgres' && engine !== 'kurrentdb') || !isTexts(head['migrations']))
    throw invalidHeader(path);
  if (!isDays(sample) || !isDays(run)) throw invalidHeader(path);
  const { events, checkpoint = null } = head;
  if (typeof events !== 'number' || !Number.isSafeInteger(events) || (checkpoint !== null && typeof checkpoint !== 'string'))
    throw invalidHeader(path);
  return {
    part,
    program,
    engine,
    origin: textOf(head, 'origin', path),
    keyId: textOf(head, 'keyId', path),
    takenAt: textOf(head, 'takenAt', path),
    events,
    checkpoint,
    migrations: head['migrations'],
    days: { sample, run },
  };
}

export function readTableHead(payload: Buffer, path: string): TableHead {
  const head = fieldsOf(payload, path);
  const { columns } = head;
  if (!isTexts(columns)) throw invalidHeader(path);
  return { table: textOf(head, 'table', path), columns };
}

export function readRowCount(payload: Buffer, path: string): number {
  const { rows } = fieldsOf(payload, path);
  if (typeof rows !== 'number') throw invalidHeader(path);
  return rows;
}

function fieldsOf(payload: Buffer, path: string): Fields {
  try {
    const value: unknown = JSON.parse(payload.toString());
    if (isFields(value)) return value;
  } catch {
    // Not JSON: refused below.
  }
  throw invalidHeader(path);
}

function textOf(fields: Fields, name: string, path: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw invalidHeader(path);
  return value;
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');
const isDays = (value: unknown): value is readonly string[] => isTexts(value) && value.every((day) => DAY.test(day));
const invalidHeader = (path: string): BackupRefused => new BackupRefused(`${path} is damaged: a header in it is not valid`);
