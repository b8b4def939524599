// A story for tests, as the server gives it.
import type { Game, Library, Scenario, Turn } from './api';

export const scenario: Scenario = {
  id: 'whispering-woods',
  title: 'The Whispering Woods',
  summary: 'A forest that repeats what it hears.',
  turns: 30,
  characters: [
    { id: 'npc.kiera', name: 'Kiera', about: 'A guide of few words.' },
    { id: 'npc.shrine', name: 'The Voice in the Chimes', about: 'Old, curious.' },
  ],
};

export const game: Game = {
  id: 'amber-heron',
  scenario: 'whispering-woods',
  title: 'The Whispering Woods',
  player: 'Ana',
  narrator: { kind: 'storyteller' },
  schemaVersion: 1,
  status: 'waiting',
  turnNumber: 1,
  opened: '2026-11-22T01:00:00.000Z',
};

export const library: Library = { scenarios: [scenario], games: [game], schemaVersions: [1, 2] };

export const turns: Turn[] = [
  {
    turnNumber: 1,
    turn: {
      narrative: 'The path ends.\n\nA woman is waiting.',
      emotion: 'neutral',
      choices: [
        { id: 'a1b2c3d4-e5f6-7890-abcd-ef1234567890', label: 'Follow the chimes', description: 'They seem to call.' },
        { id: 'b2c3d4e5-f6a7-8901-bcde-f12345678901', label: 'Examine the mist' },
      ],
      npcResponses: [{ npcId: 'npc.kiera', response: 'Stay close.', emotion: 'cautious' }],
    },
    state: {
      turnNumber: 1,
      maxTurns: 30,
      relationships: { 'npc.kiera': 0 },
      factions: { 'faction.wardens': 0 },
      worldState: { place: "the forest's edge" },
      over: false,
    },
  },
  {
    turnNumber: 2,
    input: { by: 'Ana', choiceId: 'a1b2c3d4-e5f6-7890-abcd-ef1234567890', text: 'Follow the chimes' },
    turn: {
      narrative: 'You walk *quietly*.',
      emotion: 'fearful',
      choices: [
        { id: 'c3d4e5f6-a7b8-9012-cdef-123456789012', label: 'Go on', description: 'It is near.' },
        { id: 'd4e5f6a7-b8c9-0123-def0-234567890123', label: 'Turn back' },
      ],
      relationshipDeltas: { 'npc.kiera': 5 },
      factionDeltas: { 'faction.wardens': -3 },
      worldStateChanges: { place: 'the path' },
    },
    state: {
      turnNumber: 2,
      maxTurns: 30,
      relationships: { 'npc.kiera': 5 },
      factions: { 'faction.wardens': -3 },
      worldState: { place: 'the path' },
      over: false,
    },
  },
];
