import { notificationChannels } from '../../domain/preference/settings.ts';
import { json, may, type Operations, why } from '../description/operation.ts';
import { eitherOf, type Fields, flag, integer, list, orNull, record, ref, type Schema, text, word } from '../description/schema.ts';
import { instant, objectId, success, UUID, uuid, ID } from '../description/vocabulary.ts';

const channel = word(notificationChannels, 'The channel');
const path: Fields = { channel };
const address: Schema = text('An http or https address', {
  minLength: 1,
  maxLength: 2048,
  writeOnly: true,
  examples: ['https://hooks.example.com/T0/B0'],
});
const secret = (description: string): Schema => text(description, { pattern: '^[\\x21-\\x7e]{1,256}$', writeOnly: true });
const base64url = (description: string): Schema => text(description, { pattern: '^[\\w-]{16,200}={0,2}$', writeOnly: true });

const kept = {
  channel,
  configured: flag('Whether messages can go there'),
  setAt: orNull(instant('When it was set; null for e-mail and for what is not set')),
};

/** docs/spec/decisions.md#N5. */
export const channelSchemas = {
  Channel: record('What is set of a channel, never the secret', kept, {
    publicKey: text('Of webPush: the key with which a browser subscribes'),
  }),
  SetChannel: record('What was set', kept, {
    publicKey: text('Of webPush: the key with which a browser subscribes'),
    secret: text('Of webhook: the key of the signatures, shown this once', { pattern: '^whsec_' }),
  }),
  ChannelSettings: eitherOf(
    'What the channel needs',
    record('email', {}, { address: orNull(text('Another address than that of the account', { maxLength: 254, writeOnly: true })) }),
    record('slack, webhook', { url: address }),
    record('pagerduty', { routingKey: secret('Integration key of a service') }),
    record('pushover', { user: secret('User or group key'), token: secret('Token of an application') }),
    record('pushbullet', { token: secret('Access token') }),
    record('webPush', {
      subscription: {
        ...record('As a browser gives it', {
          endpoint: address,
          keys: { ...record('Its keys', { p256dh: base64url('Public key'), auth: base64url('Secret') }), additionalProperties: true },
        }),
        additionalProperties: true,
      },
    }),
  ),
  ChannelTest: record('What came of a first message', {
    channel,
    delivered: flag('Whether it was taken'),
    answer: text('What the other side said'),
  }),
  DeliveryList: record('Messages to the caller', { deliveries: list(ref('Delivery'), 'The newest first, 100 at most') }),
  Delivery: record('A message to one channel', {
    id: uuid('The message'),
    projectId: orNull(objectId('What it is about; null of a weekly report')),
    channel,
    kind: word(
      ['problem', 'recovery', 'withdrawal', 'report'],
      'What it tells; withdrawal closes an incident of what is watched no longer',
    ),
    status: word(['waiting', 'delivered', 'failed'], 'What became of it'),
    attempts: integer('Tries so far', { minimum: 0 }),
    answer: orNull(text('What the other side last said')),
    createdAt: instant('When it was asked for'),
    nextTry: orNull(instant('When it is tried again')),
    finishedAt: orNull(instant('When it arrived or was given up')),
  }),
} satisfies Readonly<Record<string, Schema>>;

const slack = { channel: 'slack', configured: true, setAt: '2023-03-23T12:53:20+00:00' };
const unknown = why('There is no such channel');

export const channelOperations: Operations = {
  'GET /account/channels': {
    id: 'listChannels',
    tag: 'Account',
    summary: 'All channels',
    answer: json(list(ref('Channel'), 'Each, set or not'), [slack]),
  },
  'GET /account/channels/:channel': {
    id: 'getChannel',
    tag: 'Account',
    summary: 'What is set of a channel',
    path,
    answer: json(ref('Channel'), slack),
    refusals: { 404: unknown },
  },
  'PUT /account/channels/:channel': {
    id: 'setChannel',
    tag: 'Account',
    summary: 'Set a channel',
    description: 'Addresses and keys go in and never come out.',
    path,
    body: { schema: ref('ChannelSettings'), example: { url: 'https://hooks.example.com/T0/B0' } },
    answer: json(ref('SetChannel'), slack),
    refusals: { 404: unknown },
  },
  'DELETE /account/channels/:channel': {
    id: 'removeChannel',
    tag: 'Account',
    summary: 'Remove a channel',
    path,
    answer: json(ref('Success'), success),
    refusals: { 404: unknown },
  },
  'POST /account/channels/:channel/test': {
    id: 'testChannel',
    tag: 'Account',
    summary: 'Send a first message',
    path,
    answer: json(ref('ChannelTest'), { channel: 'slack', delivered: true, answer: 'answered 200: ok' }),
    refusals: { 404: unknown, 409: why('The channel is not set up') },
  },
  'GET /account/deliveries': {
    id: 'listDeliveries',
    tag: 'Account',
    summary: 'What became of messages',
    query: { status: may(word(['waiting', 'delivered', 'failed'], 'Only these')) },
    answer: json(ref('DeliveryList'), {
      deliveries: [
        {
          ...{ id: UUID, projectId: ID, channel: 'slack', kind: 'problem', status: 'delivered', attempts: 1, answer: 'answered 200: ok' },
          ...{ createdAt: '2023-03-23T12:53:20+00:00', nextTry: null, finishedAt: '2023-03-23T12:53:21+00:00' },
        },
      ],
    }),
  },
  'POST /account/deliveries/:id/retry': {
    id: 'retryDelivery',
    tag: 'Account',
    summary: 'Try again what was given up',
    path: { id: uuid('The message') },
    answer: json(ref('Success'), success),
    refusals: { 404: why('There is no such message') },
  },
};
