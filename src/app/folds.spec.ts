import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { history } from '../../test/samples/history.ts';
import { catalogue, upcast } from '../events.ts';
import type { EventEntry } from '../kernel/catalogue.ts';
import type { StreamEvent } from '../kernel/event.ts';
import { folds as allFolds } from './folds.ts';
import { together } from '../platform/commands/snapshots/stream-snapshots.ts';
import { decodeState, encodeState } from '../platform/commands/snapshots/postgres-stream-snapshots.ts';

const SOURCES: Readonly<Record<string, string>> = {
  project: 'projects/project.state.ts',
  checklist: 'projects/checks/checklist.decider.ts',
  maintenance: 'projects/maintenance/maintenance.decider.ts',
  preferences: 'alerts/preferences/preference.decider.ts',
  badge: 'overview/badge/badge.decider.ts',
  objective: 'projects/objectives/objective.decider.ts',
  importedUptime: 'watches/imported-uptime/imported-uptime.decider.ts',
  account: 'accounts/account.state.ts',
  verdict: 'checker/verdicts/verdict.state.ts',
  uptime: 'watches/uptime/uptime.state.ts',
  certificate: 'watches/certificate/certificate.decider.ts',
  redirect: 'watches/redirect/redirect.decider.ts',
  corrections: 'checker/corrections/correction.decider.ts',
};
const SOURCE = join(import.meta.dirname, '..');

const emittedFiles = new Map<string, string>();

/** A module as it runs: without types and comments. */
function emitted(file: string): string {
  const known = emittedFiles.get(file);
  if (known !== undefined) return known;
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true, removeComments: true },
  });
  emittedFiles.set(file, outputText);
  return outputText;
}

/** The module and everything of ours that it runs; a fold throws no errors, its neighbours do. */
function closure(file: string, seen = new Map<string, string>()): ReadonlyMap<string, string> {
  if (seen.has(file)) return seen;
  const text = emitted(file);
  seen.set(file, text);
  for (const { fileName } of ts.preProcessFile(text, true).importedFiles)
    if (fileName.startsWith('.') && !fileName.endsWith('/errors.ts')) closure(join(dirname(file), fileName), seen);
  return seen;
}

/** An upcaster comes with a higher version of its event. */
const eventVersions = Object.entries<EventEntry>(catalogue).map(([type, { version }]) => `${type} ${String(version)}`);

function versionOf(name: string): string {
  const modules = [...closure(join(SOURCE, SOURCES[name] ?? ''))].sort(([one], [other]) => (one < other ? -1 : 1));
  const types = new Set(modules.flatMap(([, text]) => [...text.matchAll(/[A-Z][A-Za-z]+/g)].map(([word]) => word)));
  const versions = eventVersions.filter((version) => types.has(version.split(' ', 1)[0] ?? '')).sort();
  const hash = createHash('sha256');
  for (const part of [...modules.map(([, text]) => text), ...versions]) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 12);
}

describe('the version of a fold', () => {
  const folds = Object.values(allFolds.byKind).flat();

  it('is a hash of the source that folds: put the new one into folds.ts, so that snapshots of the former are ignored', () => {
    const versions = Object.fromEntries(folds.map(({ name, version }) => [name, version]));
    expect(versions).toEqual(Object.fromEntries(folds.map(({ name }) => [name, versionOf(name)])));
  });
});

describe('the state of a fold', () => {
  it('survives being stored after every event of a history', () => {
    const [plain, stored] = [new Map<string, readonly unknown[]>(), new Map<string, readonly unknown[]>()];
    let compared = 0;
    // Cast: the folds read what a recorded event has.
    const events = history().map((body, n) => ({
      id: String(n),
      meta: {},
      stream: body.scope,
      ...body,
    })) as unknown as readonly StreamEvent[];
    for (const [kind, folds] of Object.entries(allFolds.byKind)) {
      const { initial, evolve } = together(folds);
      for (const event of events) {
        const key = `${kind} ${event.scope}`;
        const next = (states: readonly unknown[] = initial) => evolve(states, upcast(event));
        plain.set(key, next(plain.get(key)));
        // Cast: `together` makes a list of states.
        stored.set(key, decodeState(encodeState(next(stored.get(key)))) as readonly unknown[]);
        expect(encodeState(stored.get(key))).toBe(encodeState(plain.get(key)));
        if (encodeState(plain.get(key)) !== encodeState(initial)) compared++;
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  it('keeps names that look like tags as names', () => {
    const state = { vars: { $map: [['a', 1]], __proto__2: 1 }, list: [{ $set: [1] }, new Map([['$map', new Set([1])]])] };
    expect(decodeState(encodeState(state))).toEqual(state);
  });

  it('refuses what cannot be stored', () => {
    expect(() => encodeState({ at: new Date(0) })).toThrow('not plain data: Date');
  });
});

it('knows no fold of a stream that stays short', () => {
  expect(allFolds.of('login-1')).toEqual([]);
  expect(allFolds.of('system')).toEqual([]);
  expect(allFolds.of('project-1').map(({ name }) => name)).toContain('checklist');
});
