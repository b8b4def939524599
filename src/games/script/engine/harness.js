// The harness runs inside the box, around a game script: it calls the script's functions in the right order, checks what
// they return, and hands it out as JSON. The program trusts none of it: src/games/script reads the JSON as a stranger's.
// docs/writing_games.md says what a script exports.
(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { freeze, keys, getPrototypeOf, prototype: objectPrototype } = Object;
  const { isArray } = Array;
  const { imul, floor } = Math;
  const required = { setup: '(options, seats, random)', awaited: '(state)', actions: '(state, seat)',
    apply: '(state, seat, action, random, names)', observe: '(state, viewer, names)', outcome: '(state)' };
  const optional = ['validate', 'describe', 'view', 'redeal', 'evaluate'];
  const maxDepth = 40;
  let game = {};
  let hook = 'load'; // what is running, for messages

  // Nothing here differs from one run to the next.
  for (const name of ['SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'Date', 'performance', 'eval']) {
    delete globalThis[name];
  }
  Math.random = () => {
    throw new Error('Math.random is not available: use the random that setup, apply and redeal are given');
  };
  // What a script changed here would last from one function to the next.
  for (const name of ['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'BigInt', 'Symbol', 'RegExp', 'Map', 'Set',
    'WeakMap', 'WeakSet', 'Promise', 'Error', 'TypeError', 'RangeError']) {
    freeze(globalThis[name].prototype);
    freeze(globalThis[name]);
  }
  for (const name of ['Math', 'JSON', 'Reflect']) freeze(globalThis[name]);

  function kindOf(value) {
    if (value === null) return 'null';
    if (isArray(value)) return 'an array';
    if (typeof value === 'object') return `a ${getPrototypeOf(value)?.constructor?.name ?? 'object'}`;
    return typeof value === 'number' ? `the number ${value}` : typeof value === 'string' ? 'a string' : `${typeof value}`;
  }
  function shown(value) {
    const text = typeof value === 'object' ? kindOf(value) : typeof value === 'string' ? stringify(value) : String(value);
    return text.length > 80 ? `${text.slice(0, 77)}...` : text;
  }

  const isSimple = (value) => value === null || typeof value === 'string' || typeof value === 'boolean' ||
    (typeof value === 'number' && value - value === 0 && value !== 0) || (value === 0 && 1 / value > 0);

  const asIs = (value) => value;

  // A copy that JSON can say exactly. `seal` is freeze where a script gets the copy; that takes as long as the rest.
  function plain(value, path, seal = asIs, depth = 0) {
    if (isSimple(value)) return value;
    if (value === 0) return 0; // JSON has no -0
    if (depth > maxDepth) throw new TypeError(`${path} is nested more than ${maxDepth} levels deep`);
    if (isArray(value)) {
      const copy = [];
      for (let i = 0; i < value.length; ++i) {
        const element = value[i];
        copy[i] = isSimple(element) ? element : plain(element, `${path}[${i}]`, seal, depth + 1);
      }
      return seal(copy);
    }
    if (typeof value === 'object') {
      if (typeof value.then === 'function') throw new TypeError(`${path} is a promise: a game script cannot wait`);
      const prototype = getPrototypeOf(value);
      if (prototype === objectPrototype || prototype === null) {
        const copy = {};
        for (const key of keys(value)) {
          if (key === '__proto__') throw new TypeError(`${path} has a member named __proto__`);
          const member = value[key];
          if (isSimple(member)) copy[key] = member;
          else if (member !== undefined) copy[key] = plain(member, `${path}.${key}`, seal, depth + 1);
        }
        return seal(copy);
      }
    }
    throw new TypeError(`${path} must be made of objects, arrays, strings, finite numbers, true, false and null; got ${kindOf(value)}`);
  }

  function run(name, ...inputs) {
    hook = name;
    return game[name](...inputs);
  }
  function expect(holds, message) {
    if (!holds) throw new TypeError(message);
  }

  // xoshiro128**. Its state is the match's; the script never sees it.
  function makeRandom(words) {
    let [a, b, c, d] = words;
    const next = () => {
      const five = imul(b, 5);
      const result = imul((five << 7) | (five >>> 25), 9) >>> 0;
      const shifted = b << 9;
      c ^= a; d ^= b; b ^= c; a ^= d; c ^= shifted;
      d = (d << 11) | (d >>> 21);
      return result;
    };
    const int = (n) => {
      if (!(n >= 1 && n <= 4294967296 && n % 1 === 0)) {
        throw new RangeError(`random.int(n) takes a whole number from 1 to 4294967296; got ${shown(n)}`);
      }
      const limit = 4294967296 - (4294967296 % n);
      for (;;) {
        const drawn = next();
        if (drawn < limit) return drawn % n;
      }
    };
    const random = freeze({
      int,
      die: (n = 6) => int(n) + 1,
      pick: (list) => {
        expect(isArray(list) && list.length > 0, `random.pick(list) takes a list with at least one value; got ${shown(list)}`);
        return list[int(list.length)];
      },
      shuffle: (list) => {
        expect(isArray(list), `random.shuffle(list) takes a list; got ${shown(list)}`);
        const mixed = [...list];
        for (let i = mixed.length - 1; i > 0; --i) {
          const j = int(i + 1);
          [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
        }
        return mixed;
      },
    });
    return { random, words: () => [a >>> 0, b >>> 0, c >>> 0, d >>> 0] };
  }

  // --- What a script returns, checked ---

  function valuesOf(given, path) {
    if (isArray(given)) return given;
    expect(given !== null && typeof given === 'object', `${path} must be a list of the legal values, or a JSON Schema; got ${shown(given)}`);
    if (isArray(given.enum)) return given.enum;
    if (given.const !== undefined) return [given.const];
    if (given.type === 'boolean') return [false, true];
    if (given.type === 'integer' && given.maximum - given.minimum <= 10000) {
      const list = [];
      for (let i = given.minimum; i <= given.maximum; ++i) list.push(i);
      return list;
    }
    expect(isArray(given.examples) && given.examples.length > 0,
      `${path} has no list of values: give enum, minimum and maximum of an integer, or examples that are legal now`);
    return given.examples;
  }

  // Every combination of the members' values.
  function combinations(data, path) {
    let all = [{}];
    for (const member of keys(data)) {
      const values = valuesOf(data[member], `${path}.data.${member}`);
      expect(all.length * values.length <= 10000, `${path} has more than 10000 choices`);
      all = all.flatMap((start) => values.map((value) => ({ ...start, [member]: value })));
    }
    return all;
  }

  function legalChoices(state, seat, name, data, path) {
    const all = combinations(data, path);
    // A single member's list says itself what is legal.
    if (!game.validate || keys(data).length < 2) return all;
    return all.filter((choice) => run('validate', state, seat, { name, data: choice }) == null);
  }

  function actionsOf(state, seat, names) {
    const list = plain(run('actions', state, seat, names), `actions(state, ${seat})`);
    expect(isArray(list), `actions(state, ${seat}) must return a list of {name, data}; got ${shown(list)}`);
    const actions = [];
    for (let i = 0; i < list.length; ++i) {
      const path = `actions(state, ${seat})[${i}]`;
      const entry = list[i];
      const known = entry !== null && typeof entry === 'object' ? game.info.actions[entry.name] : undefined;
      expect(known, `${path} must be {name, data} with a name of info.actions; got ${shown(entry?.name ?? entry)}`);
      const choices = legalChoices(state, seat, entry.name, entry.data ?? {}, path);
      if (choices.length === 0) continue;
      hook = 'info.actions label';
      const labels = typeof known.label === 'function' ? choices.map((data) => String(known.label(data, names))) : undefined;
      actions.push({ name: entry.name, description: entry.description, data: entry.data ?? {}, choices, labels });
    }
    hook = 'actions';
    expect(actions.length > 0, `actions(state, ${seat}) offers nothing, but awaited(state) waits for seat ${seat}`);
    return actions;
  }

  function outcomeOf(state, seats) {
    const outcome = plain(run('outcome', state) ?? null, 'outcome(state)');
    if (outcome === null) return null;
    expect(isArray(outcome.winners) && typeof outcome.reason === 'string',
      'outcome(state) must return {winners: [seat], reason: "text"}, or null while the game goes on');
    for (const seat of outcome.winners) expect(isSeat(seat, seats), `outcome(state).winners must be seats from 0 to ${seats - 1}; got ${shown(seat)}`);
    return outcome;
  }
  const isSeat = (seat, seats) => typeof seat === 'number' && seat % 1 === 0 && seat >= 0 && seat < seats;

  function awaitedOf(state, seats) {
    const list = plain(run('awaited', state), 'awaited(state)');
    expect(isArray(list) && list.length > 0, `awaited(state) must return the seats that choose now, at least one while outcome(state) is null; got ${shown(list)}`);
    for (const seat of list) expect(isSeat(seat, seats), `awaited(state) must return seats from 0 to ${seats - 1}; got ${shown(seat)}`);
    return list;
  }

  // Everything that the program may ask about a state.
  function lookAt(state, names) {
    const seats = names.length;
    const outcome = outcomeOf(state, seats);
    const awaited = outcome === null ? awaitedOf(state, seats) : [];
    const actions = awaited.map((seat) => actionsOf(state, seat, names));
    const observed = [], described = [];
    // If nothing is hidden, all see what spectators see.
    const last = game.info.hides ? seats : 0;
    for (let viewer = -1; viewer < last; ++viewer) {
      const who = viewer < 0 ? null : viewer;
      const seen = plain(run('observe', state, who, names), `observe(state, ${who})`);
      expect(seen !== null && typeof seen === 'object' && !isArray(seen), `observe(state, ${who}) must return an object; got ${shown(seen)}`);
      observed.push(seen);
    }
    for (let seat = 0; game.describe && seat < seats; ++seat) {
      const text = run('describe', state, seat, names);
      expect(typeof text === 'string', `describe(state, ${seat}) must return a text; got ${shown(text)}`);
      described.push(text);
    }
    return { state, outcome, awaited, actions, observed, described: game.describe ? described : undefined };
  }

  function logOf(lines, seats) {
    const list = plain(lines ?? [], 'log');
    expect(isArray(list), `the log of apply must be a list of texts or {text, to}; got ${shown(list)}`);
    return list.map((line) => {
      const entry = typeof line === 'string' ? { text: line } : line;
      expect(typeof entry?.text === 'string', `a line of the log must be a text or {text, to}; got ${shown(line)}`);
      const to = entry.to === undefined || isArray(entry.to) ? entry.to : [entry.to];
      for (const seat of to ?? []) expect(isSeat(seat, seats), `a line of the log is for seats from 0 to ${seats - 1}; got ${shown(seat)}`);
      return { text: entry.text, to };
    });
  }

  function applied(state, seat, action, random, names) {
    const answer = run('apply', state, seat, action, random, names);
    expect(answer !== null && typeof answer === 'object' && answer.state !== undefined,
      `apply must return {state}, with a result and a log if there are any; got ${shown(answer)}`);
    return answer;
  }

  const operations = {
    setup({ options, names, random: words }) {
      const source = makeRandom(words);
      const state = plain(run('setup', options, names.length, source.random), 'state', freeze);
      return { ...lookAt(state, names), random: source.words() };
    },
    apply({ state, seat, action, names, random: words }) {
      const source = makeRandom(words);
      const answer = applied(state, seat, freeze(action), source.random, names);
      const next = plain(answer.state, 'state', freeze);
      const result = plain(answer.result ?? null, 'result');
      const log = logOf(answer.log, names.length);
      return { ...lookAt(next, names), random: source.words(), result, log };
    },
    look({ state, names }) {
      return lookAt(plain(state, 'the state', freeze), names);
    },
    validate({ state, seat, action }) {
      const answer = plain(run('validate', plain(state, 'the state', freeze), seat, action) ?? null, 'validate(state, seat, action)');
      if (answer === null) return {};
      const refusal = typeof answer === 'string' ? { reason: answer } : answer;
      expect(typeof refusal.reason === 'string', `validate must return nothing if the action is legal, or the reason as a text; got ${shown(answer)}`);
      return { reason: refusal.reason, path: refusal.path };
    },
    redeal({ state, seat, names, random: words }) {
      const source = makeRandom(words);
      const next = plain(run('redeal', state, seat, source.random), 'state', freeze);
      return { ...lookAt(next, names), random: source.words() };
    },
    view({ state, viewer, names }) {
      return plain(run('view', plain(state, 'the state', freeze), viewer, names), 'view');
    },
    evaluate({ state, seat }) {
      const worth = run('evaluate', plain(state, 'the state', freeze), seat);
      expect(worth >= 0 && worth <= 1, `evaluate must return a number from 0 (lost) to 1 (won); got ${shown(worth)}`);
      return { worth };
    },
    // Random games to the end, all in one call: for search. Nothing is copied, and only the choice that is made is built.
    playouts({ state, names, random: words, games, moves }) {
      const source = makeRandom(words);
      const { int } = source.random;
      const text = stringify(state);
      const outcomes = [];
      let played = 0;
      for (let i = 0; i < games; ++i) {
        let now = parse(text);
        let left = moves;
        for (;; ++played) {
          hook = 'outcome';
          const outcome = game.outcome(now) ?? null;
          if (outcome !== null || left-- === 0) {
            outcomes.push(outcome === null ? null : outcomeOf(now, names.length));
            break;
          }
          hook = 'awaited';
          const list = game.awaited(now);
          const seat = list.length === 1 ? list[0] : source.random.pick(list);
          hook = 'actions';
          now = applied(now, seat, randomChoice(now, seat, game.actions(now, seat, names), int), source.random, names).state;
        }
      }
      return { outcomes, played };
    },
  };

  const choiceTries = 32;

  // A choice at random, each with the same probability: drawn again if the script refuses it.
  function randomChoice(state, seat, entries, int) {
    const members = entries.map(({ data }, i) => keys(data ?? {}).map((member) => [member, valuesOf(data[member], `actions(state, ${seat})[${i}].data.${member}`)]));
    const counts = members.map((each) => each.reduce((product, [, values]) => product * values.length, 1));
    const all = counts.reduce((sum, count) => sum + count, 0);
    for (let tries = 0; all > 0 && tries < choiceTries; ++tries) {
      let number = all === 1 ? 0 : int(all);
      let at = 0;
      while (number >= counts[at]) number -= counts[at++];
      const data = {};
      for (const [member, values] of members[at]) {
        data[member] = values[number % values.length];
        number = floor(number / values.length);
      }
      const choice = { name: entries[at].name, data };
      if (!game.validate || members[at].length < 2 || run('validate', state, seat, choice) == null) return choice;
    }
    const choices = entries.flatMap(({ name, data }, at) =>
      legalChoices(state, seat, name, data ?? {}, `actions(state, ${seat})[${at}]`).map((values) => ({ name, data: values })));
    expect(choices.length > 0, `actions(state, ${seat}) offers nothing, but awaited(state) waits for seat ${seat}`);
    return choices[int(choices.length)];
  }

  return {
    load(exports) {
      game = {};
      expect(exports.info !== null && typeof exports.info === 'object', 'the script must export info: export const info = {id, title, …}');
      for (const name of keys(required)) {
        expect(typeof exports[name] === 'function', `the script must export the function ${name}${required[name]}`);
        game[name] = exports[name];
      }
      for (const name of optional) {
        if (exports[name] === undefined) continue;
        expect(typeof exports[name] === 'function', `${name} must be a function; got ${shown(exports[name])}`);
        game[name] = exports[name];
      }
      const actions = { __proto__: null };
      const given = exports.info.actions;
      expect(given !== null && typeof given === 'object' && !isArray(given), 'info.actions must be an object with the description of each action: {move: "Put your mark on a free cell."}');
      for (const name of keys(given)) {
        const entry = typeof given[name] === 'string' ? { description: given[name] } : given[name];
        expect(typeof entry?.description === 'string', `info.actions.${name} must be a description, or {description, data, label}`);
        actions[name] = freeze({ ...entry });
      }
      game.info = freeze({ actions: freeze(actions), hides: game.redeal !== undefined });
      const catalog = keys(actions).map((name) => ({ name, ...plain({ ...actions[name], label: undefined }, `info.actions.${name}`) }));
      const info = plain({ ...exports.info, actions: undefined }, 'info');
      return stringify({ info: { ...info, actions: catalog }, functions: keys(game).filter((name) => name !== 'info') });
    },
    call(operation, input) {
      return stringify(operations[operation](parse(input)));
    },
    text(...thrown) {
      const at = hook;
      if (thrown.length === 0) return stringify({ hook: at, message: '', stack: new Error().stack });
      const [error] = thrown;
      // The program itself throws texts, about modules.
      if (at === 'load' && typeof error === 'string') return stringify({ hook: at, message: error, stack: '' });
      if (!(error instanceof Error)) return stringify({ hook: at, message: `the script threw ${shown(error)}`, stack: '' });
      return stringify({ hook: at, message: String(error.message), stack: String(error.stack), kind: String(error.name) });
    },
  };
})()
