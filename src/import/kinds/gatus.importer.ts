import { existsSync, statSync } from 'node:fs';
import { readYaml } from '../../site-files/yaml-text.ts';
import { isObject } from '../../kernel/is-object.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { givenFiles } from '../../site-files/command-line/given-files.ts';
import { type ImportSource, sourceText } from '../import-source.ts';
import type { Importer } from '../importer.ts';
import type { Monitor } from '../monitor.ts';
import { noteMissing } from '../setting-rows.ts';
import { objectsIn, type SourceObject } from '../source-values.ts';
import { labelOfEndpoint, monitorOfEndpoint } from './gatus-endpoint.ts';
import { type GatusContext, windowsOfGatus } from './gatus-maintenance.ts';
import { gatusSettings, GatusVariables } from './gatus-settings.ts';
import { monitorsOfSuite } from './gatus-suite.ts';

/** The configuration of Gatus: a file, or a folder whose files it joins. */
export const gatusImporter: Importer = {
  product: 'Gatus',
  source: 'its configuration: a YAML file, or a folder of them',
  settings: gatusSettings,
  read: (source, given) => {
    const configs: SourceObject[] = [];
    for (const { name, text } of configurationFiles(source)) {
      const { documents, problems } = readYaml(text);
      const [problem] = problems;
      if (problem !== undefined) throw new StartRefused(`${name}:${String(problem.line)}:${String(problem.column)} ${problem.message}`);
      for (const { value } of documents) {
        if (!isObject(value)) throw new StartRefused(`${name}: is not a configuration of Gatus: it must be a mapping`);
        configs.push(value);
      }
    }
    // One file may have what all endpoints of the others obey.
    const maintained = { name: 'the configuration', setting: 'maintenance' };
    const maintenance = configs.flatMap((config) => windowsOfGatus(config['maintenance'], maintained, { ...given, now: source.now }));
    const context = { ...given, now: source.now, maintenance };
    return { monitors: configs.flatMap((config) => monitorsOf(config, source, context)) };
  },
};

const configurationFiles = (source: ImportSource): readonly { readonly name: string; readonly text: string }[] =>
  existsSync(source.name) && statSync(source.name).isDirectory()
    ? givenFiles([source.name])
    : [{ name: source.name, text: sourceText(source) }];

function monitorsOf(config: SourceObject, source: ImportSource, context: GatusContext): readonly Monitor[] {
  const { endpoints, suites, 'external-endpoints': external, ...others } = config;
  noteMissing('the configuration', others, gatusSettings, context.findings);
  for (const one of objectsIn(external)) context.findings.leaveOut(labelOfEndpoint(one), gatusSettings['external-endpoints']?.text ?? '');
  const variables = (): GatusVariables => new GatusVariables(source.env);
  return [
    ...objectsIn(endpoints).flatMap((endpoint) => monitorOfEndpoint(endpoint, variables(), context) ?? []),
    ...objectsIn(suites).flatMap((suite) => monitorsOfSuite(suite, variables, context)),
  ];
}
