// The harness runs inside the box, around a game script: it calls the script's functions in the right order, checks what
// they return, and hands it out as JSON. The program trusts none of it: src/games/script reads the JSON as a stranger's.
// docs/writing_games.md says what a script exports.
(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { freeze, keys, getPrototypeOf, prototype: objectPrototype } = Object;
  const { isArray } = Array;
  const { imul } = Math;
  const required = { setup: '(options, seats, random)', awaited: '(state)', actions: '(state, seat, names)',
    apply: '(state, seat, action, random, names)', observe: '(state, viewer, names)', outcome: '(state)' };
  const optional = ['validate', 'describe', 'view', 'redeal', 'evaluate'];
  const infoMembers = ['id', 'title', 'description', 'rules', 'guide', 'seats', 'options', 'actions'];
  const maxDepth = 40;
  const maxChoices = 10000;
  const noData = freeze({});
  const mostPlaced = 2000; // of a member: the places take memory, which is copied before each call
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
    if (typeof value === 'object') {
      const name = getPrototypeOf(value)?.constructor?.name ?? 'Object';
      const members = keys(value);
      return name === 'Object' ? `{${members.slice(0, 8).join(', ')}${members.length > 8 ? ', …' : ''}}` : `a ${name}`;
    }
    return typeof value === 'number' ? `the number ${value}` : typeof value === 'string' ? 'a string' : `${typeof value}`;
  }
  function shown(value) {
    const isShort = isArray(value) && value.every((each) => each === null || typeof each !== 'object');
    const text = typeof value === 'string' || isShort ? stringify(value) : typeof value === 'object' ? kindOf(value) : String(value);
    return text.length > 80 ? `${text.slice(0, 77)}...` : text;
  }

  // --- Copies and checks of what JSON can say exactly ---

  let trail = []; // the members and indices that lead to what is looked at, one for each level
  function placeOf(root, depth) {
    let path = root;
    for (let i = 0; i < depth; ++i) path += typeof trail[i] === 'number' ? `[${trail[i]}]` : `.${trail[i]}`;
    return path;
  }
  function refuseValue(value, root, depth) {
    throw new TypeError(`${placeOf(root, depth)} must be made of objects, arrays, strings, finite numbers, true, false and null; got ${kindOf(value)}`);
  }
  // The members of an object; undefined for an array.
  function membersOf(value, root, depth) {
    if (depth > maxDepth) throw new TypeError(`${placeOf(root, depth)} is nested more than ${maxDepth} levels deep`);
    if (isArray(value)) return undefined;
    if (typeof value !== 'object') refuseValue(value, root, depth);
    if (typeof value.then === 'function') throw new TypeError(`${placeOf(root, depth)} is a promise: a game script cannot wait`);
    const prototype = getPrototypeOf(value);
    if (prototype !== objectPrototype && prototype !== null) refuseValue(value, root, depth);
    return keys(value);
  }
  function refuseProto(root, depth) {
    throw new TypeError(`${placeOf(root, depth)} has a member named __proto__`);
  }

  // A frozen copy: what a script gave may be its own constant.
  function copyOf(value, root, depth = 0) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number') return value - value === 0 ? value + 0 : refuseValue(value, root, depth); // JSON has no -0
    const members = membersOf(value, root, depth);
    if (members === undefined) {
      const copy = [];
      for (let i = 0; i < value.length; ++i) {
        const element = value[i];
        if (typeof element === 'string' || element === null) {
          copy[i] = element;
        } else {
          trail[depth] = i;
          copy[i] = copyOf(element, root, depth + 1);
        }
      }
      return freeze(copy);
    }
    const copy = {};
    for (let i = 0; i < members.length; ++i) {
      const key = members[i];
      if (key === '__proto__') refuseProto(root, depth);
      const member = value[key];
      if (member === undefined) continue;
      trail[depth] = key;
      copy[key] = copyOf(member, root, depth + 1);
    }
    return freeze(copy);
  }

  // What is written as JSON right away needs no copy.
  function checked(value, root, depth = 0) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number') return value - value === 0 ? value : refuseValue(value, root, depth);
    const members = membersOf(value, root, depth);
    const length = (members ?? value).length;
    for (let i = 0; i < length; ++i) {
      const key = members === undefined ? i : members[i];
      if (key === '__proto__') refuseProto(root, depth);
      const member = value[key];
      if (typeof member === 'string' || member === null || (member === undefined && members !== undefined)) continue;
      trail[depth] = key;
      checked(member, root, depth + 1);
    }
    return value;
  }

  // Of what was parsed.
  function frozen(value) {
    if (value === null || typeof value !== 'object') return value;
    if (isArray(value)) for (let i = 0; i < value.length; ++i) frozen(value[i]);
    else for (const key in value) frozen(value[key]);
    return freeze(value);
  }

  // Messages are made only when they are needed: that takes longer than to check.
  function fail(message) {
    throw new TypeError(message);
  }

  // xoshiro128**. Its state is the match's; the script never sees it.
  let [a, b, c, d] = [1, 2, 3, 4];
  let drew = false;
  function seed(words) {
    a = words[0]; b = words[1]; c = words[2]; d = words[3];
    drew = false;
  }
  const wordsNow = () => (drew ? [a >>> 0, b >>> 0, c >>> 0, d >>> 0] : undefined); // undefined: as they were
  function int(n) {
    if (!(n >= 1 && n <= 4294967296 && n % 1 === 0)) {
      throw new RangeError(`random.int(n) takes a whole number from 1 to 4294967296; got ${shown(n)}`);
    }
    const last = 4294967296 - n;
    drew = true;
    for (;;) {
      const five = imul(b, 5);
      const drawn = imul((five << 7) | (five >>> 25), 9) >>> 0;
      const shifted = b << 9;
      c ^= a; d ^= b; b ^= c; a ^= d; c ^= shifted;
      d = (d << 11) | (d >>> 21);
      // All remainders are as likely, except of the last numbers below 2^32. (% of large numbers is slow.)
      const multiple = ((drawn / n) >>> 0) * n;
      if (multiple <= last) return drawn - multiple;
    }
  }
  const random = freeze({
    int,
    die: (n = 6) => int(n) + 1,
    pick(list) {
      if (!isArray(list) || list.length === 0) fail(`random.pick(list) takes a list with at least one value; got ${shown(list)}`);
      return list[int(list.length)];
    },
    shuffle(list) {
      if (!isArray(list)) fail(`random.shuffle(list) takes a list; got ${shown(list)}`);
      const mixed = [...list];
      for (let i = mixed.length - 1; i > 0; --i) {
        const j = int(i + 1);
        const kept = mixed[i];
        mixed[i] = mixed[j];
        mixed[j] = kept;
      }
      return mixed;
    },
  });

  // --- What a script returns, checked ---

  const actionPath = (seat, at) => `actions(state, ${seat})[${at}]`;
  const failOfMany = (seat, at) => fail(`${actionPath(seat, at)} has more than ${maxChoices} choices`);

  function valuesOf(given, seat, at, member) {
    if (isArray(given)) return given;
    const path = () => `${actionPath(seat, at)}.data.${member}`;
    if (given === null || typeof given !== 'object') fail(`${path()} must be a list of the legal values, or a JSON Schema; got ${shown(given)}`);
    if (isArray(given.enum)) return given.enum;
    if (given.const !== undefined) return [given.const];
    if (given.type === 'boolean') return [false, true];
    if (given.type === 'integer' && given.maximum - given.minimum <= maxChoices) {
      const list = [];
      for (let i = given.minimum; i <= given.maximum; ++i) list.push(i);
      return list;
    }
    if (!isArray(given.examples) || given.examples.length === 0) {
      fail(`${path()} has no list of values: give enum, minimum and maximum of an integer, or examples that are legal now`);
    }
    return given.examples;
  }

  // Every combination of the members' values; the last member's differ first.
  function combinations(data, seat, at) {
    let all;
    for (const member in data) {
      const values = valuesOf(data[member], seat, at, member);
      if ((all?.length ?? 1) * values.length > maxChoices) failOfMany(seat, at);
      const longer = [];
      if (all === undefined) for (let j = 0; j < values.length; ++j) longer[j] = { [member]: values[j] };
      else for (let i = 0; i < all.length; ++i) for (let j = 0; j < values.length; ++j) longer.push({ ...all[i], [member]: values[j] });
      all = longer;
    }
    return all ?? [{}];
  }

  // A single member's list says itself what is legal.
  function isFiltered(data) {
    if (game.validate === undefined) return false;
    let members = 0;
    for (const member in data) if (++members > 1) return true;
    return false;
  }
  function legalChoices(state, seat, at, name, data) {
    const all = combinations(data, seat, at);
    if (!isFiltered(data)) return all;
    hook = 'validate';
    return all.filter((choice) => game.validate(state, seat, { name, data: choice }) == null);
  }

  function knownOf(entry, seat, at) {
    const known = entry !== null && typeof entry === 'object' ? game.info.actions[entry.name] : undefined;
    if (!known) fail(`${actionPath(seat, at)} must be {name, data} with a name of info.actions; got ${shown(entry?.name ?? entry)}`);
    return known;
  }

  // The program makes the choices itself, except those that validate filters. Without data, exactly the choices are legal.
  function actionOf(state, seat, names, at, entry, isBrief) {
    const known = knownOf(entry, seat, at);
    const { name, description } = entry;
    const data = entry.data ?? {};
    const filtered = isArray(data) || isFiltered(data);
    const labeled = !isBrief && typeof known.label === 'function';
    if (!filtered && !labeled) {
      let count = 1;
      for (const member in data) count *= valuesOf(data[member], seat, at, member).length;
      if (count > maxChoices) failOfMany(seat, at);
      return count === 0 ? undefined : { name, description, data };
    }
    const choices = isArray(data) ? data : legalChoices(state, seat, at, name, data);
    if (choices.length === 0) return undefined;
    hook = 'info.actions label';
    const labels = [];
    for (let i = 0; labeled && i < choices.length; ++i) labels[i] = `${known.label(choices[i], names)}`;
    return { name, description, data: isArray(data) ? undefined : data, choices: filtered ? choices : undefined, labels: labeled ? labels : undefined };
  }

  function listOf(state, seat, names) {
    hook = 'actions';
    const list = game.actions(state, seat, names);
    if (!isArray(list)) fail(`actions(state, ${seat}) must return a list of {name, data}; got ${shown(list)}`);
    return list;
  }
  // What validate answered: nothing, or a reason.
  function reasonOf(answer) {
    if (answer === undefined || answer === null) return undefined;
    const reason = typeof answer === 'string' ? answer : answer.reason;
    if (typeof reason !== 'string' || reason === '') {
      fail(`validate must return nothing if the action is legal, or why it is not: a text, or {reason, path}; got ${shown(answer)}`);
    }
    return reason;
  }
  const choiceText = (name, data) => `${name} ${cut(stringify(data))}`;
  function failOfNone(state, seat, list) {
    for (let at = 0; game.validate && at < list.length; ++at) {
      const { name, data } = list[at];
      if (isArray(data)) continue;
      for (const choice of combinations(data ?? noData, seat, at)) {
        hook = 'validate';
        const reason = reasonOf(game.validate(state, seat, { name, data: choice }));
        if (reason !== undefined) fail(`validate refuses all that actions(state, ${seat}) offers, as ${choiceText(name, choice)}: ${reason}`);
      }
    }
    hook = 'actions';
    fail(`actions(state, ${seat}) offers nothing, but awaited(state) waits for seat ${seat}`);
  }

  function actionsOf(state, seat, names) {
    const list = listOf(state, seat, names);
    const actions = []; // the program checks their values against info.actions
    for (let at = 0; at < list.length; ++at) {
      const action = actionOf(state, seat, names, at, list[at], false);
      if (action !== undefined) actions.push(action);
    }
    hook = 'actions';
    if (actions.length === 0) failOfNone(state, seat, list);
    return actions;
  }

  // --- The same for who looks ahead, in few steps: JSON is written by hand, and values of info.actions are their places ---

  // A member of an action and the places of the values that it lists: {name, places}; of a list {text, copy}. isPlain if
  // there are no lists. Undefined if a value is no text, number, boolean, null or list of such.
  function listedOf(name, given) {
    const values = isArray(given) ? given : isArray(given?.enum) ? given.enum : undefined;
    if (values === undefined || values.length > mostPlaced) return undefined;
    const isPlain = (value) => value === null || typeof value !== 'object';
    const places = new Map();
    for (const [at, value] of values.entries()) {
      if (!isPlain(value) && !(isArray(value) && keys(value).length === value.length && value.every(isPlain))) return undefined;
      places.set(value, isPlain(value) ? `,${at}` : { text: `,${at}`, copy: [...value] });
    }
    return { name, places, isPlain: values.every(isPlain) };
  }

  // The places of a member's values, as JSON: how many, and each; undefined if they are not known. Of many plain values,
  // {"values"} takes fewer steps.
  function placesOf({ places, isPlain }, values) {
    if (isPlain && values.length > 6) return `{"values":${stringify(values)}}`;
    let text = `[${values.length}`;
    for (let i = 0; i < values.length; ++i) {
      const value = values[i];
      const place = places.get(value);
      if (place === undefined) return undefined;
      if (typeof place === 'string') {
        text += place;
        continue;
      }
      // A script may have changed its own constant.
      const { copy } = place;
      if (value[0] !== copy[0] || value[1] !== copy[1] || value.length !== copy.length) return undefined;
      for (let j = 2; j < copy.length; ++j) if (value[j] !== copy[j]) return undefined;
      text += place.text;
    }
    return `${text}]`;
  }

  // {"at": of info.actions, "places": of each member's values}; undefined if the action is not of this kind.
  function placedOf({ listed, start }, seat, at, data) {
    const names = keys(data);
    if (names.length !== listed.length) return undefined;
    let count = 1;
    let text = start;
    for (let i = 0; i < names.length; ++i) {
      const member = listed[i];
      const { name } = member;
      if (names[i] !== name) return undefined;
      const given = data[name];
      const values = isArray(given) ? given : valuesOf(given, seat, at, name);
      const found = placesOf(member, values);
      if (found === undefined) return undefined;
      count *= values.length;
      text += i === 0 ? found : `,${found}`;
    }
    if (count > maxChoices) failOfMany(seat, at);
    return count === 0 ? '' : text + ']}';
  }

  function offersOf(state, seat, names) {
    const list = listOf(state, seat, names);
    let text = '';
    for (let at = 0; at < list.length; ++at) {
      const entry = list[at];
      const known = knownOf(entry, seat, at);
      const data = entry.data ?? noData;
      const offer = (known.listed !== undefined && !isArray(data) ? placedOf(known, seat, at, data) : undefined)
        ?? stringify(actionOf(state, seat, names, at, entry, true)) ?? '';
      if (offer !== '') text += text === '' ? offer : `,${offer}`;
    }
    hook = 'actions';
    if (text === '') failOfNone(state, seat, list);
    return `[${text}]`;
  }

  const isSeat = (seat, seats) => typeof seat === 'number' && seat % 1 === 0 && seat >= 0 && seat < seats;

  function outcomeOf(state, seats) {
    hook = 'outcome';
    const outcome = game.outcome(state) ?? null;
    if (outcome === null) return null;
    checked(outcome, 'outcome(state)');
    winnersOf(outcome, seats);
    return outcome;
  }
  function winnersOf(outcome, seats) {
    const { winners, reason } = outcome;
    if (!isArray(winners) || typeof reason !== 'string') {
      fail(`outcome(state) must return {winners: [seat], reason: "text"}, or null while the game goes on; got ${shown(outcome)}`);
    }
    for (let i = 0; i < winners.length; ++i) {
      if (!isSeat(winners[i], seats)) fail(`outcome(state).winners must be seats from 0 to ${seats - 1}; got ${shown(winners[i])}`);
    }
    return winners;
  }

  function awaitedOf(state, seats) {
    hook = 'awaited';
    const list = game.awaited(state);
    if (!isArray(list) || list.length === 0) {
      fail(`awaited(state) must return the seats that choose now, at least one while outcome(state) is null; got ${shown(list)}`);
    }
    for (let i = 0; i < list.length; ++i) {
      if (!isSeat(list[i], seats)) fail(`awaited(state) must return seats from 0 to ${seats - 1}; got ${shown(list[i])}`);
    }
    return list;
  }

  // What who looks ahead needs of a state, as JSON: nothing that people see and read. `more` are members of it.
  function glanceAt(state, names, more) {
    const seats = names.length;
    const outcome = outcomeOf(state, seats);
    const awaited = outcome === null ? awaitedOf(state, seats) : [];
    let list = '', offers = '';
    for (let i = 0; i < awaited.length; ++i) {
      const comma = i === 0 ? '' : ',';
      list += comma + awaited[i];
      offers += comma + offersOf(state, awaited[i], names);
    }
    let text = '{"state":' + (stringify(state) ?? fail('the script returned no state')) + more;
    if (outcome !== null) text += `,"outcome":${stringify(outcome)}`;
    if (drew) text += `,"random":[${wordsNow()}]`;
    return text + ',"awaited":[' + list + '],"actions":[' + offers + ']}';
  }

  // Everything that the program may ask about a state.
  function lookAt(state, names) {
    const seats = names.length;
    const outcome = outcomeOf(state, seats);
    const awaited = outcome === null ? awaitedOf(state, seats) : [];
    const actions = [];
    for (let i = 0; i < awaited.length; ++i) actions.push(actionsOf(state, awaited[i], names));
    const observed = [], described = [];
    // If nothing is hidden, all see what spectators see.
    const last = game.info.hides ? seats : 0;
    for (let viewer = -1; viewer < last; ++viewer) {
      const who = viewer < 0 ? null : viewer;
      hook = 'observe';
      const seen = game.observe(state, who, names);
      if (seen === null || typeof seen !== 'object' || isArray(seen)) fail(`observe(state, ${who}) must return an object; got ${shown(seen)}`);
      observed.push(checked(seen, `observe(state, ${who})`));
    }
    for (let seat = 0; game.describe && seat < seats; ++seat) {
      hook = 'describe';
      const text = game.describe(state, seat, names);
      if (typeof text !== 'string') fail(`describe(state, ${seat}) must return a text; got ${shown(text)}`);
      described.push(text);
    }
    return { state, outcome, awaited, actions, observed, described: game.describe ? described : undefined };
  }

  function logOf(lines, seats) {
    if (lines === undefined || lines === null) return [];
    if (!isArray(lines)) fail(`the log of apply must be a list of texts or {text, to}; got ${shown(lines)}`);
    const log = [];
    for (let i = 0; i < lines.length; ++i) log[i] = typeof lines[i] === 'string' ? lines[i] : lineOf(lines[i], i, seats);
    return log;
  }
  function lineOf(line, at, seats) {
    checked(line, `log[${at}]`);
    if (typeof line?.text !== 'string') fail(`a line of the log must be a text or {text, to}; got ${shown(line)}`);
    const to = line.to === undefined || isArray(line.to) ? line.to : [line.to];
    for (const seat of to ?? []) if (!isSeat(seat, seats)) fail(`a line of the log is for seats from 0 to ${seats - 1}; got ${shown(seat)}`);
    return { text: line.text, to };
  }

  function labelOf({ name, data }, names) {
    const { label } = game.info.actions[name];
    if (typeof label !== 'function') return undefined;
    hook = 'info.actions label';
    return `${label(data, names)}`;
  }

  function applied(state, seat, action, names) {
    hook = 'apply';
    const answer = game.apply(state, seat, action, random, names);
    if (answer === null || typeof answer !== 'object' || answer.state === undefined) {
      fail(`apply must return {state}, with a result and a log if there are any; got ${shown(answer)}`);
    }
    return answer;
  }

  const operations = {
    setup({ options, names, random: words }) {
      seed(words);
      hook = 'setup';
      const state = copyOf(game.setup(options, names.length, random), 'state');
      return { ...lookAt(state, names), random: wordsNow() };
    },
    apply({ state, seat, action, names, random: words, label }) {
      seed(words);
      const answer = applied(state, seat, freeze(action), names);
      const next = copyOf(answer.state, 'state');
      const result = checked(answer.result ?? null, 'result');
      const log = logOf(answer.log, names.length);
      const line = label && log.length === 0 ? labelOf(action, names) : undefined;
      return { ...lookAt(next, names), random: wordsNow(), result, log, label: line };
    },
    // Of who looks ahead, and is content with what JSON makes of a state. A list is read in fewer steps than an object.
    ahead(given) {
      const names = given[4];
      seed(given[5]);
      const action = freeze({ name: given[2], data: given[3] });
      const answer = applied(given[0], given[1], action, names);
      const log = logOf(answer.log, names.length);
      const line = given[6] && log.length === 0 ? labelOf(action, names) : undefined;
      const told = log.length > 0 ? `,"log":${stringify(log)}` : line !== undefined ? `,"label":${stringify(line)}` : '';
      return glanceAt(answer.state, names, told);
    },
    look({ state, names }) {
      return lookAt(frozen(state), names);
    },
    validate({ state, seat, action }) {
      hook = 'validate';
      const answer = game.validate(frozen(state), seat, action);
      const reason = reasonOf(answer);
      return reason === undefined ? {} : { reason, path: checked(answer.path ?? null, 'validate(state, seat, action).path') ?? undefined };
    },
    redeal({ state, seat, names, random: words }) {
      seed(words);
      hook = 'redeal';
      const next = copyOf(game.redeal(state, seat, random), 'state');
      return glanceAt(next, names, '');
    },
    view({ state, viewer, names }) {
      hook = 'view';
      return checked(game.view(frozen(state), viewer, names), 'view');
    },
    evaluate({ state, seat }) {
      hook = 'evaluate';
      const worth = game.evaluate(frozen(state), seat);
      if (!(worth >= 0 && worth <= 1)) fail(`evaluate must return a number from 0 (lost) to 1 (won); got ${shown(worth)}`);
      return { worth };
    },
    // Random games to the end, all in one call: for search, which gets the winners of each. Nothing is copied, and only the
    // choice that is made is built.
    playouts({ state, names, random: words, games, moves }) {
      seed(words);
      const text = stringify(state);
      const winners = [];
      let played = 0;
      for (let i = 0; i < games; ++i) {
        let now = parse(text);
        let left = moves;
        for (;; ++played) {
          hook = 'outcome';
          const outcome = game.outcome(now) ?? null;
          if (outcome !== null || left-- === 0) {
            winners[i] = outcome === null ? null : winnersOf(outcome, names.length);
            break;
          }
          hook = 'awaited';
          const list = game.awaited(now);
          const seat = list.length === 1 ? list[0] : random.pick(list);
          hook = 'actions';
          now = applied(now, seat, randomChoice(now, seat, game.actions(now, seat, names)), names).state;
        }
      }
      return { winners, played };
    },
  };

  // --- What only `games check` asks ---

  // One argument too many is a mistake that a match does not notice; list.map(random.pick) is none.
  const takesOne = (name) => (...given) => {
    const [first, last] = given;
    if (given.length !== 2 || first === undefined) return random[name](...given);
    const instead = name === 'int' && last >= first ? `: from ${first} to ${last} is ${first} + random.int(${last - first + 1})` : '';
    return fail(`random.${name} takes one argument; got ${given.map(shown).join(', ')}${instead}`);
  };
  const strictRandom = freeze({ int: takesOne('int'), die: takesOne('die'), pick: takesOne('pick'), shuffle: takesOne('shuffle') });
  function bytesOf(text) {
    let bytes = 0;
    for (const each of text) bytes += each < '\x80' ? 1 : each < '\u0800' ? 2 : each.length === 1 ? 3 : 4;
    return bytes;
  }
  const mostLineBytes = 1000, mostReasonBytes = 200, mostLooked = 200; // as src/games/script/position.cc cuts

  // What actions offers has a label, and validate does not refuse it.
  function checkOffers(list, state, seat, names) {
    for (let at = 0; at < list.length; ++at) {
      const entry = list[at];
      checkMembers(entry, ['name', 'description', 'data'], 'actions');
      const known = knownOf(entry, seat, at);
      const { name, data = {} } = entry;
      const choices = isArray(data) ? data : combinations(data, seat, at);
      const mayRefuse = !isArray(data) && isFiltered(data);
      for (const choice of choices.slice(0, mostLooked)) {
        hook = 'validate';
        const reason = game.validate && reasonOf(game.validate(state, seat, { name, data: choice }));
        if (reason !== undefined && !mayRefuse) {
          fail(`validate refuses ${choiceText(name, choice)}, which actions(state, ${seat}) offers: ${reason}. Leave it out of the list: ` +
            'validate takes out only combinations of several members');
        }
        if (known.label === undefined || reason !== undefined) continue;
        hook = 'info.actions label';
        const said = known.label(choice, names);
        hook = 'info.actions';
        if (typeof said !== 'string' || said === '') fail(`info.actions.${name}.label must return a text; got ${shown(said)} for ${choiceText(name, choice)}`);
      }
    }
  }
  function checkLog(lines) {
    for (const [at, line] of (lines ?? []).entries()) {
      if (typeof line !== 'string') checkMembers(line, ['text', 'to'], `apply: log[${at}]`);
      const bytes = bytesOf(typeof line === 'string' ? line : line.text);
      if (bytes > mostLineBytes) fail(`apply: log[${at}] has ${bytes} bytes, of which only ${mostLineBytes} are kept: say it in several lines`);
    }
  }
  // A state that the seat can tell from this one, because redeal lost a part of it.
  function checkRedealt(text, redealt, seat, names) {
    if (redealt === null || redealt === undefined) fail(`redeal must return a state; got ${shown(redealt)}`);
    const state = parse(text);
    if (state === null || typeof state !== 'object' || isArray(state)) return;
    const lost = keys(state).filter((name) => redealt[name] === undefined);
    if (lost.length === 0) return;
    const seen = (from) => {
      try {
        return stringify([game.awaited(parse(from)), game.observe(parse(from), seat, names)]);
      } catch {
        return '';
      }
    };
    if (seen(text) !== seen(stringify(redealt))) {
      fail(`redeal must return a state with all members of the given one; ${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} missing in ${shown(redealt)}`);
    }
  }

  const cut = (text) => (text.length > 100 ? `${text.slice(0, 97)}...` : text);

  function checkMembers(value, known, path) {
    for (const key of keys(value)) {
      if (value[key] !== undefined && !known.includes(key)) fail(`${path}: there is no member "${key}" here, only ${known.join(', ')}`);
    }
  }
  // Without redeal, all viewers get what null gets.
  function checkViewers(name, text, names) {
    hook = name;
    const all = stringify(game[name](parse(text), null, names));
    for (let seat = 0; seat < names.length; ++seat) {
      const own = stringify(game[name](parse(text), seat, names));
      if (own === all) continue;
      fail(`without redeal, viewer is always null, and everybody gets ${cut(all)}; ${name} has ${cut(own)} for seat ${seat}. ` +
        'Export redeal; if nothing is hidden: export const redeal = (state) => state');
    }
  }
  Object.assign(operations, {
    // Calls each function twice with the same arguments: one that keeps something outside of the state answers differently.
    examine({ state, seat, action, names, random: words }) {
      const text = stringify(state);
      const again = (name, call) => {
        if (game[name] === undefined) return undefined;
        hook = name;
        const values = [];
        for (let i = 0; i < 2; ++i) {
          seed(words);
          values[i] = call(parse(text));
        }
        const [one, other] = values.map((value) => stringify(value) ?? 'undefined');
        let at = 0;
        while (at < one.length && one[at] === other[at]) ++at;
        const part = (whole) => cut(at > 30 ? `...${whole.slice(at - 30)}` : whole);
        if (one !== other) fail(`${name} returned something else when it was called again with the same: ${part(one)}, then ${part(other)}; keep everything in the state`);
        return values[0];
      };
      if (action !== undefined) {
        const answer = again('apply', (now) => game.apply(now, seat, parse(stringify(action)), strictRandom, names));
        checkMembers(answer, ['state', 'log', 'result'], 'apply');
        checkLog(answer.log);
        if (drew && !game.info.hides) {
          fail('apply uses random, so search must not see what comes: export redeal; if nothing is hidden: export const redeal = (state) => state');
        }
        checkOffers(again('actions', (now) => game.actions(now, seat, names)), frozen(parse(text)), seat, names);
        again('awaited', (now) => game.awaited(now));
        again('validate', (now) => game.validate(now, seat, parse(stringify(action))));
      }
      const outcome = again('outcome', (now) => game.outcome(now) ?? null);
      if (outcome !== null) {
        checkMembers(outcome, ['winners', 'reason', 'scores'], 'outcome');
        const bytes = bytesOf(outcome.reason);
        if (bytes > mostReasonBytes) fail(`outcome: the reason has ${bytes} bytes, of which only ${mostReasonBytes} are kept`);
      }
      const viewer = game.info.hides ? seat : null;
      again('observe', (now) => game.observe(now, viewer, names));
      again('describe', (now) => game.describe(now, seat, names));
      again('view', (now) => game.view(now, viewer, names));
      const redealt = again('redeal', (now) => game.redeal(now, seat, strictRandom));
      if (game.redeal) checkRedealt(text, redealt, seat, names);
      if (outcome === null) again('evaluate', (now) => game.evaluate(now, seat));
      if (game.info.hides) return {};
      checkViewers('observe', text, names);
      if (game.view) checkViewers('view', text, names);
      return {};
    },
    // Whether setup draws; what it makes is not checked.
    examineSetup({ options, names, random: words }) {
      seed(words);
      hook = 'setup';
      game.setup(options, names.length, strictRandom);
      return { drew };
    },
  });

  // Whether one letter is missing, added or wrong, or two are swapped.
  function isNear(given, name) {
    const same = given.toLowerCase();
    const [long, short] = same.length < name.length ? [name, same] : [same, name];
    let at = 0;
    while (at < short.length && long[at] === short[at]) ++at;
    const after = (text, skipped) => text.slice(at + skipped);
    if (long.length > short.length) return after(long, 1) === after(short, 0);
    return after(long, 1) === after(short, 1) || (long[at] === short[at + 1] && long[at + 1] === short[at] && after(long, 2) === after(short, 2));
  }
  const placeOfFunction = ({ fileName, lineNumber, columnNumber }) => `${fileName}:${lineNumber}:${columnNumber}`;

  const choiceTries = 32;

  // A choice at random, each with the same probability: drawn again if the script refuses it.
  function randomChoice(state, seat, entries) {
    // Most games offer one action, whose data has one member.
    if (entries.length === 1) {
      const { name, data } = entries[0];
      const sole = game.info.actions[name]?.sole;
      const given = data?.[sole];
      if (given !== undefined) {
        const values = isArray(given) ? given : valuesOf(given, seat, 0, sole);
        const { length } = values;
        if (length > 0) return { name, data: { [sole]: values[length === 1 ? 0 : int(length)] } };
      }
      if (data === undefined) return { name, data: {} };
    }
    const counts = [];
    let all = 0;
    for (let at = 0; at < entries.length; ++at) {
      const { data } = entries[at];
      let count = isArray(data) ? data.length : 1;
      if (!isArray(data)) for (const member in data) count *= valuesOf(data[member], seat, at, member).length;
      counts[at] = count;
      all += count;
    }
    for (let tries = 0; all > 0 && tries < choiceTries; ++tries) {
      let number = all === 1 ? 0 : int(all);
      let at = 0;
      while (number >= counts[at]) number -= counts[at++];
      const { name, data: offered } = entries[at];
      if (isArray(offered)) return { name, data: offered[number] };
      const data = {};
      let members = 0;
      for (const member in offered) {
        const values = valuesOf(offered[member], seat, at, member);
        const place = number % values.length;
        data[member] = values[place];
        number = (number - place) / values.length;
        ++members;
      }
      const choice = { name, data };
      if (members < 2 || !game.validate) return choice;
      hook = 'validate';
      if (game.validate(state, seat, choice) == null) return choice;
    }
    const choices = entries.flatMap(({ name, data }, at) =>
      (isArray(data) ? data : legalChoices(state, seat, at, name, data ?? {})).map((values) => ({ name, data: values })));
    if (choices.length === 0) failOfNone(state, seat, entries);
    return choices[int(choices.length)];
  }

  return {
    load(exports) {
      game = {};
      if (exports.info === null || typeof exports.info !== 'object') fail('the script must export info: export const info = {id, title, …}');
      for (const name of keys(required)) {
        const near = keys(exports).find((given) => isNear(given, name));
        if (typeof exports[name] !== 'function') {
          fail(`the script must export the function ${name}${required[name]}${near !== undefined && near !== name ? `; it exports ${near}` : ''}`);
        }
        game[name] = exports[name];
      }
      for (const name of optional) {
        const near = exports[name] === undefined ? keys(exports).find((given) => given !== name && isNear(given, name)) : undefined;
        if (near !== undefined) fail(`there is no export "${near}": is it meant to be ${name}? Something of your own needs a name that is less like it`);
        if (exports[name] === undefined) continue;
        if (typeof exports[name] !== 'function') fail(`${name} must be a function; got ${shown(exports[name])}`);
        game[name] = exports[name];
      }
      const actions = { __proto__: null };
      const given = exports.info.actions;
      checkMembers({ ...exports.info, hides: undefined }, infoMembers, 'info');
      if (exports.info.seats !== null && typeof exports.info.seats === 'object') checkMembers(exports.info.seats, ['min', 'max', 'roles'], 'info.seats');
      if (given === null || typeof given !== 'object' || isArray(given)) {
        fail('info.actions must be an object with the description of each action: {move: "Put your mark on a free cell."}');
      }
      for (const name of keys(given)) {
        const entry = typeof given[name] === 'string' ? { description: given[name] } : given[name];
        if (typeof entry?.description !== 'string') fail(`info.actions.${name} must be a description, or {description, data, label}`);
        checkMembers(entry, ['description', 'data', 'label'], `info.actions.${name}`);
        if (entry.label !== undefined && typeof entry.label !== 'function') {
          fail(`info.actions.${name}.label must be a function: label: (data, names) => 'Take 2'; got ${shown(entry.label)}`);
        }
        actions[name] = entry;
      }
      const names = keys(actions);
      const catalog = names.map((name) => ({ name, ...checked({ ...actions[name], label: undefined }, `info.actions.${name}`) }));
      for (const [at, name] of names.entries()) {
        const members = keys(actions[name].data ?? noData).map((member) => listedOf(member, actions[name].data[member]));
        // Of several members, validate says which combinations are legal.
        const listed = members.includes(undefined) || (members.length > 1 && game.validate !== undefined) ? undefined : members;
        const sole = members.length === 1 ? keys(actions[name].data)[0] : undefined;
        actions[name] = freeze({ ...actions[name], listed, sole, start: `{"at":${at},"places":[` });
      }
      game.info = freeze({ actions: freeze(actions), hides: game.redeal !== undefined });
      const info = checked({ ...exports.info, actions: undefined }, 'info');
      const functions = {};
      for (const name of keys(game)) if (name !== 'info') functions[name] = placeOfFunction(game[name]);
      return stringify({ info: { ...info, actions: catalog }, functions });
    },
    call(operation, input) {
      const answer = operations[operation](parse(input));
      return typeof answer === 'string' ? answer : stringify(answer);
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
