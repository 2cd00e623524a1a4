import type { Duplex } from 'node:stream';

/** What a call may be answered with besides a result; the fields that the other side acts on. */
export interface CallProblem {
  readonly message: string;
  readonly name: string;
  readonly code?: string;
  /** More about it, as JSON. */
  readonly detail?: unknown;
}

/** The other side refused or failed. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly code: string | undefined;

  constructor(readonly problem: CallProblem) {
    super(problem.message);
    this.code = problem.code;
  }
}

/** The channel is closed: the other process has ended, or is about to. */
export class ChannelClosed extends Error {
  override readonly name = 'ChannelClosed';

  constructor(
    reason: string,
    /** The other side does not follow the protocol. */
    readonly isViolation: boolean,
  ) {
    super(reason);
  }
}

export type CallHandler = (given: unknown, signal: AbortSignal) => unknown;

export interface ChannelOptions {
  readonly handlers: Readonly<Record<string, CallHandler>>;
  /** Longer messages of the other side close the channel. */
  readonly maxMessage: number;
  readonly problemOf: (error: unknown) => CallProblem;
}

type Message =
  | { readonly call: string; readonly id: number; readonly given: unknown }
  | { readonly cancel: number }
  | { readonly answer: number; readonly result: unknown }
  | { readonly answer: number; readonly problem: CallProblem };

/** Calls of the other side under way, and bytes that it has not read yet: beyond them it is not following the protocol. */
const MAX_RUNNING = 1_000;
const MAX_UNREAD = 64 * 1024 * 1024;

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Calls in both directions over a stream, one JSON message a line. What arrives is not trusted: its size is bounded, and a message that is none closes the channel. */
export class CallChannel {
  private readonly pending = new Map<number, Pending>();
  private readonly running = new Map<number, AbortController>();
  private next = 0;
  private rest: Buffer[] = [];
  private restBytes = 0;
  private closed: ChannelClosed | undefined;
  /** Resolves with the reason; it closes once. */
  readonly closing: Promise<ChannelClosed>;
  private resolveClosing: (reason: ChannelClosed) => void = () => undefined;

  constructor(
    private readonly stream: Duplex,
    private readonly options: ChannelOptions,
  ) {
    this.closing = new Promise((resolve) => (this.resolveClosing = resolve));
    stream.on('data', (chunk: Buffer) => {
      this.receive(chunk);
    });
    stream.on('error', (error) => {
      this.close(error.message);
    });
    stream.on('close', () => {
      this.close('the stream was closed');
    });
    stream.on('end', () => {
      this.close('the stream ended');
    });
  }

  /** Rejects with `CallFailed`, or with `ChannelClosed`. An abort asks the other side to stop; its answer is still awaited. */
  call(name: string, given: unknown = null, signal?: AbortSignal): Promise<unknown> {
    if (this.closed !== undefined) return Promise.reject(this.closed);
    const id = this.next++;
    const cancel = (): void => {
      this.send({ cancel: id });
    };
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.pending.delete(id);
        signal?.removeEventListener('abort', cancel);
      };
      this.pending.set(id, {
        resolve: (result) => {
          end();
          resolve(result);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
      this.send({ call: name, id, given });
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  close(reason: string, isViolation = false): void {
    if (this.closed !== undefined) return;
    this.closed = new ChannelClosed(reason, isViolation);
    for (const { reject } of [...this.pending.values()]) reject(this.closed);
    for (const controller of this.running.values()) controller.abort();
    this.stream.destroy();
    this.resolveClosing(this.closed);
  }

  private receive(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1 && this.closed === undefined; end = chunk.indexOf(10, from)) {
      this.rest.push(chunk.subarray(from, end));
      const line = Buffer.concat(this.rest);
      this.rest = [];
      this.restBytes = 0;
      from = end + 1;
      if (line.length > this.options.maxMessage) this.refuse();
      else this.read(line.toString());
    }
    this.rest.push(chunk.subarray(from));
    this.restBytes += chunk.length - from;
    if (this.restBytes > this.options.maxMessage) this.refuse();
  }

  private refuse(): void {
    this.rest = [];
    this.close(`a message was longer than ${String(this.options.maxMessage)} bytes`, true);
  }

  private read(line: string): void {
    const message = messageOf(line);
    if (message === null) this.close('a message could not be read', true);
    else if ('call' in message) void this.answer(message.call, message.id, message.given);
    else if ('cancel' in message) this.running.get(message.cancel)?.abort();
    else if ('problem' in message) this.pending.get(message.answer)?.reject(new CallFailed(message.problem));
    else this.pending.get(message.answer)?.resolve(message.result);
  }

  private async answer(name: string, id: number, given: unknown): Promise<void> {
    if (this.running.size >= MAX_RUNNING) {
      this.close('it made too many calls at once', true);
      return;
    }
    const controller = new AbortController();
    this.running.set(id, controller);
    try {
      const handler = Object.hasOwn(this.options.handlers, name) ? this.options.handlers[name] : undefined;
      if (handler === undefined) throw new Error(`there is no call ${name}`);
      const result = await handler(given, controller.signal);
      this.send({ answer: id, result: result ?? null });
    } catch (error) {
      this.send({ answer: id, problem: this.options.problemOf(error) });
    } finally {
      this.running.delete(id);
    }
  }

  private send(message: Message): void {
    if (this.closed !== undefined) return;
    this.stream.write(`${JSON.stringify(message)}\n`);
    if (this.stream.writableLength > MAX_UNREAD) this.close('it does not read what it is sent', true);
  }
}

function messageOf(line: string): Message | null {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null) return null;
  const known = { call: '', id: -1, cancel: -1, answer: -1, problem: null, ...message };
  if ('call' in message) return typeof known.call === 'string' && Number.isInteger(known.id) ? (message as Message) : null;
  if ('cancel' in message) return Number.isInteger(known.cancel) ? (message as Message) : null;
  if (!Number.isInteger(known.answer)) return null;
  if (!('problem' in message)) return 'result' in message ? (message as Message) : null;
  return isProblem(known.problem) ? (message as Message) : null;
}

const isProblem = (problem: unknown): boolean =>
  typeof problem === 'object' && problem !== null && 'message' in problem && typeof problem.message === 'string';
