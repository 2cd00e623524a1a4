import type { AreaEvents } from '../areas/area.events.ts';
import type { CheckEvents } from './check.events.ts';
import { changed, changedPeriod, pluralized, type Sentences, switched } from '../../kernel/sentence.ts';

/** Large rules are not repeated by the event that replaces them: `from` is absent. */
function rulesChanged(from: readonly unknown[] | undefined, to: readonly unknown[]): string {
  const now = pluralized(to.length, 'rule');
  if (from === undefined) return `changed to ${now}`;
  return from.length === to.length ? `changed, still ${now}` : `changed from ${pluralized(from.length, 'rule')} to ${now}`;
}

export const areaSentences = {
  AreaCreated: ({ settings }) => `Group ${settings.name} created`,
  AreaRenamed: (data) => changed('Name of a group', data),
  AreaVisibilityChanged: ({ areaId, to }, names) => `Group ${names.area(areaId)} ${to ? 'made public' : 'put behind a sign-in'}`,
  AreaRulesChanged: ({ areaId, from, to }, names) => `Rules of group ${names.area(areaId)} ${rulesChanged(from?.flat(), to.flat())}`,
  AreaFormChanged: ({ areaId, to }, names) => `Sign-in form of group ${names.area(areaId)} ${to === null ? 'removed' : 'changed'}`,
  AreaSignInChanged: ({ areaId, to }, names) => `HTTP sign-in of group ${names.area(areaId)} ${to === null ? 'removed' : 'changed'}`,
  AreaPeriodChanged: ({ areaId, ...data }, names) => changedPeriod(`Period of group ${names.area(areaId)}`, data),
  AreaHeadersChanged: ({ areaId }, names) => `Extra headers of group ${names.area(areaId)} changed`,
  AreaKeyChanged: ({ areaId, ...data }, names) => changed(`Key of group ${names.area(areaId)} in site files`, data),
  AreaFormFirstFound: ({ areaId }, names) => `The sign-in form of group ${names.area(areaId)} was found for the first time`,
  AreaFormFoundChanged: ({ areaId }, names) => `The sign-in form of group ${names.area(areaId)} has changed since it was saved`,
  AreaDeleted: ({ name }) => `Group ${name} deleted`,
} satisfies Sentences<AreaEvents>;

export const checkSentences = {
  CheckCreated: ({ settings }) => `Check ${settings.name === '' ? '' : `${settings.name} `}created for ${settings.url}`,
  CheckRenamed: (data) => changed('Name of a check', data),
  CheckUrlChanged: ({ checkId, ...data }, names) => changed(`Address of check ${names.check(checkId)}`, data),
  CheckSwitched: ({ checkId, to }, names) => switched(`Check ${names.check(checkId)}`, to),
  CheckNoticeChanged: ({ checkId, ...data }, names) => changed(`Notice of check ${names.check(checkId)}`, data),
  CheckTypeChanged: ({ checkId, ...data }, names) => changed(`Type of check ${names.check(checkId)}`, data),
  CheckRulesChanged: ({ checkId, from, to }, names) => `Rules of check ${names.check(checkId)} ${rulesChanged(from, to)}`,
  CheckOptionsChanged: ({ checkId }, names) => `Options of check ${names.check(checkId)} changed`,
  CheckTemplateChanged: ({ checkId, ...data }, names) => changed(`Template of check ${names.check(checkId)}`, data),
  CheckKeyChanged: ({ checkId, ...data }, names) => changed(`Key of check ${names.check(checkId)} in site files`, data),
  CheckMoved: ({ checkId, from, to }, names) => `Check ${names.check(checkId)} moved from ${names.area(from)} to ${names.area(to)}`,
  CheckDeleted: ({ name, checkId }) => `Check ${name === '' ? checkId : name} deleted`,
} satisfies Sentences<CheckEvents>;
