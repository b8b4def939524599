// Some browsers fetch the file only after the click was handled.
const kKeptMs = 10_000;

// Hands a text to the person at the browser as a file.
export function download(name: string, content: string, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), kKeptMs);
}
