import { type Period, periods, type UptimePeriod, uptimePeriods } from '../projects/project.settings.ts';
import { LONGEST_TAG, MOST_TAGS } from '../projects/tags.ts';
import { isUrl } from '../kernel/url.ts';
import { checkOfMonitor } from './check-of-monitor.ts';
import type { ImportedHistory } from './counted-days.ts';
import { type ImportFindings, withoutSignIn } from './findings.ts';
import { importKey } from './import-key.ts';
import { labelOf, type Monitor } from './monitor.ts';
import type { ImportedWindow } from './maintenance-windows.ts';
import type { SourceSecrets } from './source-secrets.ts';
import type { ImportedCheck, ImportedGroup, ImportedSite } from './imported-site.ts';
import { mayBeUp, readStatusRange, type StatusRange } from './status-rules.ts';
import { UniqueNames } from './unique-names.ts';
import { secondsBetweenStarts } from '../projects/areas/area.settings.ts';

/** The shortest period of a check; also the longest interval of a source that becomes an uptime probe. */
const SHORTEST_PERIOD_SECONDS = 300;

const PERIODS = periods.flatMap((period) => {
  const seconds = secondsBetweenStarts('true', period);
  return seconds === null ? [] : [{ period, seconds }];
});
const UPTIME = uptimePeriods.filter((period) => period !== 'false').toSorted((one, other) => Number(one) - Number(other));
const LONGEST_UPTIME: UptimePeriod = '60';

const nearest = <Choice>(choices: readonly Choice[], distance: (choice: Choice) => number): Choice =>
  choices.reduce((best, choice) => (distance(choice) < distance(best) ? choice : best));

/** By ratio: 2 hours are nearer to 1 hour than to 8. */
const nearestPeriod = (seconds: number): { readonly period: Period; readonly seconds: number } =>
  nearest(PERIODS, (choice) => Math.abs(Math.log(choice.seconds / seconds)));

/** The next longer one, because a plan may forbid to probe more often than before; else the longest. */
const uptimePeriodFor = (seconds: number): UptimePeriod => UPTIME.find((period) => Number(period) >= seconds) ?? LONGEST_UPTIME;

/** Such as `20 s`, `5 minutes`, `1.5 hours`. */
function spelledSeconds(seconds: number): string {
  const [unit, size] =
    seconds < 120 ? ['s', 1] : seconds < 7_200 ? ['minutes', 60] : seconds < 172_800 ? ['hours', 3_600] : (['days', 86_400] as const);
  return `${String(Math.round((seconds / size) * 10) / 10)} ${unit}`;
}

/** What a site may have at most (src/projects/checks/check.decider.ts), and what a site file can hold of it. */
const [MAX_CHECKS, MAX_GROUPS, MAX_BYTES] = [2_000, 200, 900_000];
const MAX_WINDOWS = 200;
const MAX_TIMEOUT = 60;

interface Placed {
  readonly monitor: Monitor;
  readonly url: URL;
}

interface Context {
  readonly kind: string;
  readonly findings: ImportFindings;
  readonly secrets: SourceSecrets;
  /** The histories of the sites, by their keys. */
  readonly histories: Map<string, ImportedHistory>;
}

/** One site for each host, with the monitors of its addresses as checks. */
export function sitesOfMonitors(monitors: readonly Monitor[], context: Context): readonly ImportedSite[] {
  const hosts = new Map<string, Placed[]>();
  const ids = new UniqueNames();
  for (const { id } of monitors) if (!isSignIn(id)) ids.take(id);
  for (const given of monitors) {
    const placed = place(withoutSecrets(given, ids), context.findings);
    if (placed === null) continue;
    const host = placed.monitor.siteHost ?? placed.url.host;
    const others = hosts.get(host);
    if (others === undefined) hosts.set(host, [placed]);
    else others.push(placed);
  }
  return [...hosts].flatMap(([host, placed]) =>
    portions(placed).map((portion, index) => siteOf(index === 0 ? host : `${host} ${String(index + 1)}`, portion, context)),
  );
}

