import type { Keyring } from '../../src/platform/security/keyring/keyring.ts';
import { samples } from '../samples/samples.ts';
import type { SimulatedProjects } from './simulated-projects.ts';
import { accountStream, projectStream } from '../../src/kernel/stream-names.ts';

export interface SimulatedAccount {
  readonly userId: number;
  readonly zone: string;
  /** When the account was erased. */
  erasedAt: number;
}

export const addressOf = ({ userId }: Pick<SimulatedAccount, 'userId'>): string => `user${String(userId)}@example.test`;

/** The owner of all projects, with a webhook, and members who get only reports. */
export const ZONES = ['Europe/Prague', 'America/New_York', 'Asia/Kathmandu', 'UTC'] as const;

export class SimulatedAccounts {
  readonly all: SimulatedAccount[] = [];

  constructor(
    private readonly plans: SimulatedProjects,
    private readonly keyring: Keyring,
  ) {}

  async open(zone: string): Promise<SimulatedAccount> {
    const person = { userId: this.all.length + 1, zone, erasedAt: Infinity };
    this.all.push(person);
    const scope = accountStream(person.userId);
    const email = await this.keyring.seal(scope, addressOf(person));
    const account = { ...samples('a').AccountOpened, userId: person.userId, confirmed: true, email };
    await this.plans.append(scope, 'AccountOpened', account);
    await this.plans.append(scope, 'TimezoneChanged', { from: 'UTC', to: zone });
    return person;
  }

  async webhook({ userId }: SimulatedAccount): Promise<void> {
    const scope = accountStream(userId);
    const [url, secret] = [await this.keyring.seal(scope, 'https://hooks.example/1'), await this.keyring.seal(scope, 'whsec_c2VjcmV0')];
    await this.plans.append(scope, 'ChannelSet', { channel: 'webhook', values: { url, secret } });
  }

  /** Reports come whatever is switched for a project; alarms do not. */
  async join({ userId }: SimulatedAccount, projectId: string): Promise<void> {
    const scope = projectStream(projectId);
    if (userId !== 1) await this.plans.append(scope, 'MemberAdded', { userId, role: '6' });
    await this.plans.append(scope, 'NotificationChannelSwitched', { userId, channel: 'email', from: true, to: false });
  }

  /** The event first, then the key. */
  async erase(person: SimulatedAccount, now: number): Promise<void> {
    const scope = accountStream(person.userId);
    person.erasedAt = now;
    await this.plans.append(scope, 'AccountErased', { userId: person.userId });
    await this.keyring.erase(scope);
  }
}
