import './styles/tokens.css';
import './styles/base.css';
import './boards';
import { mount } from 'svelte';
import App from './App.svelte';
import { startTypeface } from './lib/typeface';

const target = document.getElementById('app');
if (!target) throw new Error('index.html must have an element with id "app"');
// Not awaited at the top level, which would cut the first load into many small files.
void startTypeface().then(() => mount(App, { target }));
