import { examine } from './examine.ts';
import type { Diagnosis } from './finding.ts';
import type { CliCommand } from '../../platform/cli/command.ts';

const MARK: Readonly<Record<Diagnosis['state'], string>> = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' };

export const command: CliCommand = {
  about: 'Check configuration, data folder, database, event store, clock, file handles, DNS and certificates; print findings and advice',
  run: async ({ output, config }) => {
    const findings = await examine(config, output.json ? () => undefined : output.say);
    output.result({ healthy: healthy(findings), findings }, () => findings.map(lineOf).join('\n'));
    return healthy(findings) ? 0 : 1;
  },
};

const healthy = (findings: readonly Diagnosis[]): boolean => findings.every(({ state }) => state !== 'fail');

const lineOf = ({ state, name, found, advice }: Diagnosis): string =>
  `${MARK[state]}  ${name.padEnd(13)} ${found}${advice === undefined ? '' : `\n      ${' '.repeat(13)} -> ${advice}`}`;
