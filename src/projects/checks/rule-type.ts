import { type Operator, ruleFamilies, type RuleFamily, type RuleType, ruleTypes } from './rule.ts';

/** The directives of a Content Security Policy that a rule may name. */
export const cspDirectives = [
  'default-src',
  'script-src',
  'script-src-elem',
  'script-src-attr',
  'style-src',
  'style-src-elem',
  'style-src-attr',
  'img-src',
  'font-src',
  'connect-src',
  'media-src',
  'object-src',
  'frame-src',
  'child-src',
  'worker-src',
  'manifest-src',
  'base-uri',
  'form-action',
  'frame-ancestors',
  'sandbox',
  'report-uri',
  'report-to',
  'require-trusted-types-for',
  'trusted-types',
  'upgrade-insecure-requests',
] as const;

export const timePhases = ['dns', 'connect', 'tls', 'request', 'wait', 'download'] as const;
export type TimePhase = (typeof timePhases)[number];
export const certificateParts = ['issuer', 'days', 'key', 'names'] as const;
export type CertificatePart = (typeof certificateParts)[number];
export const cookieAttributes = ['domain', 'path', 'expires', 'max-age', 'secure', 'httponly', 'samesite', 'partitioned'] as const;
export const robotsDirectives = ['allow', 'disallow', 'crawl-delay', 'sitemap'] as const;

interface Parameter {
  readonly accepts: (parameter: string) => boolean;
  /** What is accepted. */
  readonly must: string;
  /** Whether the values are numbers, or may be. */
  readonly isNumeric?: (parameter: string) => boolean;
}

const always = (): boolean => true;
const oneOf = (words: readonly string[], isNumeric?: Parameter['isNumeric']): Parameter => ({
  accepts: (parameter) => words.includes(parameter),
  must: `must be one of ${words.join(', ')}`,
  ...(isNumeric === undefined ? {} : { isNumeric }),
});

/** In bytes, as every expression of a rule. */
const MAX_PATH = 1024;
const COOKIE = new RegExp(`^[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,200}(?::(?:${cookieAttributes.join('|')}))?$`);
const ROBOTS = new RegExp(`^(?:${robotsDirectives.join('|')})(?::[A-Za-z_-]{1,100})?$`);

const parameters = {
  json: {
    accepts: (path) => path.startsWith('$') && Buffer.byteLength(path) <= MAX_PATH,
    must: 'must be a JSONPath (RFC 9535) such as $.status, of at most 1 KiB',
    isNumeric: always,
  },
  'json-ld': {
    accepts: (path) => /^[^.\p{Cc}]+(?:\.[^.\p{Cc}]+)*$/u.test(path) && Buffer.byteLength(path) <= MAX_PATH,
    must: 'must be names joined by dots such as Product.offers.price, of at most 1 KiB',
    isNumeric: always,
  },
  csp: oneOf(cspDirectives),
  cookie: {
    accepts: (parameter) => COOKIE.test(parameter),
    must: `must be the name of a cookie, or the name, a colon and one of ${cookieAttributes.join(', ')}`,
    isNumeric: (parameter) => parameter.endsWith(':max-age'),
  },
  cert: oneOf(certificateParts, (parameter) => parameter === 'days'),
  time: oneOf(timePhases, always),
  redirects: oneOf(['target']),
  'meta-robots': { accepts: (agent) => /^[A-Za-z0-9_-]{1,100}$/.test(agent), must: 'must be the name of a crawler such as googlebot' },
  hreflang: { accepts: (tag) => /^[A-Za-z0-9-]{1,35}$/.test(tag), must: 'must be a language such as de-AT, or x-default' },
  sitemap: oneOf(['count'], always),
  robots: {
    accepts: (parameter) => ROBOTS.test(parameter),
    must: `must be one of ${robotsDirectives.join(', ')}, alone or with a colon and the name of a crawler`,
    isNumeric: (parameter) => /^crawl-delay(?::|$)/.test(parameter),
  },
  'mixed-content': oneOf(['count'], always),
} satisfies Record<RuleFamily, Parameter>;

const NUMERIC: readonly string[] = ['status', 'time', 'size', 'redirects'] satisfies RuleType[];
const PLAIN: ReadonlySet<string> = new Set(ruleTypes);
const FAMILIES: ReadonlySet<string> = new Set(ruleFamilies);
const ORDERS: ReadonlySet<string> = new Set(['lt', 'lte', 'gt', 'gte'] satisfies Operator[]);

export interface NamedFamily {
  readonly family: RuleFamily;
  readonly parameter: string;
}

/** The family and the parameter of a type such as `cookie:sid`; null for any other text. */
export function familyOf(type: string): NamedFamily | null {
  const colon = type.indexOf(':');
  const family = type.slice(0, Math.max(0, colon));
  return FAMILIES.has(family) ? { family: family as RuleFamily, parameter: type.slice(colon + 1) } : null;
}

const parameterOf = (family: RuleFamily): Parameter => parameters[family];

/** Why a text is no type of a rule; null if it is one. */
export function ruleTypeProblem(type: string): string | null {
  if (PLAIN.has(type)) return null;
  const named = familyOf(type);
  if (named === null) return `must be one of ${[...ruleTypes, ...ruleFamilies.map((family) => `${family}:…`)].join(', ')}`;
  const { accepts, must } = parameterOf(named.family);
  return accepts(named.parameter) ? null : `${named.family}: ${must}`;
}

export const isRuleType = (type: unknown): type is RuleType => typeof type === 'string' && ruleTypeProblem(type) === null;

function isNumericType(type: string): boolean {
  if (NUMERIC.includes(type)) return true;
  const named = familyOf(type);
  return named !== null && parameterOf(named.family).isNumeric?.(named.parameter) === true;
}

export const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Why an operator cannot be used with a type; null if it can. */
export function operatorMisfit(type: string, op: Operator): string | null {
  if (op === 'xpath') return type === 'html' ? null : 'xpath applies to the type html only';
  if (!ORDERS.has(op) || isNumericType(type)) return null;
  return `${op} applies to numbers only: status, time, size, redirects, counts, cert:days, cookie:…:max-age, json:… and json-ld:…`;
}

/** The same, or why its value cannot be used. */
export const operatorProblem = (type: string, op: Operator, val: string): string | null =>
  operatorMisfit(type, op) ?? (ORDERS.has(op) && !isNumber(val) ? 'the value must be a number' : null);
