/** Parses the file name of a Content-Disposition header (RFC 6266 §4.3). The UTF-8 form wins over the plain one. */
export function fileName(header: string | null): string | undefined {
  const wide = /filename\*\s*=\s*UTF-8''([^;\s]+)/i.exec(header ?? "")?.[1];
  if (wide) {
    try {
      return decodeURIComponent(wide);
    } catch {
      // invalid UTF-8
    }
  }
  return /filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header ?? "")?.[1]?.replace(/\\(.)/g, "$1");
}

/** Has the browser keep a file under a name. */
export function keepFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser has read it by then
}
