// Light or dark: the system's setting, unless the person chose otherwise here.
export type ThemeChoice = 'system' | 'light' | 'dark';

const kKey = 'openseat.theme';

function stored(): ThemeChoice {
  const value = localStorage.getItem(kKey);
  return value === 'light' || value === 'dark' ? value : 'system';
}

class Theme {
  choice = $state<ThemeChoice>(stored());
  #systemDark = $state(false);
  shown = $derived<'light' | 'dark'>(this.choice === 'system' ? (this.#systemDark ? 'dark' : 'light') : this.choice);

  constructor() {
    const query = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
    this.#systemDark = query?.matches ?? false;
    query?.addEventListener('change', (event) => {
      this.#systemDark = event.matches;
    });
  }

  choose(choice: ThemeChoice): void {
    this.choice = choice;
    if (choice === 'system') localStorage.removeItem(kKey);
    else localStorage.setItem(kKey, choice);
  }
}

export const theme = new Theme();
