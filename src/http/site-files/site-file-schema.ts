import { eitherOf, list, namedSchemas, openRecord, text } from '../description/schema.ts';
import { inputSchema } from '../validation/input.ts';
import { SiteFile } from './site-file.dto.ts';

/** Resolved before a site is read. */
const TEMPLATES = {
  extends: eitherOf('Templates that the site extends, by name', text('One'), list(text('A name'), 'Several, the last one counts most')),
  templates: openRecord('What several sites have in common, by name: fields of a site, and `extends`'),
};

/** The JSON Schema of a site file, with which editors complete and mark it. */
export function siteFileSchema(): object {
  const schema = inputSchema(SiteFile);
  const whole = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A site of Watchledger',
    ...schema,
    properties: { ...schema.properties, ...TEMPLATES },
    $defs: namedSchemas([schema]),
  };
  return JSON.parse(JSON.stringify(whole).replaceAll('"#/components/schemas/', '"#/$defs/')) as object;
}
