import { account } from '../accounts/account.state.ts';
import { badge } from '../overview/badge/badge.decider.ts';
import { certificate } from '../watches/certificate/certificate.decider.ts';
import { checklist } from '../projects/checks/checklist.decider.ts';
import { corrections } from '../checker/corrections/correction.decider.ts';
import { maintenance } from '../projects/maintenance/maintenance.decider.ts';
import { preferences } from '../alerts/preferences/preference.decider.ts';
import { importedUptime } from '../watches/imported-uptime/imported-uptime.decider.ts';
import { objective } from '../projects/objectives/objective.decider.ts';
import { project } from '../projects/project.state.ts';
import { redirect } from '../watches/redirect/redirect.decider.ts';
import { uptime } from '../watches/uptime/uptime.state.ts';
import { verdict } from '../checker/verdicts/verdict.state.ts';
import { fold, Folds } from '../platform/commands/snapshots/stream-snapshots.ts';

/** The folds of every kind of stream that can become long, by the first word of its name. */
export const folds = new Folds({
  project: [
    fold('project', project, '999c75292102'),
    fold('checklist', checklist, '99f0103b4def'),
    fold('maintenance', maintenance, '9a5e6ec132df'),
    fold('preferences', preferences, '2fbb326acec5'),
    fold('badge', badge, '1d8cd8fce3b4'),
    fold('objective', objective, '2e3ca7e5d76d'),
    fold('importedUptime', importedUptime, '1029e4025de6'),
  ],
  account: [fold('account', account, '5f335fad6ee1')],
  verdict: [fold('verdict', verdict, 'db580ccba161')],
  uptime: [fold('uptime', uptime, 'a677d3aafd41')],
  certificate: [fold('certificate', certificate, 'ccb924a7307c')],
  redirect: [fold('redirect', redirect, '129d3149fff0')],
  corrections: [fold('corrections', corrections, 'd2a0af204d8d')],
});
