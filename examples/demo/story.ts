import type { RuleCondition } from '../../src/checker/rules/rule.ts';
import type { Fault } from './sites.ts';

/** What the demo tells: the sites, what is checked on them, and what went wrong in the year. Days count back from now. */

export interface StoryCheck {
  readonly name: string;
  readonly path: string;
  readonly rules: readonly Pick<RuleCondition, 'type' | 'op' | 'val'>[];
}

export interface StorySite {
  readonly title: string;
  readonly tags: readonly string[];
  readonly path: string;
  readonly isHttps: boolean;
  readonly milliseconds: number;
  readonly outagesPerYear: number;
  readonly groups: Readonly<Record<string, readonly StoryCheck[]>>;
  readonly members: readonly (readonly [person: Person, role: '4' | '5' | '6'])[];
}

export const people = {
  ada: { name: 'Ada Winter', email: 'ada.winter@demo.example' },
  ben: { name: 'Ben Okafor', email: 'ben.okafor@demo.example' },
  carla: { name: 'Carla Novák', email: 'carla.novak@demo.example' },
} as const;
export type Person = keyof typeof people;

const ok = { type: 'status', op: 'eq', val: '200' } as const;

export const sites = {
  shop: {
    title: 'Alpine Shop',
    tags: ['shop', 'customers'],
    path: '/shop/',
    isHttps: true,
    milliseconds: 118,
    outagesPerYear: 9,
    groups: {
      Shopping: [
        { name: 'Homepage', path: '/shop/', rules: [ok, { type: 'title', op: 'sub', val: 'Alpine Shop' }] },
        { name: 'Trail shoes', path: '/shop/shoes', rules: [ok, { type: 'text', op: 'regex', val: '€ \\d+\\.\\d\\d' }] },
      ],
      Payment: [{ name: 'Checkout', path: '/shop/checkout', rules: [ok, { type: 'html', op: 'xpath', val: '//form//button' }] }],
    },
    members: [['ben', '5']],
  },
  api: {
    title: 'Orders API',
    tags: ['shop', 'API'],
    path: '/api/health',
    isHttps: true,
    milliseconds: 34,
    outagesPerYear: 5,
    groups: { Health: [{ name: 'Queue', path: '/api/health', rules: [ok, { type: 'json:$.status', op: 'eq', val: 'ok' }] }] },
    members: [['ben', '4']],
  },
  accounts: {
    title: 'Customer accounts',
    tags: ['customers'],
    path: '/accounts/',
    isHttps: true,
    milliseconds: 76,
    outagesPerYear: 4,
    groups: { 'Sign-in': [{ name: 'Sign-in form', path: '/accounts/', rules: [ok, { type: 'html', op: 'xpath', val: '//form//input' }] }] },
    members: [['ben', '5']],
  },
  blog: {
    title: 'Blog',
    tags: [],
    path: '/blog/',
    isHttps: false,
    milliseconds: 310,
    outagesPerYear: 26,
    groups: { Articles: [{ name: 'Front page', path: '/blog/', rules: [ok, { type: 'text', op: 'sub', val: 'Packing light' }] }] },
    members: [['carla', '4']],
  },
  docs: {
    title: 'Documentation',
    tags: ['API'],
    path: '/docs/',
    isHttps: true,
    milliseconds: 41,
    outagesPerYear: 2,
    groups: {
      Pages: [
        { name: 'Contents', path: '/docs/', rules: [ok] },
        { name: 'Webhooks', path: '/docs/webhooks', rules: [ok, { type: 'text', op: 'sub', val: 'is signed' }] },
      ],
    },
    members: [['carla', '5']],
  },
  intranet: {
    title: 'Intranet',
    tags: ['internal'],
    path: '/intranet/',
    isHttps: false,
    milliseconds: 205,
    outagesPerYear: 14,
    groups: { Staff: [{ name: 'Start page', path: '/intranet/', rules: [ok, { type: 'text', op: 'sub', val: 'Canteen' }] }] },
    members: [['carla', '6']],
  },
} as const satisfies Record<string, StorySite>;
export type SiteKey = keyof typeof sites;

/** A page of a site was wrong for a while. */
export interface Trouble {
  readonly site: SiteKey;
  readonly path: string;
  readonly fault: Fault;
  readonly daysAgo: number;
  readonly minutes: number;
}

export const troubles: readonly Trouble[] = [
  { site: 'blog', path: '/blog/', fault: 'no database', daysAgo: 341, minutes: 44 },
  { site: 'shop', path: '/shop/checkout', fault: 'error 500', daysAgo: 298, minutes: 18 },
  { site: 'docs', path: '/docs/webhooks', fault: 'moved', daysAgo: 251, minutes: 660 },
  { site: 'api', path: '/api/health', fault: 'degraded', daysAgo: 203, minutes: 55 },
  { site: 'accounts', path: '/accounts/', fault: 'no form', daysAgo: 166, minutes: 31 },
  { site: 'blog', path: '/blog/', fault: 'no database', daysAgo: 122, minutes: 126 },
  { site: 'shop', path: '/shop/shoes', fault: 'no price', daysAgo: 89, minutes: 73 },
  { site: 'api', path: '/api/health', fault: 'degraded', daysAgo: 61, minutes: 24 },
  { site: 'shop', path: '/shop/checkout', fault: 'error 500', daysAgo: 33, minutes: 12 },
  { site: 'blog', path: '/blog/', fault: 'no database', daysAgo: 12, minutes: 38 },
  { site: 'shop', path: '/shop/shoes', fault: 'no price', daysAgo: 4, minutes: 52 },
];

/** Still so when the demo starts; the sites end it a little later. */
export const present = { site: 'blog', path: '/blog/', fault: 'no database', minutesAgo: 25 } as const;

/** A failure of the machine room, which took three sites with it. */
export const failure = { daysAgo: 9, hour: 14.2, minutes: 72, sites: ['shop', 'api', 'accounts'] } as const;

/** Maintenance at night, announced three days before. */
export const maintenance = { everyDays: 45, sites: ['accounts', 'docs'], hour: 2, minutes: 60, downMinutes: 22 } as const;

/** Entered when it was over: a report tells the two apart. */
export const afterwards = { daysAgo: 17, hour: 10, minutes: 40, site: 'intranet' } as const;
