// A match that is over has the address of its recording.
import { readReplay } from './api/console';
import { matchId } from './match_name';
import { href, router } from './router.svelte';

// Goes there instead of this page. False if there is no recording, or not for this browser.
export async function openRecording(match: string): Promise<boolean> {
  const id = matchId(match);
  try {
    const { count } = await readReplay(id, { said: true }, { askToken: false });
    if (count > 0) router.replace(href('/replays/:id', { id }));
    return count > 0;
  } catch {
    return false;
  }
}
