import { systemContext } from '../../platform/commands/context.ts';
import { InspectHomepage } from '../../projects/project.commands.ts';
import { derivedId } from '../../kernel/ids.ts';
import { phaseOf } from '../../kernel/recurrence.ts';
import type { TurnHandler } from '../../checker/checker.ts';
import { homepageLinks, isWordPress } from '../../checker/page/homepage.ts';
import { Page } from '../../checker/page/page.ts';
import type { WatchedProject } from '../../checker/projects/watched-projects.ts';
import { headerValue } from '../../checker/rules/stored-answer.ts';
import type { RecurringTurn } from '../../checker/schedule/turn.ts';
import { lookConclusively, retryLook, siteTurn, sourceOf, type WatchOptions } from './site-look.ts';

const HOURLY_MS = 3_600_000;

/** Hourly until the homepage has been fetched once. */
export function homepageTurns({ project }: WatchedProject): readonly RecurringTurn[] {
  if (project.isWordPress !== null) return [];
  return [{ turn: siteTurn('homepage', project.id), periodMs: HOURLY_MS, phaseMs: phaseOf(`homepage ${project.id}`, HOURLY_MS) }];
}

/** Inspects the homepage once, for its CMS and for the pages that a preset project checks (docs/spec/decisions.md#P2, #P10). */
export class HomepageWatch {
  constructor(private readonly options: WatchOptions) {}

  readonly handleTurn: TurnHandler = async ({ projectId }, lease) => {
    const { checker, commands, clock } = this.options;
    const watched = checker.projects.get(projectId);
    if (watched?.project.isWordPress !== null) return;
    const { url, userAgent, timeout, location } = watched.project.settings;
    const request = { url, userAgent, timeoutMs: timeout * 1000, signal: lease.signal, source: sourceOf(watched) };
    const fetched = await lookConclusively(this.options, request);
    if (fetched === null) retryLook(this.options, 'homepage', projectId);
    const outcome = fetched?.outcome;
    if (outcome?.kind !== 'answered' || outcome.status >= 400 || lease.signal.aborted) return;
    const page = new Page({ body: outcome.body, contentType: headerValue(outcome, 'content-type') ?? '', cut: outcome.cut });
    // Only a preset project takes them (`Project.awaitsLinks`), and parsing the addresses of a page costs more than the rest of the look.
    const links = watched.project.preset && page.isMarkup ? homepageLinks(page.html, outcome.url) : [];
    const context = systemContext({ kind: 'checker', id: location }, clock.now(), {
      commandId: derivedId('homepage', projectId, url),
      repeat: false,
    });
    await commands.execute(new InspectHomepage(context, projectId, url, isWordPress(page.html, headerValue(outcome, 'link')), links));
  };
}
