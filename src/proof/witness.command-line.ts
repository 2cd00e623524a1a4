import { systemContext } from '../platform/commands/context.ts';
import { AddWitnessPeer, RemoveWitnessPeer } from '../history/system.commands.ts';
import { postToOperator } from '../alerts/channels/post.ts';
import { reasonOf } from '../kernel/system-error.ts';
import { parseVerifierKey, parseWitnessKey, type VerifierKey } from '../client/proofs/signed-note.ts';
import { type CliAction, type CliCommand, WrongUse } from '../platform/cli/command.ts';
import { confirm } from '../platform/cli/terminal.ts';
import { WATCH, watched } from '../platform/cli/watched.ts';
import { withParts } from '../app/with-parts.ts';

const context = () => systemContext({ kind: 'cli', id: 'witness' }, Date.now());

const add: CliAction = {
  about:
    'Agree with another installation to witness each other’s log: URL is its address, from which both keys are read. For another witness or log, name the keys',
  args: ['URL'],
  options: {
    key: { type: 'string', value: 'VKEY', about: 'the key of a C2SP witness, of which URL is the submission prefix' },
    log: { type: 'string', value: 'VKEY', about: 'the key of a log to cosign' },
    yes: { type: 'boolean', about: 'do not ask for confirmation' },
  },
  run: ({ input, output, config }) =>
    withParts(config(), output, async ({ commands }) => {
      const address = addressOf(input.args[0] ?? '');
      const [key, log] = [input.text('key'), input.text('log')];
      const isNamed = key !== undefined || log !== undefined;
      const url = isNamed ? address : `${address}/api/witness`;
      const witnessKey = isNamed ? keyOf(key, 'key', parseWitnessKey) : parseWitnessKey(await read(`${address}/api/witness/key`));
      const logKeys = isNamed
        ? [keyOf(log, 'log', parseVerifierKey)].filter((one) => one !== null)
        : (await read(`${address}/api/ledger/key`)).trim().split('\n').map(parseVerifierKey);
      const lines = [
        ...(witnessKey === null ? [] : [`It cosigns this log with ${witnessKey.text}`]),
        ...logKeys.map(({ text }) => `This installation cosigns the log of ${text}`),
      ];
      output.say([`Compare the keys with those that the operator of ${address} gave you:`, ...lines].join('\n'));
      if (!(input.flag('yes') || (await confirm('Are they the same?')))) return 1;
      const peer = { url, witnessKey: witnessKey?.text ?? null, logKeys: logKeys.map(({ text }) => text) };
      await commands.execute(new AddWitnessPeer(context(), { peer }));
      output.result({ ...peer, added: true }, lines.join('\n'));
      return 0;
    }),
};

const remove: CliAction = {
  about: 'End an agreement',
  args: ['URL'],
  run: ({ input, output, config }) =>
    withParts(config(), output, async ({ commands, seal }) => {
      const address = addressOf(input.args[0] ?? '');
      const peer = (await seal.peers()).find(({ url }) => url === address || url === `${address}/api/witness`);
      const removed = peer !== undefined && (await commands.execute(new RemoveWitnessPeer(context(), { url: peer.url })));
      output.result({ url: peer?.url ?? address, removed }, removed ? `Ended: ${peer.url}` : `There is no agreement with ${address}.`);
      return removed ? 0 : 1;
    }),
};

const list: CliAction = {
  about: 'List the agreements, with what each witness has cosigned',
  options: WATCH,
  run: ({ input, output, config }) =>
    withParts(config(), output, ({ seal }) =>
      watched(input, output, async (shown) => {
        const generation = (await seal.store.state())?.generation ?? 0;
        const peers = await Promise.all(
          (await seal.peers()).map(async ({ url, witnessKey, logKeys }) => ({
            url,
            witnessKey: witnessKey?.text ?? null,
            cosigned: witnessKey === null ? null : await seal.cosignatures.sizeKnownTo(witnessKey.text, generation),
            logKeys: logKeys.map(({ text }) => text),
          })),
        );
        shown.result({ key: await seal.witness.verifierKey(), peers }, () =>
          peers
            .map(
              ({ url, cosigned, logKeys }) =>
                `${url}: ${cosigned === null ? 'does not cosign' : `has cosigned ${String(cosigned)} events`}; ${logKeys.length === 0 ? 'is not' : 'is'} cosigned here`,
            )
            .join('\n'),
        );
        return 0;
      }),
    ),
};

const key: CliAction = {
  about: 'Show the key of the cosignatures of this installation',
  run: ({ output, config }) =>
    withParts(config(), output, async ({ seal }) => {
      const verifierKey = await seal.witness.verifierKey();
      output.result({ key: verifierKey }, verifierKey);
      return 0;
    }),
};

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new WrongUse(`URL: "${text}" is not an http or https address`);
  return text.replace(/\/+$/, '');
}

function keyOf(text: string | undefined, option: string, parse: (text: string) => VerifierKey): VerifierKey | null {
  if (text === undefined) return null;
  try {
    return parse(text);
  } catch (error) {
    throw new WrongUse(`--${option}: ${reasonOf(error)}`);
  }
}

async function read(url: string): Promise<string> {
  const reply = await postToOperator()({ method: 'GET', url, body: '', headers: { accept: 'text/plain' } });
  if (reply.kind === 'answered' && reply.status === 200) return reply.body;
  throw new WrongUse(`URL: ${url} answered ${reply.kind === 'answered' ? String(reply.status) : reply.reason}`);
}

export const command: CliCommand = {
  about: 'Have the log cosigned by others, and cosign theirs, so that no reader is shown another history (C2SP tlog-witness)',
  actions: { add, list, remove, key },
};
