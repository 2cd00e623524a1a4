import {
  draftsOnly,
  HOST_NAME,
  incidentStates,
  type IncidentState,
  MAX_GROUPS,
  MAX_HOSTS,
  MAX_ITEMS,
  SLUG,
  type StatusGroup,
  type StatusPageAccess,
  statusPageAccesses,
  type StatusPageLanguage,
  statusPageLanguages,
  type StatusPageSettings,
  contrastOf,
  isColor,
  PAPER,
  SMALLEST_CONTRAST,
} from './status-page.settings.ts';
import { list, text, word } from '../platform/http/description/schema.ts';
import {
  filledText,
  idOf,
  matching,
  nullable,
  object,
  objects,
  oneOf,
  password,
  plainText,
  whole,
  yesOrNo,
} from '../platform/http/validation/fields.ts';
import { InlineInput, Input, type InputField, Optional, OptionalOrNull, ReadOnly, Required } from '../platform/http/validation/input.ts';

const color = (theme: 'light' | 'dark'): InputField<string> => ({
  schema: text(`On a ${theme} page; null: that of the product`, {
    pattern: '^#[0-9a-f]{6}$',
    examples: [theme === 'light' ? '#1f4e5f' : '#9fc6d6'],
  }),
  read: (value) => (typeof value === 'string' ? value.toLowerCase() : value),
  accepts: (value) => typeof value === 'string' && isColor(value) && contrastOf(value, PAPER[theme]) >= SMALLEST_CONTRAST,
  must: (value) =>
    typeof value === 'string' && isColor(value)
      ? `has a contrast of ${contrastOf(value, PAPER[theme]).toFixed(1)} to the page; ${String(SMALLEST_CONTRAST)} is needed to read it`
      : 'must be a colour such as #1f4e5f',
});

const target = (description: string): InputField<string> => idOf(description, 'must be an id of 24 hexadecimal digits');

export const statusPagePassword = password('With access `password`; null removes it', 8, 200);

@Input('StatusItemInput', 'What is watched, under a name that outsiders understand; exactly one of project, group and check')
export class StatusItemInput {
  @Required(filledText('Name', 100)) name!: string;
  @Optional(target('A project: the uptime of its site')) project?: string;
  @Optional(target('A group: the verdicts of its checks')) group?: string;
  @Optional(target('A check: its verdicts')) check?: string;
}

@Input('StatusGroupInput', 'Items under a heading')
export class StatusGroupInput {
  @Optional(plainText('Heading; empty: none', 100)) name = '';
  @Required(objects(StatusItemInput, 'Items', MAX_ITEMS, 1)) items!: StatusItemInput[];
}

@InlineInput('Texts of its own')
export class StatusWordsInput {
  @Optional(plainText('Below the state', 1_000, { examples: [''] })) about = '';
  @Optional(plainText('At the end', 1_000, { examples: [''] })) footer = '';
}

@InlineInput('The colour of links')
export class StatusColorsInput {
  @OptionalOrNull(nullable(color('light'))) light?: string | null;
  @OptionalOrNull(nullable(color('dark'))) dark?: string | null;
}

@InlineInput('What the service does by itself when an item fails')
export class AutomaticIncidentsInput {
  @Optional(yesOrNo('Draft an incident', { default: draftsOnly.draft })) draft = draftsOnly.draft;
  @OptionalOrNull(nullable(whole('Publish the draft of a failure that has lasted so many minutes; null: people publish', 1, 1_440)))
  publishAfterMinutes?: number | null;
  @Optional(yesOrNo('Resolve what it drafted when the item has recovered', { default: draftsOnly.resolve })) resolve = draftsOnly.resolve;
}

const languages: InputField<StatusPageLanguage[]> = {
  schema: list(word(statusPageLanguages, 'A language'), 'Languages; the first one is shown where the reader asks for no other', {
    minItems: 1,
    maxItems: statusPageLanguages.length,
    examples: [['en', 'cs']],
  }),
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((one) => statusPageLanguages.some((known) => known === one)),
  must: `must list each of these at most once: ${statusPageLanguages.join(', ')}`,
};

