// Pig: a game of dice for two to six. All is open except for the next roll: redeal says so.
export const info = {
  id: 'pig',
  title: 'Pig',
  description: 'Roll the die as often as you dare',
  rules: 'In your turn you roll a die as often as you like, and collect what it shows. If it shows a 1, you lose what you collected in this ' +
    'turn, and your turn ends. If you hold, the collected points are yours, and your turn ends. The first player with 50 points wins ' +
    '(or as many as the option goal says). After 300 rolls the player with the most points wins.',
  seats: { min: 2, max: 6 },
  options: { goal: { type: 'integer', minimum: 10, maximum: 100, default: 50 } },
  actions: {
    roll: { description: 'Roll the die.', label: () => 'Roll' },
    hold: { description: 'Keep the points of this turn, and end it.', label: () => 'Hold' },
  },
};

const mostRolls = 300;

export const setup = ({ goal }, seats) => ({ goal, points: Array(seats).fill(0), turn: 0, collected: 0, rolls: 0 });
export const awaited = (state) => [state.turn];
export const actions = (state) => (state.collected > 0 ? [{ name: 'roll' }, { name: 'hold' }] : [{ name: 'roll' }]);

export function apply(state, seat, { name }, random, names) {
  const next = () => {
    state.turn = (seat + 1) % state.points.length;
    state.collected = 0;
  };
  if (name === 'hold') {
    const kept = state.collected;
    state.points[seat] += kept;
    if (state.points[seat] < state.goal) next();
    return { state, log: [`${names[seat]} keeps ${kept} points.`] };
  }
  const rolled = random.die();
  ++state.rolls;
  if (rolled === 1) {
    next();
    return { state, log: [`${names[seat]} rolls a 1 and loses the points of this turn.`] };
  }
  state.collected += rolled;
  return { state, log: [`${names[seat]} rolls a ${rolled}.`] };
}

export function outcome({ goal, points, rolls }) {
  const best = Math.max(...points);
  if (best < goal && rolls < mostRolls) return null;
  const winners = points.flatMap((own, seat) => (own === best ? [seat] : []));
  return { winners, scores: points, reason: best >= goal ? `reached ${goal} points` : `has the most points after ${mostRolls} rolls` };
}

export const observe = ({ goal, points, turn, collected, rolls }, viewer, names) => ({ turn: names[turn], collected, points, goal, rolls });
export const redeal = (state) => state;

export const view = ({ goal, points, turn, collected }, viewer, names) => ({
  parts: [
    { type: 'score', label: `First to ${goal}`, points },
    { type: 'counter', label: `Collected by ${names[turn]}`, value: collected },
    { type: 'buttons', buttons: [{ text: 'Roll', key: 'r', choice: { name: 'roll' } }, { text: 'Hold', key: 'h', choice: { name: 'hold' } }] },
  ],
});
