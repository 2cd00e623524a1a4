import { ApiError } from '../../client.ts';
import { errorSentence } from '../service/service.ts';

interface FailedProps {
  /** Which part could not be read. */
  readonly what: string;
  readonly error: unknown;
  readonly retry?: () => void;
}

/** A part that could not be read: what is known of it, and what to do. */
export function Failed({ what, error, retry }: FailedProps) {
  const isRefused = error instanceof ApiError && (error.status === 403 || error.status === 404);
  return (
    <div class="failed" role="alert">
      <p>
        <strong>{what} could not be read.</strong> {errorSentence(error)}
      </p>
      {isRefused ? <p class="soft">It does not exist, or your role in the project does not show it.</p> : null}
      {retry !== undefined && !isRefused && <button onClick={retry}>Try again</button>}
    </div>
  );
}
