import { createServer, type Socket } from 'node:net';

export interface TestMailServer {
  readonly url: string;
  /** The decoded mails to an address, in order. */
  to(email: string): readonly string[];
  /** The reply to a command (`CONNECT`: the greeting, `.`: the end of a mail) in place of the normal one; `null`: no reply. */
  reply: (verb: string, socket: Socket) => string | null | undefined;
  close(): Promise<void>;
}

interface Received {
  readonly to: readonly string[];
  readonly text: string;
}

/** A mail server on loopback that accepts and records every mail. */
export async function createTestMailServer(): Promise<TestMailServer> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.unref());
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    converse(socket, received, (verb) => mailServer.reply(verb, socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // That of a shared service stays open until the worker exits.
  server.unref();
  const address = server.address();
  const mailServer: TestMailServer = {
    reply: () => undefined,
    url: `smtp://127.0.0.1:${String(typeof address === 'object' ? address?.port : '')}`,
    to: (email) => received.filter(({ to }) => to.includes(email.toLowerCase())).map(({ text }) => text),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
  return mailServer;
}

/** The subset of RFC 5321 that a client needs to send a mail. */
function converse(socket: Socket, received: Received[], reply: (verb: string) => string | null | undefined): void {
  let buffer = '';
  let to: string[] = [];
  let inData = false;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  /** Returns whether the test has replaced the reply. */
  const replaced = (verb: string): boolean => {
    const line = reply(verb);
    if (line === undefined) return false;
    if (line !== null) say(line);
    return true;
  };
  const handleCommand = (line: string): void => {
    const [verb = ''] = line.toUpperCase().split(/[ :]/);
    if (replaced(verb)) return;
    if (verb === 'RCPT') to.push(/<(.*)>/.exec(line)?.[1]?.toLowerCase() ?? '');
    if (verb === 'MAIL') to = [];
    if (verb === 'QUIT') socket.end('221 bye\r\n');
    else if (verb === 'DATA') {
      inData = true;
      say('354 go on');
    } else say('250 ok');
  };
  socket.setEncoding('utf8');
  if (!replaced('CONNECT')) say('220 test');
  socket.on('data', (chunk: string) => {
    buffer += chunk;
    for (;;) {
      const end = inData ? buffer.indexOf('\r\n.\r\n') : buffer.indexOf('\r\n');
      if (end < 0) return;
      const part = buffer.slice(0, end);
      buffer = buffer.slice(end + (inData ? 5 : 2));
      if (!inData) handleCommand(part);
      else {
        inData = false;
        if (replaced('.')) continue;
        received.push({ to, text: decoded(part.replace(/^\.\./gm, '.')) });
        say('250 accepted');
      }
    }
  });
}

/** Decodes quoted-printable, so that links are whole. */
const decoded = (text: string): string =>
  text.replaceAll('=\r\n', '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
