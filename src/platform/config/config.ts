import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseDotEnv, VariableReader, type Parse } from './variable-reader.ts';
import * as as from './values.ts';
import { fileHandleLimit } from '../../kernel/file-handles.ts';
import { type PagePlace, readPagePlace } from './kept-pages.ts';
import { type OtlpConfig, readOtlp } from './otlp.ts';
import { readSignInProvider, type SignInProviderConfig } from './sign-in-provider.ts';
import { LOCATIONS } from '../../kernel/locations.ts';

export const INSTANCE_ROLES = ['api', 'checker', 'projector', 'reactor', 'witness'] as const;
export type InstanceRole = (typeof INSTANCE_ROLES)[number];

/** `witness` stands alone: an instance with `api` is a witness, too. */
const DEFAULT_ROLES = ['api', 'checker', 'projector', 'reactor'] as const;
const SYSTEM_ROLES = ['admin', 'auditor'] as const;
/** Each holds as many of the 64 shards as another. */
const SCHEMA_COUNTS = ['1', '2', '4', '8', '16', '32', '64'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const HANDLES = fileHandleLimit() ?? 1_000_000;
/** Files, the database and probes need handles, too. */
const MOST_CONNECTIONS = HANDLES - 1;
const DEFAULT_CONNECTIONS = Math.min(10_000, Math.floor(HANDLES / 2));

/** The configuration from environment variables, validated and frozen; docs/operations.md explains each variable. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** An absolute path. */
  readonly dataDir: string;
  /** Undefined for the embedded Postgres under `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Undefined when observations are in the database of the log. */
  readonly observationsUrl: string | undefined;
  /** The address of each streaming standby of `databaseUrl` that may answer reads. */
  readonly readUrls: readonly string[];
  /** Schemas over which the observations are spread; 1: all are in that of the connection. */
  readonly observationSchemas: number;
  /** Seconds without an answer after which the database, or a connection to it, counts as silent. */
  readonly databaseSilenceSeconds: number;
  /** Undefined when events are stored in Postgres. */
  readonly eventStoreUrl: string | undefined;
  readonly roles: readonly InstanceRole[];
  readonly locations: readonly (typeof LOCATIONS)[number][];
  /** Without a slash at the end and without `/api`. */
  readonly publicUrl: string | undefined;
  readonly adminEmail: string;
  readonly adminPassword: string | undefined;
  readonly registration: 'open' | 'closed';
  /** Undefined when people sign in with passwords alone. */
  readonly signInProvider: SignInProviderConfig | undefined;
  /** An absolute path, readable at the start. */
  readonly plansFile: string | undefined;
  readonly defaultPlan: string;
  /** Networks of trusted proxies in CIDR notation, or `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustProxy: readonly string[];
  readonly corsOrigins: readonly string[];
  /** How long an invitation or an offered transfer can be accepted. */
  readonly invitationDays: number;
  /** How long a replaced webhook secret signs as well; with 0 it ends at once. */
  readonly webhookSecretHours: number;
  /** Open invitations of one project. */
  readonly maxInvitations: number;
  /** Subscriptions of one account. */
  readonly maxSubscriptions: number;
  /** Parked events of one subscription. */
  readonly maxParkedEvents: number;
  /** Status pages that one account may create. */
  readonly maxStatusPages: number;
  /** Login tokens of one account that are valid at once; the least recently used one is ended. */
  readonly maxSessions: number;
  readonly retentionDays: number;
  /** Undefined when the bodies of kept pages are in the database. */
  readonly pagePlace: PagePlace | undefined;
  /** Bound on the stored pages, compressed, in MiB; undefined for 2 MiB for each project, at least 1,024. */
  readonly keptPagesMb: number | undefined;
  /** Seconds in which a request must be complete, its body included. */
  readonly requestTimeout: number;
  /** Seconds after which a connection without any traffic is closed. */
  readonly connectionTimeout: number;
  readonly maxConnections: number;
  /** Connections of one client, where IPv6 counts by its /64 network; proxies of `trustProxy` are excepted. */
  readonly maxConnectionsPerAddress: number;
  /** Requests of one client whose body is being received. */
  readonly maxUnfinishedRequests: number;
  /** Undefined when metrics are served beside the API. */
  readonly metricsPort: number | undefined;
  /** Undefined when metrics need no token. */
  readonly metricsToken: string | undefined;
  /** Seconds between the end of readiness and the end of listening. */
  readonly drainSeconds: number;
  /** Requests per minute of one account whose plan states no other number, and of one address without a token; 0 for no limit. */
  readonly rateLimit: number;
  /** Requests per minute of one token; undefined for as many as its account, 0 for no limit of its own. */
  readonly tokenRateLimit: number | undefined;
  /** How long a sign-in counts as a confirmation of who the caller is; with 0 it never does, and a password is needed each time. */
  readonly reauthenticateMinutes: number;
  /** Accounts with these system roles must have a second factor. */
  readonly secondFactorRoles: readonly (typeof SYSTEM_ROLES)[number][];
  /** Failed logins of an account from unknown networks before they pause; 0 for no limit. */
  readonly guessLimit: number;
  /** Mails a day to one address that others can cause; 0 for no limit. */
  readonly mailsPerRecipient: number;
  /** Registrations an hour from one network; 0 for no limit. */
  readonly registrationLimit: number;
  /** Fetches of checks that a checker has under way at once. */
  readonly checkerFetches: number;
  /** Uptime probes that a checker has under way at once. */
  readonly checkerProbes: number;
  /** The share of either that one account gets at most. */
  readonly accountPercent: number;
  /** Networks in CIDR notation that may be watched although they are not public. */
  readonly allowTargets: readonly string[];
  /** The same for the addresses that users give for their messages: Slack, webhooks, browsers. */
  readonly allowHooks: readonly string[];
  /** Networks that are neither watched nor sent messages, although they are public. */
  readonly denyTargets: readonly string[];
  readonly masterKey: Buffer | undefined;
  readonly jwtKey: Buffer | undefined;
  readonly sealKey: Buffer | undefined;
  /** The keys before them, during a rotation (docs/keys.md). */
  readonly masterKeyPrevious: Buffer | undefined;
  readonly jwtKeyPrevious: Buffer | undefined;
  readonly sealKeyPrevious: Buffer | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** Packages or files with projections of teams. */
  readonly projections: readonly string[];
  /** Names of variables that the processes of these packages get, beside the usual ones of the system. */
  readonly teamEnv: readonly string[];
  /** Bound on the memory of the process of each package, in MiB. */
  readonly teamMemoryMb: number;
  readonly checkpointUrl: string | undefined;
  readonly pagerdutyUrl: string;
  readonly pushoverUrl: string;
  readonly pushbulletUrl: string;
  /** When undefined, neither traces nor metrics are sent, and nothing that would send them is loaded. */
  readonly otlp: OtlpConfig | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

/** Injection token. */
export const CONFIG = Symbol('Config');

/** All problems of the configuration, one line per variable; the program prints them and exits with 2. */
export class ConfigInvalid extends Error {
  override readonly name = 'ConfigInvalid';
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** The environment overrides the file `.env` in `cwd`. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>, cwd: string): Config {
  const dotEnv = readDotEnv(cwd);
  const read = new VariableReader(merge(env, dotEnv.values));
  const config = readConfig(read, cwd);
  read.require('MASTER_KEY', config.databaseUrl === undefined || config.masterKey !== undefined, 'with DATABASE_URL');
  read.require('DATABASE_URL', config.readUrls.length === 0 || config.databaseUrl !== undefined, 'with READ_URL');
  read.require('OBSERVATIONS_URL', config.observationSchemas === 1 || config.observationsUrl !== undefined, 'with OBSERVATION_SCHEMAS');
  if (config.metricsPort === config.port) read.problems.push('METRICS_PORT: must differ from PORT');
  for (const [name, current, previous] of rotatingKeys(config)) {
    read.require(name, previous === undefined || current !== undefined, `with ${name}_PREVIOUS`);
    if (current !== undefined && previous?.equals(current) === true) read.problems.push(`${name}_PREVIOUS: must differ from ${name}`);
  }
  const lines = [...dotEnv.problems, ...read.problems];
  if (lines.length > 0) throw new ConfigInvalid(lines);
  return Object.freeze(config);
}

const rotatingKeys = (config: Config): readonly (readonly [string, Buffer | undefined, Buffer | undefined])[] => [
  ['MASTER_KEY', config.masterKey, config.masterKeyPrevious],
  ['JWT_KEY', config.jwtKey, config.jwtKeyPrevious],
  ['SEAL_KEY', config.sealKey, config.sealKeyPrevious],
];

function readConfig(read: VariableReader, cwd: string): Config {
  const anyUrl = as.parseUrl('http:', 'https:');
  const publicUrl = read.optional('PUBLIC_URL', as.parseBaseUrl);
  const maxConnections = read.value('MAX_CONNECTIONS', as.parseInteger(10, MOST_CONNECTIONS), DEFAULT_CONNECTIONS);
  const mailHost = publicUrl === undefined ? 'localhost' : new URL(publicUrl).hostname;
  return {
    port: read.value('PORT', as.parseInteger(0, 65535), 3000),
    host: read.value('HOST', as.parseText, '127.0.0.1'),
    dataDir: resolve(cwd, read.value('DATA_DIR', as.parseText, './data')),
    databaseUrl: read.optional('DATABASE_URL', as.parseDatabaseUrl),
    observationsUrl: read.optional('OBSERVATIONS_URL', as.parseDatabaseUrl),
    observationSchemas: Number(read.value('OBSERVATION_SCHEMAS', as.parseOneOf(SCHEMA_COUNTS), '1')),
    readUrls: read.value('READ_URL', as.parseDatabaseUrls, []),
    databaseSilenceSeconds: read.value('DATABASE_SILENCE_SECONDS', as.parseInteger(1, 60), 3),
    eventStoreUrl: read.optional('EVENTSTORE_URL', as.parseEventStoreUrl),
    roles: nonEmpty(read.value('ROLES', parseRoles, DEFAULT_ROLES), DEFAULT_ROLES),
    locations: nonEmpty(read.value('LOCATIONS', as.parseListOf(as.parseOneOf(LOCATIONS)), LOCATIONS), LOCATIONS),
    publicUrl,
    adminEmail: read.value('ADMIN_EMAIL', as.parseEmail, 'admin@watchledger.local'),
    adminPassword: read.optional('ADMIN_PASSWORD', as.parseText),
    registration: read.value('REGISTRATION', as.parseOneOf(['open', 'closed']), 'closed'),
    signInProvider: readSignInProvider(read),
    plansFile: read.optional('PLANS_FILE', readableFile(cwd)),
    defaultPlan: read.value('DEFAULT_PLAN', as.parseText, 'basic'),
    trustProxy: read.value('TRUST_PROXY', as.parseListOf(proxy), []),
    corsOrigins: read.value('CORS_ORIGINS', as.parseListOf(as.parseOrigin), []),
    requestTimeout: read.value('REQUEST_TIMEOUT', as.parseInteger(1, 3_600), 30),
    connectionTimeout: read.value('CONNECTION_TIMEOUT', as.parseInteger(150, 86_400), 180),
    maxConnections,
    maxConnectionsPerAddress: read.value(
      'MAX_CONNECTIONS_PER_ADDRESS',
      as.parseInteger(1, MOST_CONNECTIONS),
      Math.ceil(maxConnections / 4),
    ),
    maxUnfinishedRequests: read.value('MAX_UNFINISHED_REQUESTS', as.parseInteger(1, 100_000), 50),
    metricsPort: read.optional('METRICS_PORT', as.parseInteger(1, 65_535)),
    metricsToken: read.optional('METRICS_TOKEN', as.parseToken),
    drainSeconds: read.value('DRAIN_SECONDS', as.parseInteger(0, 600), 0),
    rateLimit: read.value('RATE_LIMIT', as.parseInteger(0, 1_000_000), 600),
    tokenRateLimit: read.optional('TOKEN_RATE_LIMIT', as.parseInteger(0, 1_000_000)),
    guessLimit: read.value('GUESS_LIMIT', as.parseInteger(0, 1_000_000), 100),
    mailsPerRecipient: read.value('MAILS_PER_RECIPIENT', as.parseInteger(0, 1_000_000), 20),
    registrationLimit: read.value('REGISTRATION_LIMIT', as.parseInteger(0, 1_000_000), 20),
    secondFactorRoles: read.value('SECOND_FACTOR_ROLES', as.parseListOf(as.parseOneOf(SYSTEM_ROLES)), []),
    reauthenticateMinutes: read.value('REAUTHENTICATE_MINUTES', as.parseInteger(0, 1440), 10),
    invitationDays: read.value('INVITATION_DAYS', as.parseInteger(1, 90), 7),
    maxInvitations: read.value('MAX_INVITATIONS', as.parseInteger(1, 10_000), 100),
    maxSessions: read.value('MAX_SESSIONS', as.parseInteger(2, 100_000), 100),
    maxSubscriptions: read.value('MAX_SUBSCRIPTIONS', as.parseInteger(1, 10_000), 50),
    maxStatusPages: read.value('MAX_STATUS_PAGES', as.parseInteger(1, 1_000), 20),
    maxParkedEvents: read.value('MAX_PARKED_EVENTS', as.parseInteger(1, 10_000), 1_000),
    webhookSecretHours: read.value('WEBHOOK_SECRET_HOURS', as.parseInteger(0, 720), 24),
    retentionDays: read.value('RETENTION_DAYS', as.parseInteger(1, 36500), 90),
    pagePlace: readPagePlace(read),
    keptPagesMb: read.optional('KEPT_PAGES_MB', as.parseInteger(1, 10_000_000)),
    checkerFetches: read.value('CHECKER_FETCHES', as.parseInteger(1, 10_000), 200),
    checkerProbes: read.value('CHECKER_PROBES', as.parseInteger(1, 10_000), 1_000),
    accountPercent: read.value('ACCOUNT_PERCENT', as.parseInteger(1, 100), 50),
    allowTargets: read.value('ALLOW_TARGETS', as.parseListOf(as.parseNetwork), []),
    allowHooks: read.value('ALLOW_HOOKS', as.parseListOf(as.parseNetwork), []),
    denyTargets: read.value('DENY_TARGETS', as.parseListOf(as.parseNetwork), []),
    masterKey: read.optional('MASTER_KEY', as.parseKey(32)),
    jwtKey: read.optional('JWT_KEY', as.parseKey(32, 1024)),
    sealKey: read.optional('SEAL_KEY', as.parseKey(32)),
    masterKeyPrevious: read.optional('MASTER_KEY_PREVIOUS', as.parseKey(32)),
    jwtKeyPrevious: read.optional('JWT_KEY_PREVIOUS', as.parseKey(32, 1024)),
    sealKeyPrevious: read.optional('SEAL_KEY_PREVIOUS', as.parseKey(32)),
    smtpUrl: read.optional('SMTP_URL', as.parseUrl('smtp:', 'smtps:')),
    mailFrom: read.value('MAIL_FROM', as.parseSender, `Watchledger <watchledger@${mailHost}>`),
    projections: read.value('PROJECTIONS', as.parseListOf(as.parseText), []),
    teamEnv: read.value('TEAM_ENV', as.parseListOf(as.parseText), []),
    teamMemoryMb: read.value('TEAM_MEMORY_MB', as.parseInteger(128, 1_048_576), 512),
    checkpointUrl: read.optional('CHECKPOINT_URL', anyUrl),
    pagerdutyUrl: read.value('PAGERDUTY_URL', anyUrl, 'https://events.pagerduty.com/v2/enqueue'),
    pushoverUrl: read.value('PUSHOVER_URL', anyUrl, 'https://api.pushover.net/1/messages.json'),
    pushbulletUrl: read.value('PUSHBULLET_URL', anyUrl, 'https://api.pushbullet.com/v2/pushes'),
    otlp: readOtlp(read),
    logLevel: read.value('LOG_LEVEL', as.parseOneOf(LOG_LEVELS), 'info'),
  };
}

/** A list of commas only is empty, like a variable that is not set. */
const nonEmpty = <T>(list: readonly T[], fallback: readonly T[]): readonly T[] => (list.length > 0 ? list : fallback);

const parseRoles: Parse<readonly InstanceRole[]> = (raw) => {
  const roles = as.parseListOf(as.parseOneOf(INSTANCE_ROLES))(raw);
  return 'value' in roles && roles.value.includes('witness') && roles.value.length > 1
    ? { problem: 'witness stands alone: an instance with api is a witness, too' }
    : roles;
};

const proxy: Parse<string> = (raw) => {
  const named = as.parseOneOf(['loopback', 'linklocal', 'uniquelocal'])(raw);
  return 'value' in named ? named : as.parseNetwork(raw);
};

const readableFile =
  (cwd: string): Parse<string> =>
  (raw) => {
    const path = resolve(cwd, raw);
    try {
      accessSync(path, constants.R_OK);
      return { value: path };
    } catch {
      return { problem: `must be the path of a readable file, found "${raw}"` };
    }
  };

function readDotEnv(cwd: string): ReturnType<typeof parseDotEnv> {
  const path = join(cwd, '.env');
  if (!existsSync(path)) return { values: {}, problems: [] };
  try {
    return parseDotEnv(readFileSync(path, 'utf8'));
  } catch {
    return { values: {}, problems: ['.env: cannot be read'] };
  }
}

/** Compose files pass empty variables, which must not override those of the file. */
function merge(
  env: Readonly<Record<string, string | undefined>>,
  file: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  return { ...file, ...Object.fromEntries(set) };
}
