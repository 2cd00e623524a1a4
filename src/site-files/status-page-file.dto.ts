import { MAX_GROUPS, MAX_ITEMS } from '../status-pages/status-page.settings.ts';
import { StatusPageFields } from '../status-pages/status-page.dto.ts';
import { filledText, matching, object, objects, plainText } from '../platform/http/validation/fields.ts';
import { Input, Optional, Required } from '../platform/http/validation/input.ts';

@Input('StatusPageFileItem', 'What is watched, under a name that outsiders understand: a project or, of it, a group or a check')
export class StatusPageFileItem {
  @Required(filledText('Name', 100)) name!: string;
  @Required(filledText('Key of the project; its id while it has none', 200)) project!: string;
  @Optional(filledText('Key or name of a group: the verdicts of its checks', 200)) group?: string;
  @Optional(filledText('Key or name of a check: its verdicts', 200)) check?: string;
}

@Input('StatusPageFileGroup', 'Items under a heading')
export class StatusPageFileGroup {
  @Optional(plainText('Heading; empty: none', 100)) name = '';
  @Required(objects(StatusPageFileItem, 'Items', MAX_ITEMS, 1)) items!: StatusPageFileItem[];
}

/** docs/spec/beyond.md#B10. */
@Input('StatusPageFile', 'A status page as code, found by its slug; what is left out is as in a new page')
export class StatusPageFile extends StatusPageFields {
  @Optional(
    matching(
      'With access `password`: a reference to it',
      /^\$\{(?:env|file):[^}]+\}$/,
      'must be a reference such as ${env:NAME}, because files are not for passwords',
    ),
  )
  password?: string;
  @Required(objects(StatusPageFileGroup, 'Groups of items', MAX_GROUPS, 1)) groups!: StatusPageFileGroup[];
}

@Input('StatusPageDocument', 'A status page, in a document of its own')
export class StatusPageDocument {
  @Required(object(StatusPageFile)) statusPage!: StatusPageFile;
}