/** The settings of a page without its items, which a request and a site file name differently. */
@InlineInput('The settings of a status page')
export class StatusPageFields {
  @Required(
    matching('In the address: `/status/{slug}`', SLUG, 'must be 1 to 63 lower-case letters, digits and hyphens', { examples: ['example'] }),
  )
  slug!: string;
  @Required(filledText('Title', 100, { examples: ['Example Shop'] })) title!: string;
  @Optional(oneOf('Who may see it', statusPageAccesses, { default: 'public' })) access: StatusPageAccess = 'public';
  @Optional(languages) languages: StatusPageLanguage[] = ['en'];
  @Optional(object(StatusWordsInput)) words: StatusWordsInput = new StatusWordsInput();
  @Optional(object(StatusColorsInput)) colors: StatusColorsInput = new StatusColorsInput();
  @Optional(object(AutomaticIncidentsInput)) automatic: AutomaticIncidentsInput = new AutomaticIncidentsInput();
}

@Input('StatusPageInput', 'A status page; a PUT replaces it, and only the password that is missing stays')
export class StatusPageDto extends StatusPageFields {
  @OptionalOrNull(nullable(statusPagePassword)) password?: string | null;
  @Required(objects(StatusGroupInput, 'Groups of items', MAX_GROUPS, 1)) groups!: StatusGroupInput[];
  @ReadOnly() id?: unknown;
  @ReadOnly() url?: unknown;
  @ReadOnly() hasPassword?: unknown;
  @ReadOnly() hosts?: unknown;
  @ReadOnly() createdAt?: unknown;
  @ReadOnly() changedAt?: unknown;
}

/** What a request or a file says, with the items that it names. */
export const statusPageSettings = (
  { slug, title, access, languages: spoken, words: own, colors, automatic }: StatusPageFields,
  groups: readonly StatusGroup[],
): StatusPageSettings => ({
  slug,
  title,
  access,
  languages: spoken,
  groups,
  words: { about: own.about, footer: own.footer },
  colors: { light: colors.light ?? null, dark: colors.dark ?? null },
  automatic: { draft: automatic.draft, publishAfterMinutes: automatic.publishAfterMinutes ?? null, resolve: automatic.resolve },
});

const words = plainText('What outsiders read, as plain text', 4_000, {}, 1);
const state = oneOf('State', incidentStates);

const itemIds: InputField<string[]> = {
  schema: list(text('Id of the project, group or check'), 'Items of the page that it is about', { maxItems: MAX_ITEMS }),
  accepts: (value) =>
    Array.isArray(value) && value.length <= MAX_ITEMS && value.every((one) => typeof one === 'string' && one.length <= 24),
  must: `must be a list of at most ${String(MAX_ITEMS)} ids of items of the page`,
};

@Input('NewIncident', 'An incident')
export class NewIncidentDto {
  @Required(filledText('Title', 200)) title!: string;
  @Required(words) text!: string;
  @Optional(oneOf('State', incidentStates, { default: 'investigating' })) state: IncidentState = 'investigating';
  @Optional(itemIds) items: string[] = [];
  @Optional(yesOrNo('Shown only to those who may edit the page, until it is published', { default: false })) draft = false;
}

@Input('IncidentDraft', 'The draft of an incident; it replaces the one before')
export class IncidentDraftDto {
  @Required(filledText('Title', 200)) title!: string;
  @Required(words) text!: string;
  @Optional(oneOf('State', incidentStates, { default: 'investigating' })) state: IncidentState = 'investigating';
  @Optional(itemIds) items: string[] = [];
}

@Input('NewIncidentUpdate', 'An update of an incident')
export class NewIncidentUpdateDto {
  @Required(words) text!: string;
  @Required(state) state!: IncidentState;
}

@Input('IncidentUpdateEdit', 'Another wording of an update; the page shows both')
export class IncidentUpdateEditDto {
  @Required(words) text!: string;
}

@Input('SubscriberRemoval', 'The subscriber that is removed')
export class SubscriberRemovalDto {
  @Required(filledText('E-mail address, or address of the webhook', 1_000)) address!: string;
}

const hostNames: InputField<string[]> = {
  schema: list(text('A host name', { examples: ['status.example.com'] }), 'Host names that answer with this page alone', {
    maxItems: MAX_HOSTS,
  }),
  read: (value) => (Array.isArray(value) ? value.map((one: unknown) => (typeof one === 'string' ? one.toLowerCase() : one)) : value),
  accepts: (value) =>
    Array.isArray(value) && value.length <= MAX_HOSTS && value.every((one) => typeof one === 'string' && HOST_NAME.test(one)),
  must: `must be a list of at most ${String(MAX_HOSTS)} host names such as status.example.com`,
};

@Input('StatusPageHosts', 'The host names of a status page; they replace those before')
export class StatusPageHostsDto {
  @Required(hostNames) hosts!: string[];
}
