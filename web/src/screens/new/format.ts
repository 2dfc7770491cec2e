/** The name of a file without what tells its kind. */
export const stem = (name: string): string => name.replace(/\.[^./\\]{1,5}$/, "") || name;

/** How large a file is, as people say it. */
export function sizeOf(bytes: number, language: string): string {
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kilobyte"] : [bytes / 1e6, "megabyte"];
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/** A moment as a field for date and time holds it: local, to the minute. */
export function moment(d: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}T${two(d.getHours())}:${two(d.getMinutes())}`;
}
