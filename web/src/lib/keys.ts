// Whether a key press is a page shortcut: without modifiers, and not in a form field or dialog.
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  return !(event.target instanceof Element && event.target.closest('input, textarea, select, dialog, [contenteditable]'));
}
