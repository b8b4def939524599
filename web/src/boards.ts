// The boards of games that have pages of their own.
import { addBoard } from './lib/boards/registry';
import { netrunner } from './pages/netrunner/board';

addBoard(netrunner);
