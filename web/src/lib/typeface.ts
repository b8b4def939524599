// Figtree (SIL Open Font License 1.1, public/figtree-license.txt), in two parts: the letters of most European languages, and the rest. A browser's
// first visit loads it once the first page is there, so that it delays nothing, and uses it from the next page on, so that nothing
// moves while it is read. Later visits have it before the first page.
import latin from '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2?url';
import latinExtended from '@fontsource-variable/figtree/files/figtree-latin-ext-wght-normal.woff2?url';

const kKey = 'openseat.typeface'; // the URL that this browser has loaded before
const kPatience = 80; // ms

const kLatin = 'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD';
const kExtended = 'U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+1D00-1DBF, U+1E00-1E9F, U+1EF2-1EFF, U+2020, U+20A0-20AB, U+20AD-20C0, U+2113, U+2C60-2C7F, U+A720-A7FF';

const face = (url: string, unicodeRange: string) => new FontFace('Figtree', `url(${url})`, { weight: '300 900', unicodeRange });

// Whether it could be loaded; else the system's typeface does as well.
async function load(): Promise<FontFace | undefined> {
  try {
    const loaded = await face(latin, kLatin).load();
    localStorage.setItem(kKey, latin);
    return loaded;
  } catch {
    return undefined;
  }
}
function use(loaded: FontFace | undefined): void {
  if (!loaded) return;
  document.fonts.add(loaded);
  document.fonts.add(face(latinExtended, kExtended)); // loaded where it is needed
}

const useLater = (loaded: FontFace | undefined) => addEventListener('hashchange', () => use(loaded), { once: true });

// Resolves when the first page may be shown.
export async function startTypeface(): Promise<void> {
  if (typeof FontFace === 'undefined') return;
  if (localStorage.getItem(kKey) === latin) {
    let shown = false;
    const soon = load().then((loaded) => (shown ? useLater(loaded) : use(loaded)));
    await Promise.race([soon, new Promise((done) => setTimeout(done, kPatience))]);
    shown = true;
    return;
  }
  const later = () => (globalThis.requestIdleCallback ?? setTimeout)(() => void load().then(useLater));
  if (document.readyState === 'complete') later();
  else addEventListener('load', later, { once: true });
}
