import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOf } from './receive-script.ts';

export interface PythonConsumer {
  /** Titles of the events that it handled, in order. */
  readonly handled: () => readonly string[];
  readonly stop: () => Promise<void>;
}

/** Runs the program of docs/subscriptions.md with a `handle` that prints titles and cannot handle one of them. */
export function startConsumeScript(url: string, token: string, refused: string): PythonConsumer {
  const folder = mkdtempSync(join(tmpdir(), 'consume-'));
  const handle = `
def handle(event):
    if event["data"]["to"] == ${JSON.stringify(refused)}:
        raise ValueError("no such customer")
    print(event["data"]["to"], flush=True)

`;
  writeFileSync(join(folder, 'consume.py'), handle + programOf('subscriptions.md'));
  const env = { ...process.env, WATCHLEDGER_URL: url, WATCHLEDGER_TOKEN: token };
  const child = spawn('python3', ['consume.py'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  return {
    handled: () => printed.split('\n').filter((line) => line !== ''),
    stop: async () => {
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true });
    },
  };
}
