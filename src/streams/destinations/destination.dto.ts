import { type DestinationKind, destinationKinds } from './destination.settings.ts';
import { eitherOf, integer, text } from '../../platform/http/description/schema.ts';
import { filledText, oneOf, texts } from '../../platform/http/validation/fields.ts';
import { Input, type InputField, Optional, OptionalOrNull, ReadOnly, Required } from '../../platform/http/validation/input.ts';

const POSITION = /^\d{1,15}$/;

const address: InputField<string> = {
  schema: text('An http or https address; the answers show only its host', {
    minLength: 1,
    maxLength: 8192,
    writeOnly: true,
    examples: ['https://events.example.com/watchledger'],
  }),
  accepts: (value) => typeof value === 'string' && value !== '',
  must: 'must be an http or https address',
};

const types = texts('Only events of these types; empty: all', { item: 'A type of event', maxLength: 100, maxItems: 100 });

/** Positions are text in answers, as in the feed. */
const position = (description: string, words: readonly string[]): InputField<string> => ({
  schema: eitherOf(
    description,
    text('As text', { pattern: `^(${['\\d{1,15}', ...words].join('|')})$`, examples: ['4711'] }),
    integer('As a number', { minimum: 0, maximum: 999_999_999_999_999 }),
  ),
  read: (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value),
  accepts: (value) => typeof value === 'string' && (POSITION.test(value) || words.includes(value)),
  must: `must be the position of an event${words.map((word) => `, or ${word}`).join('')}`,
});

const scope = text('`project-…`, `account-…` or `system`', { maxLength: 100, examples: ['project-64f0c2a91b7de35a04c8f612'] });
const SCOPE = /^(project-[0-9a-f]{24}|account-\d{1,15}|system)$/;

const scopes: InputField<string[]> = {
  ...texts('Only events of these projects and accounts; missing: of all', { item: 'A scope', maxLength: 100, maxItems: 100 }),
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every((one) => typeof one === 'string' && SCOPE.test(one)),
  must: 'must be a list of 1 to 100 scopes such as project-64f0c2a91b7de35a04c8f612',
};

const oneScope: InputField<string> = {
  schema: scope,
  accepts: (value) => typeof value === 'string' && SCOPE.test(value),
  must: 'must be a scope such as project-64f0c2a91b7de35a04c8f612',
};

/** Members of answers that a request may send back. */
class ShownFields {
  @ReadOnly() id?: unknown;
  @ReadOnly() host?: unknown;
  @ReadOnly() addedAt?: unknown;
  @ReadOnly() state?: unknown;
}

@Input('DestinationSettings', 'The settings of a destination of a project; an address that is missing stays')
export class DestinationDto extends ShownFields {
  @Required(filledText('Name', 100)) name!: string;
  @Optional(address) url?: string;
  @Optional(types) types: string[] = [];
  @ReadOnly() kind?: unknown;
  @ReadOnly() scopes?: unknown;
}

@Input('InstallationDestinationSettings', 'The settings of a destination of the installation; an address that is missing stays')
export class InstallationDestinationDto extends ShownFields {
  @Required(filledText('Name', 100)) name!: string;
  @Optional(address) url?: string;
  @Optional(types) types: string[] = [];
  @OptionalOrNull(scopes) scopes?: string[] | null;
  @ReadOnly() kind?: unknown;
}

const kind = oneOf('How events are pushed', destinationKinds);
const from = position('The position of the first event; `now` (default): only events from now on; `0`: from the beginning', ['now']);

@Input('NewDestination', 'A destination for the events of a project')
export class NewDestinationDto {
  @Optional(kind) kind: DestinationKind = 'webhook';
  @Required(filledText('Name', 100)) name!: string;
  @Required(address) url!: string;
  @Optional(types) types: string[] = [];
  @Optional(from) from = 'now';
}

@Input('NewInstallationDestination', 'A destination for the events of the installation')
export class NewInstallationDestinationDto extends NewDestinationDto {
  @OptionalOrNull(scopes) scopes?: string[] | null;
}

@Input('Replay', 'From where events are pushed again')
export class ReplayDto {
  @Required(position('The position of the first event that is pushed again', [])) from!: string;
}

@Input('InstallationReplay', 'From where events are pushed again')
export class InstallationReplayDto extends ReplayDto {
  @OptionalOrNull(oneScope) scope?: string | null;
}
