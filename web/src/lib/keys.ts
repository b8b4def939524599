// Whether a key was pressed as a shortcut of the page: alone, and not while something is filled in or asked.
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  return !(event.target instanceof Element && event.target.closest('input, textarea, select, dialog, [contenteditable]'));
}
