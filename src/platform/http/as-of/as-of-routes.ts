/** The operations that accept `asOf` (docs/spec/beyond.md#B3) and whose answers follow from the log alone. */
const OF_LOG = [
  'project/:id/simple-status',
  'project/:id/notifications',
  'project/:id/objective',
  'project/:id/imported-uptime',
  'project/:id/maintenance',
  'project/:id/service-accounts',
  'status-pages/:id',
  'status-pages/:id/incidents',
  ...['test', 'tests'].flatMap((test) => [`${test}/:id/uptime`, `${test}/:id/corrections`]),
];

/** Those into which measurements, or what is kept beside the log, enter as well. */
const WITH_MEASUREMENTS = [
  'project/:id',
  'project/:id/areas',
  'project/:id/tests',
  'project/:id/users',
  'project/:id/status',
  'project/:id/uptime',
  'project/:id/responseTimes',
  'project/:id/uptime.svg',
  'project/:id/responseTimes.svg',
  'projects',
  'projects/overview',
  'projects/figures',
  'project/:id/overview',
  'account/deliveries',
  ...['test/:id', 'tests/:id', 'area/:id', 'test/:id/results', 'tests/:id/results'],
];

const routes = (paths: readonly string[]): ReadonlySet<string> => new Set(paths.map((path) => `/api/${path}`));

const [ofLog, all] = [routes(OF_LOG), routes([...OF_LOG, ...WITH_MEASUREMENTS])];

export const answersAsOf = (method: string, route: string): boolean => (method === 'GET' || method === 'HEAD') && all.has(route);

/** Segments of the paths that accept `asOf`; one that stands for an id is null. */
const patterns = [...all].map((route) => route.split('/').map((segment) => (segment.startsWith(':') ? null : segment)));

/** The same by the path of a request. */
export function answersAsOfPath(path: string): boolean {
  const segments = path.replace(/\/$/, '').split('/');
  return patterns.some(
    (pattern) => pattern.length === segments.length && pattern.every((segment, at) => (segment ?? segments[at]) === segments[at]),
  );
}

/** Every route whose answers are functions of the log, and every other one that accepts `asOf`. */
export const asOfRoutes = { ofLog: [...ofLog], withMeasurements: [...all].filter((route) => !ofLog.has(route)) } as const;

/** Whether the answer of a route is a function of the log, the instant and the rights of the caller. */
export const isOfLog = (route: string | undefined): boolean => ofLog.has(route ?? '');