/** Ids become keys, which stand in the log for ever, and names are read by everybody: neither keeps the user information of an address. */
function withoutSecrets(monitor: Monitor, ids: UniqueNames): Monitor {
  const { id, name, group } = monitor;
  return {
    ...monitor,
    id: isSignIn(id) ? ids.take(withoutSignIn(id)) : id,
    name: withoutSignIn(name),
    ...(group !== undefined && { group: { id: withoutSignIn(group.id), name: withoutSignIn(group.name) } }),
  };
}

const isSignIn = (text: string): boolean => withoutSignIn(text) !== text;

/** The user information of an address is a sign-in here. */
function place(monitor: Monitor, findings: ImportFindings): Placed | null {
  const text = monitor.url.trim();
  const url = isUrl(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    findings.leaveOut(labelOf(monitor), 'its address is not one of http or https');
    return null;
  }
  const { username, password } = url;
  url.username = url.password = url.hash = '';
  const isSignedIn = monitor.signIn !== undefined || username === '';
  return { url, monitor: isSignedIn ? monitor : { ...monitor, signIn: { user: decoded(username), password: decoded(password) } } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** More than a site may have become several sites. */
function portions(placed: readonly Placed[]): readonly (readonly Placed[])[] {
  const all: Placed[][] = [];
  let [current, groups, bytes]: [Placed[], Set<string>, number] = [[], new Set(), 0];
  for (const one of placed) {
    // What the site has once, or beside its file, does not count.
    const { history: _, maintenance: __, ...own } = one.monitor;
    const size = JSON.stringify(own).length + 200;
    const isFull = current.length >= MAX_CHECKS || bytes + size > MAX_BYTES || (groups.size >= MAX_GROUPS && !groups.has(groupIdOf(one)));
    if (isFull) {
      all.push(current);
      [current, groups, bytes] = [[], new Set(), 0];
    }
    current.push(one);
    groups.add(groupIdOf(one));
    bytes += size;
  }
  return [...all, current];
}

function siteOf(host: string, placed: readonly Placed[], context: Context): ImportedSite {
  const origin = originOf(placed);
  const period = usualPeriod(placed);
  const uptime = uptimeOf(placed);
  sayHowOften(placed, uptime, context.findings);
  const key = importKey(context.kind, host.replaceAll(/[ :]+/g, '-'));
  keepHistory(key, placed, uptime, context);
  const [only] = placed.length === 1 ? placed : [];
  const timeout = timeoutOf(placed, context.findings);
  const days = placed.flatMap(({ monitor }) => monitor.certificateDays ?? []);
  const locations = new Set(placed.flatMap(({ monitor }) => monitor.location ?? []));
  const [location] = locations;
  const tags = tagsOf(placed, context.findings);
  const maintenance = maintenanceOf(placed, context.findings);
  return {
    key,
    url: origin,
    title: only?.monitor.name ?? host,
    ...(tags.length > 0 && { tags }),
    ...(period !== null && { period }),
    ...(uptime !== null && { uptimeEnabled: uptime.period }),
    ...(uptime !== null && uptime.url !== '' && uptime.url !== `${origin}/` && { uptimeUrl: uptime.url }),
    ...(location !== undefined && { location }),
    ...(timeout !== null && { timeout }),
    ...(days.length > 0 && { sslAlertPeriod: Math.max(...days) }),
    groups: groupsOf(placed, origin, period, context),
    ...(maintenance.length > 0 && { maintenance }),
  };
}

/** A window here mutes a whole site: only what all of its monitors have becomes one. */
function maintenanceOf(placed: readonly Placed[], findings: ImportFindings): readonly ImportedWindow[] {
  const running = placed.filter(({ monitor }) => monitor.isPaused !== true);
  const counted = running.length > 0 ? running : placed;
  const windows = new Map<string, { readonly window: ImportedWindow; count: number }>();
  for (const { monitor } of counted)
    for (const [text, window] of new Map(monitor.maintenance?.map((one) => [JSON.stringify(one), one])))
      windows.set(text, { window, count: (windows.get(text)?.count ?? 0) + 1 });
  const whole = [...windows].filter(([, { count }]) => count === counted.length).map(([text]) => text);
  const kept = new Set(whole.slice(0, MAX_WINDOWS));
  const isWhole = new Set(whole);
  for (const { monitor } of counted)
    for (const window of monitor.maintenance ?? []) {
      const text = JSON.stringify(window);
      if (kept.has(text)) continue;
      const reason = isWhole.has(text)
        ? `a site has at most ${String(MAX_WINDOWS)} windows`
        : 'a window is of a whole site, and other checks of the site do not have it';
      findings.miss(labelOf(monitor), `maintenance ${window.note}: ${reason}`);
    }
  return [...kept].flatMap((text) => windows.get(text)?.window ?? []);
}

/** A site has the tags of all of its monitors. */
function tagsOf(placed: readonly Placed[], findings: ImportFindings): readonly string[] {
  const tags = new Map<string, string>();
  for (const { monitor } of placed)
    for (const given of monitor.tags ?? []) {
      const tag = given.replaceAll(/[,\s]+/g, ' ').trim();
      const isNew = !tags.has(tag.toLowerCase());
      if (tag === '') continue;
      if (tag.length > LONGEST_TAG || (isNew && tags.size >= MOST_TAGS))
        findings.miss(
          labelOf(monitor),
          `tags: ${tag}: a site has at most ${String(MOST_TAGS)}, of at most ${String(LONGEST_TAG)} characters`,
        );
      else if (isNew) tags.set(tag.toLowerCase(), tag);
    }
  return [...tags.values()];
}

/** That of the https addresses where a host has both. */
function originOf(placed: readonly Placed[]): string {
  return (placed.find(({ url }) => url.protocol === 'https:') ?? placed[0])?.url.origin ?? '';
}

const periodOf = ({ monitor }: Placed): Period | null =>
  monitor.everySeconds === undefined ? null : nearestPeriod(monitor.everySeconds).period;

/** The most frequent one; null where no monitor has any: as in a new project. */
function usualPeriod(placed: readonly Placed[]): Period | null {
  const counts = new Map<Period, number>();
  for (const period of placed.flatMap((one) => periodOf(one) ?? [])) counts.set(period, (counts.get(period) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

interface Uptime {
  readonly period: UptimePeriod;
  readonly url: string;
  readonly monitor: Monitor | null;
}

/** The most frequent monitor says whether the site is up. */
function uptimeOf(placed: readonly Placed[]): Uptime | null {
  if (placed.every(({ monitor }) => monitor.everySeconds === undefined)) return null;
  const [best] = placed
    .flatMap(({ monitor, url }) => {
      const { everySeconds = Infinity, isPaused = false, method = 'GET', uses = [] } = monitor;
      const isProbe =
        uses.length === 0 &&
        !isPaused &&
        everySeconds <= SHORTEST_PERIOD_SECONDS &&
        /^(?:GET|HEAD)$/.test(method) &&
        mayBeUp(wantedStatuses(monitor));
      return isProbe ? [{ monitor, url, everySeconds }] : [];
    })
    .toSorted((a, b) => a.everySeconds - b.everySeconds);
  if (best === undefined) return { period: 'false', url: '', monitor: null };
  return { period: uptimePeriodFor(best.everySeconds), url: best.url.href, monitor: best.monitor };
}

/** The statuses of rules that ask for one status; others admit pages that answer as pages usually do. */
const wantedStatuses = ({ rules }: Monitor): readonly StatusRange[] =>
  rules.flatMap(({ type, op, val }) => (type === 'status' && op === 'eq' ? (readStatusRange(val) ?? []) : []));

function sayHowOften(placed: readonly Placed[], uptime: Uptime | null, findings: ImportFindings): void {
  for (const { monitor } of placed) {
    const { everySeconds } = monitor;
    if (everySeconds === undefined) continue;
    const rules = nearestPeriod(everySeconds);
    const isProbe = uptime !== null && monitor === uptime.monitor;
    if (!isProbe && rules.seconds === everySeconds) continue;
    const every = `every ${spelledSeconds(everySeconds)}`;
    const becomes = isProbe ? `its address is probed every ${uptime.period} s and its rules are checked` : 'its rules are checked';
    findings.change(labelOf(monitor), `${every}: ${becomes} every ${rules.period}`);
  }
}

/** A site has the history of the monitor that says whether it is up. */
function keepHistory(key: string, placed: readonly Placed[], uptime: Uptime | null, { findings, histories }: Context): void {
  const chosen = uptime?.monitor ?? placed.find(({ monitor }) => monitor.history !== undefined)?.monitor;
  if (chosen?.history !== undefined) histories.set(key, chosen.history);
  for (const { monitor } of placed)
    if (monitor !== chosen && monitor.history !== undefined) findings.miss(labelOf(monitor), 'history: a site has that of one monitor');
}

/** A site has one timeout: that of its slowest monitor. */
function timeoutOf(placed: readonly Placed[], findings: ImportFindings): number | null {
  const wanted = placed.flatMap(({ monitor }) => (monitor.timeoutSeconds === undefined ? [] : [Math.ceil(monitor.timeoutSeconds)]));
  if (wanted.length === 0) return null;
  const timeout = Math.min(MAX_TIMEOUT, Math.max(1, ...wanted));
  for (const { monitor } of placed)
    if (monitor.timeoutSeconds !== undefined && monitor.timeoutSeconds !== timeout)
      findings.change(
        labelOf(monitor),
        `a timeout of ${spelledSeconds(monitor.timeoutSeconds)}: ${String(timeout)} s, of all checks of a site`,
      );
  return timeout;
}

const PUBLIC = { id: 'public', name: 'Public' };

/** A group has one schedule and one sign-in. */
function groupIdOf(placed: Placed): string {
  const { group = PUBLIC, signIn } = placed.monitor;
  return [group.id, ...(signIn === undefined ? [] : [`as-${signIn.user}`, placed.url.origin]), periodOf(placed) ?? ''].join(' ');
}

function groupsOf(placed: readonly Placed[], origin: string, usual: Period | null, context: Context): readonly ImportedGroup[] {
  const members = new Map<string, Placed[]>();
  for (const one of placed) {
    const others = members.get(groupIdOf(one));
    if (others === undefined) members.set(groupIdOf(one), [one]);
    else others.push(one);
  }
  const [groupNames, checkNames] = [new UniqueNames(), new UniqueNames()];
  return [...members.values()].flatMap((inGroup): readonly ImportedGroup[] => {
    const checks = inGroup.flatMap(({ monitor, url }): readonly ImportedCheck[] => {
      const check = checkOfMonitor(monitor, url.origin === origin ? asWritten(url).slice(origin.length) : asWritten(url), context);
      return check === null ? [] : [{ ...check, name: checkNames.take(check.name) }];
    });
    const [first] = inGroup;
    return first === undefined || checks.length === 0 ? [] : [{ ...groupOf(first, origin, usual, groupNames, context), checks }];
  });
}

/** The parser encodes the braces around names of values. */
const asWritten = ({ href }: URL): string => href.replaceAll(/%7B%7B(\w+)%7D%7D/g, '{{$1}}');

function groupOf(
  first: Placed,
  origin: string,
  usual: Period | null,
  names: UniqueNames,
  { kind, secrets }: Context,
): Omit<ImportedGroup, 'checks'> {
  const { group = PUBLIC, signIn } = first.monitor;
  const period = periodOf(first);
  const isUnusual = period !== null && period !== usual;
  const name = [group.name, ...(signIn === undefined ? [] : [`as ${signIn.user}`]), ...(isUnusual ? [`every ${period}`] : [])].join(', ');
  const id = [group.id, ...(signIn === undefined ? [] : [`as ${signIn.user}`]), ...(isUnusual ? [period] : [])]
    .join(' ')
    .replaceAll(' ', '-');
  return {
    key: importKey(kind, id),
    name: names.take(name),
    ...(isUnusual && { period }),
    ...(signIn !== undefined && {
      public: false,
      httpAuth: {
        user: signIn.user,
        password: secrets.reference([kind, first.url.host, signIn.user, 'password'], signIn.password),
        ...(first.url.origin !== origin && { url: first.url.origin }),
      },
    }),
  };
}
