import './styles/tokens.css';
import './styles/base.css';
import './boards';
import { mount } from 'svelte';
import App from './App.svelte';

const target = document.getElementById('app');
if (!target) throw new Error('index.html must have an element with id "app"');
mount(App, { target });
