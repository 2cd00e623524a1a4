import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { recordDurations } from './durations.mjs';
import { root } from './files.mjs';

const SHOWN = 40;
const STARTED = ['services', 'databases', 'clusters', 'browsers', 'commands', 'processes'];
const HEAD = '| file | wall s | cpu s | waited s | services | databases | clusters | browsers | commands | other processes |';

/** What each file and the run cost, as a table in Markdown, from what `.ci/jest/measured.mjs` wrote down. `cpu`: of the whole process tree of the run. */
export function reportOf(file, { wall, cpu, isRelease }) {
  const measured = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
  recordDurations(measured, isRelease);
  const sum = (key) => measured.reduce((total, { [key]: figure = 0 }) => total + figure, 0);
  const row = (name, figures) =>
    `| ${name} | ${[figures.wall, figures.cpu, figures.waited].map((figure) => figure.toFixed(1)).join(' | ')} | ${STARTED.map((key) => figures[key] ?? 0).join(' | ')} |`;
  const files = measured
    .map(({ own, children, ...figures }) => ({ ...figures, cpu: own + children }))
    .toSorted((one, other) => other.wall - one.wall);
  const started = Object.fromEntries(STARTED.map((key) => [key, sum(key)]));
  return [
    ...[HEAD, '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|'],
    row(`**the run: ${files.length} files**`, { wall, cpu, waited: sum('waited'), ...started }),
    ...files.slice(0, SHOWN).map((figures) => row(relative(root, figures.path), figures)),
    row(`${Math.max(0, files.length - SHOWN)} further files`, totalOf(files.slice(SHOWN))),
  ].join('\n');
}

function totalOf(files) {
  const keys = ['wall', 'cpu', 'waited', ...STARTED];
  return Object.fromEntries(keys.map((key) => [key, files.reduce((total, { [key]: figure = 0 }) => total + figure, 0)]));
}
