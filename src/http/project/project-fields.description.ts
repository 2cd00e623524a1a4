import { locations, periods, uptimePeriods } from '../../domain/project/settings.ts';
import { eitherOf, type Fields, flag, integer, list, orNull, text, word } from '../description/schema.ts';
import { instant, objectId } from '../description/vocabulary.ts';

/** docs/spec/interface.md#project. */
export const projectFields: Fields = {
  id: objectId('The project'),
  title: text('Title'),
  name: text('The old word for `title`', { deprecated: true }),
  url: text('Base URL'),
  period: word(periods, 'How often tests run by themselves; `false`: they do not'),
  uptimeUrl: text('What is probed for uptime; follows `url` as long as nobody set another'),
  uptimeEnabled: word(uptimePeriods, 'Seconds between probes; `false`: uptime is off'),
  apiKey: text('Key of the project, empty without the permission `apiKey`; authenticates nothing'),
  payerId: integer('User id of the owner'),
  location: word(locations, 'From where it is checked'),
  checkDefaultErrors: flag('Whether known error pages fail a check'),
  created: instant('When it was made'),
  userAgent: text('User agent of the checker'),
  timeout: integer('Seconds that one fetch may take as a whole', { minimum: 1, maximum: 60 }),
  delay: integer('Milliseconds between two requests to one host', { format: 'int64', minimum: 0, maximum: 60_000 }),
  userIds: list(integer('A user id'), 'Who has access'),
  status: orNull(word(['ok', 'error', 'timeout'], 'The worst of its enabled tests; null until the first run')),
  sslStatus: word(['ok', 'soon', 'expired', 'nossl', 'noinfo'], 'How the certificate stands'),
  sslExpiration: orNull(instant('When the certificate ends; null when there is nothing to report')),
  sslError: orNull(text('Why the certificate does not verify')),
  sslAlertPeriod: integer('Days before its end from which a certificate is `soon`', { minimum: 1, maximum: 365 }),
  httpsRedirectEnabled: flag('Whether the http version is checked to lead to https'),
  httpsRedirectStatus: orNull(word(['ok', 'failed', 'unreachable'], 'Null until the first look')),
  httpsRedirectFinalUrl: orNull(text('Where the http version ended')),
  httpsRedirectCheckedAt: orNull(instant('The last look at it')),
  webPushEnabled: flag('Browser push'),
  securityMonitoringEnabled: flag('Security panel'),
  isWordPress: orNull(flag('Null before it was looked at')),
};
export const projectSometimes: Fields = {
  sslDaysLeft: integer('Whole days until the end of the certificate; missing until the first look', { minimum: 0 }),
};

/** docs/spec/decisions.md#P6. */
export const writableFields: Fields = {
  title: text('Title', { minLength: 1, maxLength: 200 }),
  name: text('The old word for `title`', { minLength: 1, maxLength: 200, deprecated: true }),
  url: text('Base URL', { maxLength: 2048, examples: ['https://example.com'] }),
  period: eitherOf('How often tests run', word(periods, 'As a word'), { const: false }),
  uptimeUrl: text('What is probed for uptime', { maxLength: 2048, examples: ['https://example.com/health'] }),
  uptimeEnabled: eitherOf(
    'Seconds between probes',
    word(uptimePeriods, 'As a word'),
    { const: false },
    { type: 'integer', enum: [15, 30, 60] },
  ),
  location: word(locations, 'From where it is checked'),
  checkDefaultErrors: flag('Whether known error pages fail a check'),
  userAgent: text('User agent of the checker', { pattern: '^[\\x21-\\x7e][\\x20-\\x7e]{0,299}$' }),
  timeout: integer('Seconds', { minimum: 1, maximum: 60 }),
  delay: integer('Milliseconds', { format: 'int64', minimum: 0, maximum: 60_000 }),
  sslAlertPeriod: integer('Days', { minimum: 1, maximum: 365 }),
  httpsRedirectEnabled: flag('Switching it on looks at once'),
  webPushEnabled: flag('Browser push'),
  securityMonitoringEnabled: flag('Security panel'),
};
