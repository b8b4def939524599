// Some browsers fetch the file only after the click handler returns.
const kKeptMs = 10_000;

// Offers a text as a file download.
export function download(name: string, content: string, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), kKeptMs);
}
