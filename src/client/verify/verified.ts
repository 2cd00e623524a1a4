import { checkReceipt, type CheckedReceipt } from '../proofs/receipt/check-receipt.ts';
import { receiptOfAnswer } from '../proofs/receipt/receipt-of-answer.ts';
import { isInnerList, parseDictionary } from '../proofs/receipt/structured-field.ts';
import type { NoteKey } from './note-signatures.ts';
import type { UntypedOptions, WatchledgerClient } from '../client.ts';
import type { ReceivedBytes } from '../transport.ts';
import type { Arguments, DataOf, OptionsOf, PathOf, Schemas } from '../types.ts';
import { NotVerified } from './platform.ts';
import { receiptCrypto } from './verify-crypto.ts';
import { type VerifiedEvent, verifyProof } from './verify-proof.ts';

/** An answer that a given key signed. */
export interface VerifiedAnswer<Data> {
  readonly data: Data;
  /** The file that `watchledger verify` and `watchledger recompute` read: keep it as evidence. */
  readonly receipt: string;
  /** The position of the log that the answer stands on. */
  readonly position: number;
  /** What it is a statement of, "now" in it, and the account that asked. */
  readonly statement: CheckedReceipt<NoteKey>['statement'];
  readonly signedBy: readonly string[];
}

type SignedOptions<Path extends PathOf<'get'>> = Omit<OptionsOf<Path, 'get'>, 'previous' | 'idempotencyKey'>;

/** Reads whose answers are verified as they come: each throws `NotVerified` unless one of the keys signed exactly this answer to this request. */
export class VerifiedReads {
  readonly #keys: readonly NoteKey[];

  constructor(
    private readonly client: WatchledgerClient,
    private readonly keys: readonly string[],
  ) {
    this.#keys = keys.map((text) => {
      const key = receiptCrypto.keyOf(text);
      if (key === null) throw new TypeError(`${text}: is not a verifier key`);
      return key;
    });
  }

  async get<Path extends PathOf<'get'>>(
    path: Path,
    ...[options]: Arguments<SignedOptions<Path>>
  ): Promise<VerifiedAnswer<DataOf<Path, 'get'>>> {
    const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
    const given: UntypedOptions = { ...(options as UntypedOptions | undefined) }; // less what a signed answer has no use for
    const headers = { ...given.headers, 'accept-signature': `receipt=();nonce="${nonce}"` };
    const received = await this.client.raw('get', path, { ...given, headers });
    const { file, body, statement, position, signers } = this.#checked(received, nonce);
    // Cast: a receipt is over JSON as the service describes it.
    const data = JSON.parse(new TextDecoder().decode(body)) as DataOf<Path, 'get'>;
    return { data, receipt: file, position, statement, signedBy: signers.map(({ text }) => text) };
  }

  /** An event of a project as the sealed log holds it. */
  async event(projectId: string, eventId: string): Promise<VerifiedEvent> {
    const { data }: { readonly data: Schemas['Proof'] } = await this.client.get('/project/{id}/history/{eventId}/proof', {
      path: { id: projectId, eventId },
    });
    const proven = verifyProof(data, this.keys);
    if (proven.event.id !== eventId || proven.event.scope !== `project-${projectId}`)
      throw new NotVerified('the proof is that of another event');
    return proven;
  }

  #checked(
    { url, status, headers, bytes }: ReceivedBytes,
    nonce: string,
  ): Omit<CheckedReceipt<NoteKey>, 'file'> & { readonly file: string } {
    const file = receiptOfAnswer({ url: new URL(url), status, headers: Object.fromEntries(headers), body: bytes });
    if (file === null) throw new NotVerified('the answer is not signed');
    const verdict = checkReceipt(file, this.#keys, Date.now(), receiptCrypto);
    if (verdict.kind !== 'signed') throw new NotVerified(verdict.reason);
    // An answer from earlier, to the same request, has another nonce.
    const inputs = [...(parseDictionary(headers.get('signature-input') ?? '')?.values() ?? [])];
    if (!inputs.every((input) => isInnerList(input) && input.params.get('nonce') === nonce))
      throw new NotVerified('the answer was signed for another request');
    return { ...verdict.receipt, file };
  }
}

/** `keys`: verifier keys of the seal, as `NAME+ID+BASE64`, from a source other than the service itself. */
export const verified = (client: WatchledgerClient, { keys }: { readonly keys: readonly string[] }): VerifiedReads =>
  new VerifiedReads(client, keys);
