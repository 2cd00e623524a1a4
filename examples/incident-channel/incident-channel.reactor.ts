import { defineReactor, type Effects, scopeId } from 'watchledger/projection';

/** Tells an on-call channel when a check fails and when it recovers. */
export default defineReactor({
  name: 'incident_channel',
  from: 'now',
  on: {
    CheckFailed: async ({ scope, data }, effects) => {
      await say(effects, `${scopeId({ scope })}: ${data.failing.failures.join('; ')}`);
    },
    CheckRecovered: async ({ scope }, effects) => {
      await say(effects, `${scopeId({ scope })}: works again`);
    },
  },
});

const say = (effects: Effects, text: string) => effects.http({ url: process.env['INCIDENT_URL'] ?? '', body: { text } });
