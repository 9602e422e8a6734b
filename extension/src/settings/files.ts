// Files in and out of the page, as the wire carries them: base64.

// base64 reads a whole file.
export function base64(f: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const r = new FileReader();
    r.onload = () => resolve(String(r.result).replace(/^[^,]*,/, ''));
    r.onerror = () => reject(r.error ?? new Error(f.name));
    r.readAsDataURL(f);
  });
}

// download hands a file to the browser, which asks the person or keeps it among the downloads.
export function download(name: string, data: string): void {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/gzip' }));
  const a = document.createElement('a');
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser reads it after the click
}
