/** The name that a Content-Disposition gives a file (RFC 6266 §4.3): the one in UTF-8 before the plain one. */
export function fileName(header: string | null): string | undefined {
  const wide = /filename\*\s*=\s*UTF-8''([^;\s]+)/i.exec(header ?? "")?.[1];
  if (wide) {
    try {
      return decodeURIComponent(wide);
    } catch {
      // no UTF-8 after all
    }
  }
  return /filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header ?? "")?.[1]?.replace(/\\(.)/g, "$1");
}
