import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs';
import { connect, rootCertificates } from 'node:tls';
import { getServers, resolve4 } from 'node:dns/promises';
import { dirname } from 'node:path';
import type pg from 'pg';
import { type Config, ConfigInvalid } from '../../platform/config/config.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { clock, examineDatabase, schema, version } from './database.ts';
import { examineEventStore } from './event-store.ts';
import { type Diagnosis, fail, ok, warn } from './finding.ts';
import { examineKeptPages, examinePagePlace } from './kept-pages.ts';
import { examineReplicas } from './replicas.ts';
import { callbackUrl, providerFailureOf, SignInProvider } from '../../accounts/identities/sign-in-provider.ts';
import { ObservationSchemas } from '../../platform/observations/schemas.ts';
import { migrationCounts } from '../../platform/postgres/migrations/observation-migrations.ts';
import { DatabaseClient } from '../../platform/postgres/database-client.ts';
import { examineWriteAheadLog } from './write-ahead-log.ts';
import { fileHandleLimit } from '../../kernel/file-handles.ts';
import { DAY_MS } from '../../kernel/time.ts';

const GIB = 1024 ** 3;
const HANDLES_WANTED = 4_096;

function examineNode(): Diagnosis {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? ok('node', process.versions.node)
    : fail('node', process.versions.node, 'install Node 20.19 or later');
}

function examineDataFolder({ dataDir }: Config): Diagnosis {
  let folder = dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    return fail('data folder', reasonOf(error), `give the service's user the right to write ${folder}, or set DATA_DIR`);
  }
  const { bavail, bsize } = statfsSync(folder);
  const free = `${dataDir}, ${((bavail * bsize) / GIB).toFixed(1)} GiB free`;
  return bavail * bsize > GIB ? ok('data folder', free) : warn('data folder', free, 'the log only grows: free some space');
}

/** Every probe uses one or two. */
function examineHandles({ roles }: Config): Diagnosis {
  const limit = fileHandleLimit();
  if (limit === null) return ok('file handles', 'no limit, or an unknown one');
  const found = `up to ${String(limit)} at once`;
  if (limit >= HANDLES_WANTED || !roles.includes('checker')) return ok('file handles', found);
  return warn(
    'file handles',
    found,
    `raise it to ${String(HANDLES_WANTED)} or more: ulimit -n, LimitNOFILE= in systemd, ulimits: in compose`,
  );
}

async function examineNames(): Promise<readonly Diagnosis[]> {
  const servers = getServers().join(', ') || 'none';
  const started = performance.now();
  try {
    await resolve4('example.com');
    return [ok('dns', `${servers} answered in ${String(Math.round(performance.now() - started))} ms`)];
  } catch (error) {
    return [warn('dns', `${servers}: ${reasonOf(error)}`, 'check /etc/resolv.conf: without DNS only IP addresses can be watched')];
  }
}

const SOON_DAYS = 14;
const PATIENCE_MS = 5_000;

async function examineCertificates({ publicUrl }: Config): Promise<readonly Diagnosis[]> {
  const own = publicUrl?.startsWith('https://') === true ? [await ownCertificate(new URL(publicUrl))] : [];
  return [roots(process.env['NODE_EXTRA_CA_CERTS']), ...own];
}

/** Node ignores an unreadable file, except for one line on standard error. */
function roots(file: string | undefined): Diagnosis {
  const bundled = `${String(rootCertificates.length)} roots`;
  if (file === undefined || file === '') return ok('certificates', `${bundled} from node`);
  try {
    const extra = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    extra.forEach((pem) => new X509Certificate(pem));
    if (extra.length === 0)
      return fail('certificates', `${file} contains no certificate`, 'NODE_EXTRA_CA_CERTS must name a file of PEM certificates');
    return ok('certificates', `${bundled} from node, ${String(extra.length)} of ${file}`);
  } catch (error) {
    return fail('certificates', reasonOf(error), 'NODE_EXTRA_CA_CERTS names a file of PEM certificates that can be read');
  }
}

function ownCertificate({ hostname, port, host }: URL): Promise<Diagnosis> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, timeout: PATIENCE_MS }, () => {
      const days = Math.floor((new Date(socket.getPeerCertificate().valid_to).getTime() - Date.now()) / DAY_MS);
      const found = `${host} presents one that is valid for ${String(days)} more days`;
      socket.end();
      resolve(days > SOON_DAYS ? ok('public url', found) : warn('public url', found, 'renew it'));
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', (error: Error) => {
      resolve(warn('public url', `${host}: ${error.message}`, 'clients will see the same: check the proxy and its certificate'));
    });
  });
}

