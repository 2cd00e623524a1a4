import 'uplot/dist/uPlot.min.css';
import './style.css';
import { render } from 'preact';
import { App } from './frame/app.tsx';
import { keepFocus } from './frame/keys.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no element for the console');
keepFocus(root);
render(<App />, root);
