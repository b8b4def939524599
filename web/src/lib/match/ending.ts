// How a match ended, in words. Pure.
const kFailed = "the game's script failed"; // src/games/script/script_state.cc
const kBrokeOff = [kFailed, 'nothing happened for too long']; // src/match/match_around.cc

export interface Ending {
  text: string;
  brief: string; // for lists: "Ann won"
  tone: 'good' | 'bad' | 'plain'; // for `me`
  failed: boolean; // the game's script did: the server's log says why
}

// winner: as the server names it, several with commas; null: nobody. players: all names. me: who looks, if they played.
export function endingOf(winner: string | null, reason: string | undefined, players: readonly string[] = [], me?: string): Ending {
  const why = reason ? ` (${reason})` : '';
  const failed = reason === kFailed;
  const say = (tone: Ending['tone'], text: string, brief = text) => ({ text: `${text}${why}`, brief, tone, failed });
  if (winner === null) {
    if (reason !== undefined && kBrokeOff.includes(reason)) return say('plain', 'The match broke off', 'broke off');
    if (players.length === 1) return me === players[0] ? say('bad', 'You lost') : say('plain', `${players[0]} lost`);
    return say('plain', 'A draw', 'a draw');
  }
  const winners = winner.split(', ');
  if (me === undefined || players.length === 0) return say('plain', `${winner} won`);
  if (!winners.includes(me)) return say('bad', `You lost: ${winner} won`);
  const others = winners.filter((each) => each !== me);
  return say('good', others.length > 0 ? `You won, with ${others.join(', ')}` : 'You won');
}