const NAME = 'sign-in provider';

async function examineSignInProvider({ signInProvider: config, publicUrl, registration }: Config): Promise<readonly Diagnosis[]> {
  if (config === undefined) return [];
  const provider = new SignInProvider(config, callbackUrl(publicUrl));
  try {
    const { authorization_endpoint: begin, token_endpoint: token, jwks_uri: keys } = await provider.discover();
    if (begin === undefined || token === undefined || keys === undefined)
      return [fail(NAME, `${config.issuer} names no endpoints for signing in`, 'is OIDC_ISSUER an OpenID Connect provider?')];
  } catch (error) {
    const reason = providerFailureOf(error);
    return [fail(NAME, `${config.issuer}: ${reason}`, 'is it up, and is OIDC_ISSUER exactly what its tokens name as issuer?')];
  }
  const found = ok(NAME, `${config.issuer} answers; it must allow the redirect address ${callbackUrl(publicUrl)}`);
  if (registration !== 'open' || config.domains.length === 0) return [found];
  return [
    found,
    warn(NAME, 'REGISTRATION is open beside OIDC_DOMAINS', 'people of other domains can register with a password: is that wanted?'),
  ];
}

/** All checks, in the order in which to fix their findings. */
export async function examine(readConfig: () => Config, say: (line: string) => void): Promise<readonly Diagnosis[]> {
  const config = configuration(readConfig);
  if (!('dataDir' in config)) return [examineNode(), ...config];
  const looks: readonly (readonly [string, () => Promise<readonly Diagnosis[]> | Diagnosis])[] = [
    ['node', examineNode],
    ['data folder', () => examineDataFolder(config)],
    ['database', () => examineDatabase(config, say)],
    ['read replicas', () => examineReplicas(config)],
    ['observations', () => examineObservations(config)],
    ['KEPT_PAGES', () => examinePagePlace(config)],
    ['event store', () => examineEventStore(config)],
    ['file handles', () => examineHandles(config)],
    ['dns', () => examineNames()],
    ['sign-in provider', () => examineSignInProvider(config)],
    ['certificates', () => examineCertificates(config)],
  ];
  const findings: Diagnosis[] = [ok('configuration', 'every variable is valid')];
  for (const [name, look] of looks) findings.push(...(await outcome(name, look)));
  return findings;
}

function configuration(readConfig: () => Config): Config | readonly Diagnosis[] {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    return error.lines.map((line) => fail('configuration', line, 'correct the variable; docs/operations.md explains each'));
  }
}

async function outcome(name: string, look: () => Promise<readonly Diagnosis[]> | Diagnosis): Promise<readonly Diagnosis[]> {
  try {
    const found = await look();
    return 'state' in found ? [found] : found;
  } catch (error) {
    return [fail(name, reasonOf(error), 'this check could not run')];
  }
}

/** The database of the observations, where they have one of their own. */
async function examineObservations(config: Config): Promise<readonly Diagnosis[]> {
  const { observationsUrl: url, observationSchemas } = config;
  const schemas = new ObservationSchemas(observationSchemas);
  const counts = migrationCounts(schemas);
  if (url === undefined) return [];
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const findings = [
      await version(client),
      await schema(client, counts.home),
      ...(schemas.areNamed ? await examineSchemas(client, schemas, counts.schema) : []),
      await clock(client),
      ...(await examineWriteAheadLog(client, url)),
      ...(await examineKeptPages(client, config, schemas)),
    ];
    return findings.map((finding) => ({ ...finding, name: `observations: ${finding.name}` }));
  } catch (error) {
    return [
      fail('observations: database', reasonOf(error), 'check OBSERVATIONS_URL, and that its Postgres runs and accepts the connection'),
    ];
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The first of them that is not as it should be, or one finding for all. */
async function examineSchemas(client: pg.Client, schemas: ObservationSchemas, expected: number): Promise<readonly Diagnosis[]> {
  let found = ok('schemas', '');
  for (const one of schemas.all) {
    found = await schema(client, expected, one.table('migrations'));
    if (found.state !== 'ok') return [{ ...found, name: `schema ${String(one.name)}` }];
  }
  return [{ ...found, name: `${String(schemas.all.length)} schemas` }];
}
