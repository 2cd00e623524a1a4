import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigInvalid, loadConfig } from './config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const load = (env: Record<string, string> = {}) => loadConfig(env, folder);
const problems = (env: Record<string, string>): readonly string[] => {
  try {
    load(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.lines;
    throw error;
  }
};

describe('configuration', () => {
  it('has a default for every variable', () => {
    expect(load()).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      dataDir: join(folder, 'data'),
      databaseUrl: undefined,
      roles: ['api', 'checker', 'projector', 'reactor'],
      registration: 'closed',
      defaultPlan: 'basic',
      retentionDays: 90,
    });
  });

  it('exports nothing by OTLP without an endpoint, and refuses what the SDK would ignore', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    expect(load().otlp).toBeUndefined();
    expect(load({ OTEL_SERVICE_NAME: 'watch' }).otlp).toBeUndefined();
    expect(load({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).otlp).toBeUndefined();
    expect(load({ ...endpoint, OTEL_METRICS_EXPORTER: 'none', OTEL_SERVICE_NAME: 'watch' }).otlp).toEqual({
      traces: true,
      metrics: false,
      metricIntervalMs: 60_000,
      variables: { ...endpoint, OTEL_METRICS_EXPORTER: 'none', OTEL_SERVICE_NAME: 'watch' },
    });
    expect(problems({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT: must be .*http/),
    ]);
    const lines = problems({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER: 'most' });
    expect(lines.map((line) => line.split(':')[0])).toEqual(['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_TRACES_SAMPLER']);
  });

  it('runs as a witness alone, or with the parts of a full service', () => {
    expect(load({ ROLES: 'witness' }).roles).toEqual(['witness']);
    expect(problems({ ROLES: 'checker,witness' })).toEqual([expect.stringMatching(/^ROLES: witness stands alone/)]);
  });

  it('reports all problems at once, one line per variable', () => {
    const lines = problems({
      PORT: '70000',
      ROLES: 'api,cook',
      DATABASE_URL: 'mysql://x/y',
      EVENTSTORE_URL: 'kurrentdb://here',
      RETENTION_DAYS: 'x',
      ALLOW_TARGETS: '10.0.0.0/33',
    });
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      'PORT',
      'DATABASE_URL',
      'EVENTSTORE_URL',
      'ROLES',
      'RETENTION_DAYS',
      'ALLOW_TARGETS',
    ]);
    expect(lines[0]).toBe('PORT: must be a whole number from 0 to 65535, found "70000"');
  });

  it.each([
    ['PORT', 0, 65_535],
    ['RATE_LIMIT', 0, 1_000_000],
    ['TOKEN_RATE_LIMIT', 0, 1_000_000],
    ['REQUEST_TIMEOUT', 1, 3_600],
    ['CONNECTION_TIMEOUT', 150, 86_400],
    ['MAX_UNFINISHED_REQUESTS', 1, 100_000],
    ['RETENTION_DAYS', 1, 36_500],
    ['KEPT_PAGES_MB', 1, 10_000_000],
  ])('accepts %s from %d to %d only', (name, least, most) => {
    const of = (value: number | string): readonly string[] => problems({ [name]: String(value) });
    expect([of(least), of(most)]).toEqual([[], []]);
    for (const value of [least - 1, most + 1, `${String(most)}.0`, `+${String(most)}`, '1e1', '0x10'])
      expect(of(value)).toEqual([`${name}: must be a whole number from ${String(least)} to ${String(most)}, found "${String(value)}"`]);
  });

  it('requires a master key with an external database', () => {
    const DATABASE_URL = 'postgres://u:p@db/watchledger';
    const several = 'postgres://u:p@a:5432,b:5433/watchledger?target_session_attrs=read-write';
    expect(load({ DATABASE_URL: several, MASTER_KEY: 'ab'.repeat(32) }).databaseUrl).toBe(several);
    expect(problems({ DATABASE_URL: several.replace('read-write', 'standby'), MASTER_KEY: 'ab'.repeat(32) })).toEqual([
      expect.stringContaining('target_session_attrs must be read-write'),
    ]);
    expect(problems({ DATABASE_URL: 'postgres://u:p@h/w?host=a,b', MASTER_KEY: 'ab'.repeat(32) })).toEqual([
      expect.stringContaining('postgres://user:password@a:5432,b:5432/watchledger'),
    ]);
    expect(problems({ DATABASE_URL })).toEqual(['MASTER_KEY: is required with DATABASE_URL']);
    expect(problems({ DATABASE_URL, MASTER_KEY: 'short' })).toEqual([
      'MASTER_KEY: must be 32 bytes, written in hex or base64 (openssl rand -hex 32)',
    ]);
    expect(load({ DATABASE_URL, MASTER_KEY: 'ab'.repeat(32) }).masterKey).toEqual(Buffer.alloc(32, 0xab));
    expect(load({ DATABASE_URL, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }).masterKey).toEqual(Buffer.alloc(32, 7));
  });

  it('never repeats a secret in a message', () => {
    const lines = problems({ DATABASE_URL: 'http://u:hunter2@db', SMTP_URL: 'hunter2', MASTER_KEY: 'hunter2', JWT_KEY: 'hunter2' });
    expect(lines).toHaveLength(4);
    expect(lines.join()).not.toContain('hunter2');
  });

  it('reads .env, which the environment overrides', () => {
    writeFileSync(
      join(folder, '.env'),
      '# ours\nPORT=4000 # the port\nexport HOST="0.0.0.0"\nADMIN_PASSWORD=\'a # b\'\nMAIL_FROM=Ops <ops@example.com>\n',
    );
    expect(load({ PORT: '5000', HOST: '' })).toMatchObject({
      port: 5000,
      host: '0.0.0.0',
      adminPassword: 'a # b',
      mailFrom: 'Ops <ops@example.com>',
    });
  });

  it('reports malformed lines of .env by their number', () => {
    writeFileSync(join(folder, '.env'), 'PORT=4000\nnonsense\nHOST="open\n');
    expect(problems({})).toEqual(['.env line 2: must have the form NAME=value', '.env line 3: must have the form NAME=value']);
  });

  it('reads a single address as a network, and removes the trailing slash of PUBLIC_URL', () => {
    expect(
      load({
        ALLOW_TARGETS: '127.0.0.1, fd00::/8',
        ALLOW_HOOKS: '10.0.0.1',
        DENY_TARGETS: '192.0.2.0/24',
        TRUST_PROXY: 'loopback,10.0.0.1',
        PUBLIC_URL: 'https://w.example/ops/',
      }),
    ).toMatchObject({
      allowTargets: ['127.0.0.1/32', 'fd00::/8'],
      allowHooks: ['10.0.0.1/32'],
      denyTargets: ['192.0.2.0/24'],
      trustProxy: ['loopback', '10.0.0.1/32'],
      publicUrl: 'https://w.example/ops',
      mailFrom: 'Watchledger <watchledger@w.example>',
    });
  });

  it('is frozen', () => {
    expect(Object.isFrozen(load())).toBe(true);
  });
});
