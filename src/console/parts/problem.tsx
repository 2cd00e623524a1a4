import type { ComponentChildren } from 'preact';
import { Link } from '../frame/link.tsx';
import { problemSentence } from '../overview/sentences.ts';
import { fullOf, shortOf, spanOf, utcOf, localInstants } from '../time/instants.ts';
import { capitalized } from './words.ts';
import { Glyph } from './glyph.tsx';
import type { ShownProblem } from './shown-problem.ts';

interface ProblemProps {
  readonly problem: ShownProblem;
  readonly project: { readonly id: string; readonly title: string };
  /** On the page of the project its title is known. */
  readonly isOwnPage?: boolean;
  readonly now: number;
  /** What else is known of it, after its doors. */
  readonly children?: ComponentChildren;
}

/** The sentence of a problem that no name stands before. */
const ownSentence = (kind: ShownProblem['kind'], said: string): string => (kind === 'uptime' ? `The site ${said}` : capitalized(said));

/** What is wrong, since when, and the doors to its evidence and to what led to it. */
export function Problem({ problem, project, isOwnPage = false, now, children }: ProblemProps) {
  const { kind, severity, since, sentence, test, event } = problem;
  const at = since === null ? null : Date.parse(since);
  const said = problemSentence(kind, severity, localInstants(sentence, now));
  return (
    <li class="problem-row">
      <Glyph state={severity} />
      <div>
        <p>
          {!isOwnPage && (
            <Link to={['projects', project.id]} class="strong">
              {project.title}
            </Link>
          )}
          {!isOwnPage && ' '}
          {test !== null && <strong>{isOwnPage ? test.name : `“${test.name}”`} </strong>}
          {test === null && isOwnPage ? ownSentence(kind, said) : said}
        </p>
        <p class="soft">
          {at !== null && severity === 'failing' && (
            <>
              For {spanOf(now - at)}, since{' '}
              <time dateTime={since ?? ''} title={utcOf(at)}>
                {fullOf(at)}
              </time>
              .{' '}
            </>
          )}
          {event !== null && (
            <>
              <Link to={['projects', project.id, 'events', event]}>{kind === 'certificate' ? 'Certificate' : 'Evidence'}</Link>
              {' · '}
              <Link to={['projects', project.id, 'timeline']} query={{ group: 'chain' }}>
                What led to it
              </Link>
            </>
          )}
          {children}
        </p>
      </div>
      {at !== null && <time dateTime={since ?? ''}>{shortOf(at, now)}</time>}
    </li>
  );
}
