// The boards of games with their own pages.
import { addBoard } from './lib/boards/registry';
import { netrunner } from './pages/netrunner/board';

addBoard(netrunner);
