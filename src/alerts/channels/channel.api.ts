import { notificationChannels } from '../preferences/preference.settings.ts';
import { confirmation, ConfirmationDto } from '../../accounts/sign-in/authenticate.api.ts';
import { exampleOf } from '../../platform/http/description/example.ts';
import { json, type Operations, why } from '../../platform/http/description/operation.ts';
import { fieldSchemas } from '../../platform/http/validation/input.ts';
import {
  eitherOf,
  type Fields,
  flag,
  integer,
  list,
  named,
  orNull,
  record,
  type Schema,
  text,
  type ValueOf,
  word,
} from '../../platform/http/description/schema.ts';
import { done, instant, objectIdSchema, uuidSchema, nextCursor } from '../../platform/http/description/vocabulary.ts';
import { pagedList, shortList } from '../../platform/http/lists/list.ts';

const channel = word(notificationChannels, 'The channel', { examples: ['slack'] });
const path = { channel };
const address = text('An http or https address', {
  minLength: 1,
  maxLength: 2048,
  writeOnly: true,
  examples: ['https://hooks.example.com/T0/B0'],
});
const secret = (description: string): Schema<string> => text(description, { pattern: '^[\\x21-\\x7e]{1,256}$', writeOnly: true });
const base64url = (description: string): Schema<string> => text(description, { pattern: '^[\\w-]{16,200}={0,2}$', writeOnly: true });

const kept = {
  channel,
  configured: flag('Whether messages can be sent there; of email: whether the service has a mail server and the account is confirmed'),
  setAt: orNull(instant('Time at which it was set; null for e-mail and for a channel that is not set')),
};
const publicKey = text('Of webPush: the key with which a browser subscribes');

const addressConfirmed = flag(
  'Of email with another address: whether that address was confirmed; until then messages go to the address of the account',
);

const previousSecrets = list(
  record('A secret that was replaced', {
    setAt: instant('Time at which it was made'),
    endsAt: instant('Time from which it signs nothing'),
  }),
  'Of webhook: secrets that sign beside the present one until they end',
);

/** docs/spec/decisions.md#N5. */
const channelSchema = named(
  'Channel',
  record('Settings of a channel, without its secrets', kept, { publicKey, addressConfirmed, previousSecrets }),
);
export type ChannelAnswer = ValueOf<typeof channelSchema>;

const channelList = shortList(channelSchema, {
  name: 'channels',
  key: 'channel',
  sorts: ['channel', 'setAt'],
  status: { words: ['configured', 'missing'], of: ({ configured }) => (configured ? 'configured' : 'missing') },
});

const setChannel = named(
  'SetChannel',
  record('Settings after the change', kept, {
    publicKey,
    addressConfirmed,
    previousSecrets,
    secret: text('Of webhook: the key of the signatures, shown only once', { pattern: '^whsec_' }),
  }),
);
export type SetChannelAnswer = ValueOf<typeof setChannel>;

const settingsOf = (name: string, required: Fields, optional: Fields = {}): Schema =>
  record(name, required, { ...optional, ...fieldSchemas(ConfirmationDto) });

/** Read by the channel itself (`src/alerts/channels`), which knows what its service accepts. */
const channelSettings = named(
  'ChannelSettings',
  eitherOf(
    'Settings, by channel',
    settingsOf('email', {}, { address: orNull(text('Another address than that of the account', { maxLength: 254, writeOnly: true })) }),
    settingsOf('slack, webhook', { url: address }),
    settingsOf('pagerduty', { routingKey: secret('Integration key of a service') }),
    settingsOf('pushover', { user: secret('User or group key'), token: secret('Token of an application') }),
    settingsOf('pushbullet', { token: secret('Access token') }),
    settingsOf('webPush', {
      subscription: {
        ...record('The subscription that a browser provides', {
          endpoint: address,
          keys: { ...record('Its keys', { p256dh: base64url('Public key'), auth: base64url('Secret') }), additionalProperties: true },
        }),
        additionalProperties: true,
      },
    }),
  ),
);

