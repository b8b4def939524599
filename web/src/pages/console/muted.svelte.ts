// Diagnostics that a person muted, by game and key; kept in this browser.
const kKey = 'openseat.console.muted';
const kMost = 500;

function stored(): string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(kKey) ?? '[]');
    return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

class Muted {
  #list = $state.raw<string[]>(stored());

  has(game: string, key: string): boolean {
    return this.#list.includes(`${game}\n${key}`);
  }
  toggle(game: string, key: string): void {
    const id = `${game}\n${key}`;
    this.#list = this.#list.includes(id) ? this.#list.filter((each) => each !== id) : [...this.#list, id].slice(-kMost);
    localStorage.setItem(kKey, JSON.stringify(this.#list));
  }
}

export const muted = new Muted();
