import { eitherOf, list, namedSchemas, openRecord, text } from '../platform/http/description/schema.ts';
import { inputSchema } from '../platform/http/validation/input.ts';
import { SiteFile } from './site-file.dto.ts';
import { StatusPageDocument } from './status-page-file.dto.ts';

/** Resolved before a site is read. */
const TEMPLATES = {
  extends: eitherOf('Templates that the site extends, by name', text('One'), list(text('A name'), 'Several, the last one counts most')),
  templates: openRecord('What several sites have in common, by name: fields of a site, and `extends`'),
};

/** The JSON Schema of a document of a site file, a site or a status page, with which editors complete and mark it. */
export function siteFileSchema(): object {
  const $defs = namedSchemas([inputSchema(SiteFile), inputSchema(StatusPageDocument)]);
  const { required: _, ...site } = $defs['SiteFile'] ?? {};
  const whole = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A site or a status page of Watchledger',
    if: { type: 'object', required: ['statusPage'] },
    then: inputSchema(StatusPageDocument),
    else: {
      ...site,
      properties: { ...site.properties, ...TEMPLATES },
      // A document with templates may be no site, and a template may have what a site leaves out.
      anyOf: [{ required: ['key', 'url'] }, { required: ['templates'] }, { required: ['key', 'extends'] }],
    },
    $defs,
  };
  return JSON.parse(JSON.stringify(whole).replaceAll('"#/components/schemas/', '"#/$defs/')) as object;
}
