// Calls a player who looks at another tab: whose turn it is stands in the title and in the icon of the tab; a sound and
// a notification of the browser are for those who switched them on.
const kSoundKey = 'openseat.sound';
const kNoticeKey = 'openseat.notices';
const kIcon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6e63"/><circle cx="16" cy="16" r="8.500" fill="#f5b841"/></svg>')}`;

class Attention {
  sound = $state(localStorage.getItem(kSoundKey) === 'on');
  notices = $state(localStorage.getItem(kNoticeKey) === 'on' && globalThis.Notification?.permission === 'granted');
  readonly canNotify = 'Notification' in globalThis;

  setSound(on: boolean): void {
    this.sound = on;
    localStorage.setItem(kSoundKey, on ? 'on' : 'off');
    if (on) beep();
  }
  // Asks for permission if necessary.
  async setNotices(on: boolean): Promise<void> {
    const may = on && this.canNotify && (Notification.permission === 'granted' || (await Notification.requestPermission()) === 'granted');
    this.notices = may;
    localStorage.setItem(kNoticeKey, may ? 'on' : 'off');
  }
}
export const attention = new Attention();

function beep(): void {
  if (!('AudioContext' in globalThis)) return;
  const audio = new AudioContext();
  const volume = audio.createGain();
  volume.connect(audio.destination);
  volume.gain.setValueAtTime(0.12, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.4);
  const tone = audio.createOscillator();
  tone.frequency.setValueAtTime(660, audio.currentTime);
  tone.frequency.setValueAtTime(880, audio.currentTime + 0.12);
  tone.connect(volume);
  tone.start();
  tone.stop(audio.currentTime + 0.4);
  tone.onended = () => void audio.close();
}

// Call during a component's initialization. `title` is that of the page; `asked`: whether it is the player's turn.
export function callWhenAsked(asked: () => boolean, title: () => string): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const usual = icon?.href;
  $effect(() => {
    const now = asked();
    document.title = `${now ? '● Your turn · ' : ''}${title()} · Openseat`;
    if (icon && usual) icon.href = now ? kIcon : usual;
  });
  let before = asked();
  $effect(() => {
    const now = asked();
    if (now && !before && document.hidden) {
      if (attention.sound) beep();
      if (attention.notices) new Notification('Your turn', { body: title(), tag: 'openseat-turn' });
    }
    before = now;
  });
  $effect(() => () => {
    if (icon && usual) icon.href = usual;
  });
}
