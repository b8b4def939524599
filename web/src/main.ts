import './styles/tokens.css';
import './styles/base.css';
import './boards';
import { mount } from 'svelte';
import App from './App.svelte';
import { router, routeAt } from './lib/router.svelte';
import { startTypeface } from './lib/typeface';
import { routes } from './routes';

const target = document.getElementById('app');
if (!target) throw new Error('index.html must have an element with id "app"');
// The page's own code is on its way while the rest is drawn. App reports it if it does not come.
routeAt(routes, router.current.path)?.route.load().catch(() => undefined);
// Not awaited at the top level, which would cut the first load into many small files. Drawing is a task of its own, so that a slow
// phone can answer in between.
void startTypeface().then(() => setTimeout(() => mount(App, { target })));
