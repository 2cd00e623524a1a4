import { openRecord, text } from '../platform/http/description/schema.ts';
import { filledText, matching, objects, oneOf, yesOrNo } from '../platform/http/validation/fields.ts';
import { isObject } from '../kernel/is-object.ts';
import { Input, type InputField, Optional, Required } from '../platform/http/validation/input.ts';

const MAX_FILES = 500;
const MAX_BYTES = 1024 * 1024;

const fileText: InputField<string> = {
  schema: text('YAML or JSON', { maxLength: MAX_BYTES }),
  accepts: (given) => typeof given === 'string' && given.length <= MAX_BYTES,
  must: 'must be text of at most 1 MiB',
};

/** Texts by name. */
const textsByName = (description: string): InputField<Readonly<Record<string, string>>> => ({
  schema: openRecord(description),
  accepts: (given) => isObject(given) && Object.values(given).every((value) => typeof value === 'string'),
  must: 'must be an object of texts',
});

@Input('SiteFileText', 'A site file')
export class SiteFileText {
  @Required(filledText('Name, for messages and for the history', 200)) name!: string;
  @Required(fileText) text!: string;
  @Optional(textsByName('Values of the references in its secret fields, such as `env:NAME`')) secrets: Readonly<Record<string, string>> =
    {};
}

/** docs/spec/beyond.md#B10. */
@Input('SitePlanRequest', 'Site files')
export class PlanSitesDto {
  @Required(objects(SiteFileText, 'Site files', MAX_FILES, 1)) files!: SiteFileText[];
  @Optional(
    oneOf('Which groups and checks are deleted that no file has: none, at most a fifth of them, or all', ['none', 'some', 'all'], {
      default: 'none',
    }),
  )
  prune: 'none' | 'some' | 'all' = 'none';
  @Optional(yesOrNo('Secrets whose references have no value stay as they are', { default: false })) keepSecrets = false;
  @Optional(
    matching(
      'Of a plan: judge kept pages of so many days by the changed rules',
      /^(?:[1-9]\d{0,2})d$/,
      'must be a number of days such as 30d',
    ),
  )
  history?: string;
}

@Input('SiteApplyRequest', 'Site files, and the plans to carry out')
export class ApplySitesDto extends PlanSitesDto {
  @Required(textsByName('The `plan` of each project that is to be changed, by its key')) plans!: Readonly<Record<string, string>>;
  @Optional(matching('The commit that the files are of', /^[0-9a-f]{7,64}$/, 'must be 7 to 64 hexadecimal digits')) commit?: string;
}
