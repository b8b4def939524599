// A first game that teaches: what to look at and do now, one thought at a time. Each is shown once, at the first moment at
// which it helps.
import { isUnrezzed, serverKey, type NetrunnerState } from './state';

export interface Tip {
  id: string;
  title: string;
  text: string;
}
interface Lesson extends Tip {
  when: (state: NetrunnerState) => boolean;
}

const acting = (state: NetrunnerState): boolean => state.prompt === null && !state.run && state['active-player'] === state.side && state.phase === 'main' && state[state.side ?? 'corp'].click > 0;
const purpose = (state: NetrunnerState): string => (state.prompt?.['prompt-type'] === 'waiting' ? '' : (state.prompt?.purpose ?? ''));
const ices = (state: NetrunnerState): number => Object.values(state.corp.servers).reduce((sum, server) => sum + server.ices.length, 0);
const holds = (state: NetrunnerState, type: string): boolean => state.side !== null && state[state.side].hand.some((card) => card.type === type);

const runner: Lesson[] = [
  { id: 'r-hand', title: 'The Runner’s game', text: 'The Corp hides agendas in its servers. Find them and steal them: 6 points win. First look at your five cards: hover one, or hold a finger on it. Keep the hand if it has a way to earn credits and an icebreaker or two.', when: (state) => purpose(state) === 'mulligan' },
  { id: 'r-turn', title: 'Your turn: four clicks', text: 'Every click is one action: take a credit, draw a card, play or install a card, or run a server. Cards that glow can be played now. Sure Gamble turns 5 credits into 9: play it when you can.', when: acting },
  { id: 'r-run', title: 'Run where there is no ice', text: 'Each server has a Run button. Without ice in front you get in for a click. R&D shows you the top card of the Corp’s deck, HQ a card of its hand. Try one: nothing bad happens without ice.', when: (state) => acting(state) && state.turn >= 1 && state.runner.click <= 3 },
  { id: 'r-ice', title: 'You approach ice', text: 'It lies facedown. If the Corp pays to rez it, you must deal with its subroutines. You may jack out before you move on, but not once you encounter it.', when: (state) => state.run?.phase === 'approach-ice' || (state.run !== null && purpose(state) === '' && state.run.position > 0) },
  { id: 'r-encounter', title: 'An encounter', text: 'Each subroutine that you do not break resolves, from top to bottom. A button that breaks everything says what it costs. The red button lets them resolve, and says what then happens.', when: (state) => state.encounters !== null },
  { id: 'r-access', title: 'You accessed a card', text: 'An agenda is stolen at once. A card with a trash cost can be trashed if you pay: assets that earn the Corp money are worth it. Everything else stays where it is.', when: (state) => purpose(state) === 'accessed' },
  { id: 'r-breaker', title: 'Icebreakers', text: 'There are three kinds of ice: barriers, code gates and sentries, and an icebreaker for each. Install them before you run into what you cannot break. Mayfly breaks everything once.', when: (state) => acting(state) && holds(state, 'Program') && ices(state) > 0 },
  { id: 'r-remote', title: 'A remote server', text: 'A card in a remote server is an agenda, an asset that earns money, or a trap. If the Corp advances it, it wants to score it, or wants you to think so. Keep at least three cards in your grip: traps do damage.', when: (state) => acting(state) && Object.entries(state.corp.servers).some(([key, server]) => key.startsWith('remote') && server.content.some(isUnrezzed)) },
  { id: 'r-grip', title: 'Your grip is your life', text: 'Damage takes cards from your hand. If it has to take more than you have, you lose the game. Draw before you run into the unknown.', when: (state) => acting(state) && state.runner['hand-count'] <= 2 },
  { id: 'r-tag', title: 'You are tagged', text: 'While you have a tag, the Corp can trash your resources. Remove it with a click and 2 credits.', when: (state) => acting(state) && state.runner.tag.total > 0 },
];

const corp: Lesson[] = [
  { id: 'c-hand', title: 'The Corp’s game', text: 'You advance agendas behind ice, in secret: 6 points win. Look at your five cards: hover one, or hold a finger on it. Keep the hand if it has ice and a way to earn credits.', when: (state) => purpose(state) === 'mulligan' },
  { id: 'c-turn', title: 'Your turn: three clicks', text: 'You have drawn a card. Every click is one action. Cards that glow can be played now: press one, or drag it onto a server. Begin with ice: one in front of R&D and one in front of HQ keeps the Runner from looking around for nothing.', when: acting },
  { id: 'c-money', title: 'Credits', text: 'Installing the first ice on a server is free, but rezzing it costs. Hedge Fund turns 5 credits into 9. Keep enough to rez the ice that you count on.', when: (state) => acting(state) && ices(state) >= 1 },
  { id: 'c-agenda', title: 'An agenda in your hand', text: 'In your hand it can be stolen, too. Install it in a new remote server, best behind ice, then advance it: each time a click and a credit. With enough counters, score it.', when: (state) => acting(state) && holds(state, 'Agenda') && ices(state) >= 2 },
  { id: 'c-rez', title: 'The Runner approaches your ice', text: 'Now you can rez it: pay its cost and turn it faceup. It then stays faceup. An unrezzed ice does nothing, so rez what the Runner cannot break.', when: (state) => state.run?.phase === 'approach-ice' && isUnrezzed(state.corp.servers[serverKey(state.run.server)]?.ices[state.run.position - 1] ?? { side: '' }) },
  { id: 'c-before', title: 'Before the Runner acts', text: 'You may rez assets and upgrades at many moments, also in the Runner’s turn. If you do not want to be asked each time, say so under Stops.', when: (state) => state['active-player'] === 'runner' && !state.run && state.pass != null },
  { id: 'c-score', title: 'Advance and score', text: 'When an agenda has as many counters as its requirement, in the corner of the card, score it: press it. Three clicks a turn are enough to install one and advance it twice; many need one more turn.', when: (state) => acting(state) && Object.values(state.corp.servers).some(({ content }) => content.some((card) => card.type === 'Agenda')) },
];

const kKey = 'openseat.netrunner.coach';

export const wantsCoach = (): boolean => localStorage.getItem(kKey) === 'on';
export function setCoach(on: boolean): void {
  localStorage.setItem(kKey, on ? 'on' : 'off');
}

// The next thought for this state, among those that were not shown yet.
export function tipFor(state: NetrunnerState, seen: ReadonlySet<string>): Tip | undefined {
  if (state.side === null || state.winner !== undefined) return undefined;
  return (state.side === 'runner' ? runner : corp).find((lesson) => !seen.has(lesson.id) && lesson.when(state));
}
