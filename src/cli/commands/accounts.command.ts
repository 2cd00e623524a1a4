import type { CliCommand } from '../command.ts';
import { create } from '../accounts/create.action.ts';
import { erase } from '../accounts/erase.action.ts';
import { link } from '../accounts/link.action.ts';
import { list } from '../accounts/list.action.ts';
import { password } from '../accounts/password.action.ts';
import { plan } from '../accounts/plan.action.ts';
import { role } from '../accounts/role.action.ts';

export const command: CliCommand = {
  about: 'See, make, change and erase accounts, beside a running service or without one',
  actions: { list, create, link, password, plan, role, erase },
};
