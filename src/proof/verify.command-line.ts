import type { KeptNote } from './seal/whole-log.ts';
import { asKept, knownCheckpoints } from './command-line/known-checkpoints.ts';
import { readKeys, readNote, readPolicy, verifyFile } from './command-line/verify-file.ts';
import { verifyInstallation } from './command-line/verify-installation.ts';
import type { VerifierKey } from '../client/proofs/signed-note.ts';
import { type CliCommand, type CliInput, type CliOutput, WrongUse } from '../platform/cli/command.ts';
import { verifyStatusPage } from './status-page/verify-status-page.ts';
import { onReplica, withResources } from '../app/with-parts.ts';

const readNotes = (files: string): readonly KeptNote[] => files.split(',').map((name) => ({ name, note: readNote(name) }));

/** Verifies a page of another installation, which needs nothing of this one. */
function verifyPage(address: string, keys: readonly VerifierKey[] | null, input: CliInput, output: CliOutput): Promise<number> {
  if (input.args.length > 0 || input.text('checkpoint') !== undefined || input.flag('measurements'))
    throw new WrongUse('--status-page: not available with FILE, --checkpoint and --measurements');
  const [policyFile, pin = null] = [input.text('policy'), input.text('pin')];
  const policy = policyFile === undefined ? null : readPolicy(policyFile);
  const listed = policy !== null && policy.logs.length > 0 ? policy.logs : null;
  if (listed !== null && keys !== null) throw new WrongUse('--key: not available with a policy that lists logs');
  const trusted = listed ?? keys;
  if (trusted === null && pin === null) throw new WrongUse('--status-page: needs --key, --pin, or a policy that lists logs');
  return verifyStatusPage(address, { keys: trusted, policy, pin }, output);
}

export const command: CliCommand = {
  about:
    'Verify an export, a statement, evidence, a receipt, a proof or the end of an origin, a status page of another installation, or without FILE the whole log of this installation; reports the first event that was changed, removed, inserted or moved',
  args: ['[FILE]'],
  options: {
    key: { type: 'string', value: 'VKEY', about: 'the trusted verifier key; with FILE required, unless a policy lists logs' },
    policy: {
      type: 'string',
      value: 'FILE',
      about: 'a trust policy (C2SP tlog-policy): logs, witnesses, and which of them must have cosigned',
    },
    checkpoint: { type: 'string', value: 'FILE', about: 'a checkpoint kept elsewhere, such as by a witness; several separated by commas' },
    'status-page': {
      type: 'string',
      value: 'URL',
      about: 'a status page of another installation: whether it says what its sealed log says, and what of it cannot be proven',
    },
    pin: {
      type: 'string',
      value: 'FILE',
      about:
        'with --status-page: trust the keys of the first look, which are written here, and require that the log was only extended since the last',
    },
    measurements: { type: 'boolean', about: 'also verify the measurements of closed days and the stored pages' },
  },
  run: async ({ input, output, config }) => {
    const [file] = input.args;
    const keyText = input.text('key');
    const keys = keyText === undefined ? null : readKeys(keyText);
    const checkpoints = input.text('checkpoint');
    const statusPage = input.text('status-page');
    if (statusPage !== undefined) return verifyPage(statusPage, keys, input, output);
    if (input.text('pin') !== undefined) throw new WrongUse('--pin: needs --status-page');
    if (file !== undefined) {
      const policyFile = input.text('policy');
      const policy = policyFile === undefined ? null : readPolicy(policyFile);
      const listsLogs = policy !== null && policy.logs.length > 0;
      if (listsLogs && keys !== null) throw new WrongUse('--key: not available with a policy that lists logs');
      const trusted = listsLogs ? policy.logs : keys;
      if (trusted === null) throw new WrongUse('--key: is required with FILE, unless a policy lists logs');
      if (checkpoints !== undefined) throw new WrongUse('--checkpoint: not available with FILE');
      if (input.flag('measurements')) throw new WrongUse('--measurements: not available with FILE');
      return verifyFile(file, { keys: trusted, policy }, output);
    }
    if (input.text('policy') !== undefined) throw new WrongUse('--policy: needs FILE');
    const kept = checkpoints === undefined ? [] : readNotes(checkpoints);
    const read = config();
    return withResources(read, output, async (resources) => {
      // First, because a checkpoint may be signed meanwhile.
      const known = asKept(await knownCheckpoints(resources, read, output));
      const anchors = { keys, kept: [...kept, ...known] };
      return onReplica(resources, () => verifyInstallation(resources, anchors, input.flag('measurements'), output));
    });
  },
};
