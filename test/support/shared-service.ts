import { randomBytes } from 'node:crypto';
import { createTestMailServer, type TestMailServer } from './servers/mail.ts';
import { TestService } from './service.ts';

/** Signs the tokens of the shared services. */
export const SHARED_JWT_KEY = randomBytes(32);
export const SHARED_CORS_ORIGIN = 'https://page.example';

interface Shared {
  readonly service: TestService;
  readonly mail: TestMailServer;
  readonly env: Readonly<Record<string, string>>;
}

let shared: Promise<Shared> | undefined;

async function start(): Promise<Shared> {
  const mail = await createTestMailServer();
  const env = {
    REGISTRATION: 'open',
    RATE_LIMIT: '0',
    DEFAULT_PLAN: 'unlimited',
    ALLOW_TARGETS: '127.0.0.0/8,::1/128',
    JWT_KEY: SHARED_JWT_KEY.toString('hex'),
    TRUST_PROXY: 'loopback',
    CORS_ORIGINS: SHARED_CORS_ORIGIN,
    LOCATIONS: 'eu,us',
    MAX_SUBSCRIPTIONS: '20',
    SMTP_URL: mail.url,
  };
  const service = await TestService.start({ env, endsWithWorker: true });
  return { service, mail, env };
}

const sharedParts = (): Promise<Shared> => (shared ??= start());

/**
 * The service of all files of a jest worker whose subject is accounts and projects of their own: a warm one spares each of them a cold start. What depends
 * on the settings, on an empty log or on what exists in the whole installation starts a `TestService`.
 */
export const sharedService = async (): Promise<TestService> => (await sharedParts()).service;

/** A second instance on the same database; the file ends it: one that waits for others costs more than another start. */
export const startBesideShared = async (): Promise<TestService> => {
  const { service, env } = await sharedParts();
  return TestService.start({ beside: service, env });
};

/** Gets the mails of both. */
export const sharedMail = async (): Promise<TestMailServer> => (await sharedParts()).mail;