const channelTest = named(
  'ChannelTest',
  record('Result of a test message', {
    channel,
    delivered: flag('Whether it was accepted'),
    answer: text('The answer of the receiver', { examples: ['answered 200: ok'] }),
  }),
);
export type ChannelTestAnswer = ValueOf<typeof channelTest>;

const deliveryStatus = ['waiting', 'delivered', 'failed'] as const;
const delivery = named(
  'Delivery',
  record('A message to one channel', {
    id: uuidSchema('The message'),
    projectId: orNull(objectIdSchema('Its project; null of a weekly report and a notice')),
    channel: text('The channel', { enum: notificationChannels, examples: ['slack'] }),
    kind: word(
      ['problem', 'recovery', 'withdrawal', 'report', 'notice'],
      'Kind of message; notice: about the security of the account; a withdrawal closes an incident of a check that is no longer monitored',
    ),
    status: word(deliveryStatus, 'State of the delivery', { examples: ['delivered'] }),
    attempts: integer('Attempts so far', { minimum: 0, examples: [1] }),
    answer: orNull(text('The last answer of the receiver', { examples: ['answered 200: ok'] })),
    createdAt: instant('Time at which it was requested'),
    nextTry: orNull(instant('Time of the next attempt')),
    finishedAt: orNull(instant('Time at which it was delivered or abandoned', '2023-03-23T12:53:21+00:00')),
  }),
);
const deliveryList = named(
  'DeliveryList',
  record('Messages to the caller', { deliveries: list(delivery, 'The newest first'), nextCursor }),
);
export type DeliveryListAnswer = ValueOf<typeof deliveryList>;

const unknown = why('The channel does not exist');

export const channelOperations: Operations = {
  'GET /account/channels': {
    id: 'listChannels',
    tag: 'Account',
    summary: 'List all channels',
    list: channelList,
    answer: json(list(channelSchema, 'Each channel, set or not')),
  },
  'GET /account/channels/:channel': {
    id: 'getChannel',
    tag: 'Account',
    summary: 'Read the settings of a channel',
    path,
    answer: json(channelSchema),
    refusals: { 404: unknown },
  },
  'PUT /account/channels/:channel': {
    id: 'setChannel',
    tag: 'Account',
    summary: 'Set a channel',
    description: 'Addresses and keys are never returned.',
    path,
    body: { schema: channelSettings, example: { url: 'https://hooks.example.com/T0/B0' } },
    answer: json(setChannel),
    refusals: { 404: unknown },
  },
  'DELETE /account/channels/:channel': {
    id: 'removeChannel',
    tag: 'Account',
    summary: 'Remove a channel',
    path,
    body: confirmation,
    answer: done,
    refusals: { 404: unknown },
  },
  'DELETE /account/channels/:channel/previous-secrets': {
    id: 'endPreviousSecrets',
    tag: 'Account',
    summary: 'End the replaced secrets of a webhook at once',
    path,
    body: confirmation,
    answer: done,
    refusals: { 404: why('The channel is no webhook') },
  },
  'POST /account/channels/:channel/test': {
    id: 'testChannel',
    tag: 'Account',
    summary: 'Send a test message',
    path,
    answer: json(channelTest),
    refusals: { 404: unknown, 409: why('The channel is not set up') },
  },
  'GET /account/deliveries': {
    id: 'listDeliveries',
    tag: 'Account',
    summary: 'List the deliveries of messages',
    list: pagedList(delivery, {
      name: 'deliveries',
      member: 'deliveries',
      sorts: ['-createdAt'],
      status: deliveryStatus,
      defaultLimit: 100,
    }),
    answer: json(deliveryList, { deliveries: [exampleOf(delivery, { nextTry: null })] }),
  },
  'POST /account/deliveries/:id/retry': {
    id: 'retryDelivery',
    tag: 'Account',
    summary: 'Retry a failed delivery',
    path: { id: uuidSchema('The message') },
    answer: done,
    refusals: { 404: why('The message does not exist') },
  },
};
