import 'uplot/dist/uPlot.min.css';
import './style.css';
import { render } from 'preact';
import { App } from './frame/app.tsx';
import { keepFocus } from './frame/keys.ts';

// uPlot makes a number format of it as it is loaded, which throws for what some systems call it, such as `en-US@posix`.
if (!isLanguage(navigator.language)) Object.defineProperty(navigator, 'language', { configurable: true, value: 'en' });

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no element for the console');
keepFocus(root);
render(<App />, root);

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
