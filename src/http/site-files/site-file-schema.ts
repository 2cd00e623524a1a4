import { namedSchemas } from '../description/schema.ts';
import { inputSchema } from '../validation/input.ts';
import { SiteFile } from './site-file.dto.ts';

/** The JSON Schema of a site file, with which editors complete and mark it. */
export function siteFileSchema(): object {
  const schema = inputSchema(SiteFile);
  const whole = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A site of Watchledger',
    ...schema,
    $defs: namedSchemas([schema]),
  };
  return JSON.parse(JSON.stringify(whole).replaceAll('"#/components/schemas/', '"#/$defs/')) as object;
}
