import { useState } from 'preact/hooks';
import { goTo, hrefOf } from '../frame/address.ts';
import { errorSentence, service } from '../service/service.ts';

/** A site is watched by its address alone. */
export function AddSite({ isFirst }: { readonly isFirst: boolean }) {
  const [url, setUrl] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const add = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      const { data } = await service.post('/project/create', {
        body: { url: /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `https://${url}`, addPresetChecks: true },
      });
      // Its first checks run while the page of the site opens.
      await service.get('/project/{id}/start', { path: { id: data.id } }).catch(() => undefined);
      goTo(hrefOf(['projects', data.id]));
    } catch (error) {
      setProblem(errorSentence(error));
      setBusy(false);
    }
  };
  return (
    <form
      class="add-site"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <label>
        {isFirst ? 'Address of the first site to watch' : 'Address of another site to watch'}
        <input
          name="url"
          inputMode="url"
          autocomplete="url"
          spellcheck={false}
          placeholder="www.example.com"
          value={url}
          onInput={(e) => setUrl(e.currentTarget.value)}
          required
        />
      </label>
      <button class="primary" aria-disabled={isBusy}>
        Watch it
      </button>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
