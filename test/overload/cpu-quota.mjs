import { readFileSync } from 'node:fs';

// Holds a process at a share of one core by SIGSTOP and SIGCONT, as the CPU quota of a container does. In a process of its own, so that its timers are on time.

const STEP_MS = 5;
const TICK_MS = 10;
/** Unused time is kept for so long. */
const SAVED_MS = 100;

function spentMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

process.once('message', ({ pid, share }) => {
  let at = performance.now();
  let spent = spentMs(pid);
  let balance = 0;
  let isStopped = false;
  const signal = (name) => {
    isStopped = name === 'SIGSTOP';
    process.kill(pid, name);
  };
  const timer = setInterval(() => {
    const [now, used] = [performance.now(), spentMs(pid)];
    balance = Math.min(balance + (now - at) * share, SAVED_MS * share) - (used - spent);
    [at, spent] = [now, used];
    if (isStopped !== balance < 0) signal(isStopped ? 'SIGCONT' : 'SIGSTOP');
  }, STEP_MS);
  process.once('disconnect', () => {
    clearInterval(timer);
    process.kill(pid, 'SIGCONT');
  });
});
