/** Formats a file size for people. */
export function sizeOf(bytes: number, language: string): string {
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kilobyte"] : bytes < 1e9 ? [bytes / 1e6, "megabyte"] : [bytes / 1e9, "gigabyte"];
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/** Formats two sizes with as many digits as tell them apart. */
export function sizesOf(a: number, b: number, language: string): [string, string] {
  if (a === b || sizeOf(a, language) !== sizeOf(b, language)) return [sizeOf(a, language), sizeOf(b, language)];
  for (let digits = 1; digits < 6; digits++) {
    const format = new Intl.NumberFormat(language, { style: "unit", unit: "megabyte", minimumFractionDigits: digits, maximumFractionDigits: digits });
    if (format.format(a / 1e6) !== format.format(b / 1e6)) return [format.format(a / 1e6), format.format(b / 1e6)];
  }
  const bytes = new Intl.NumberFormat(language, { style: "unit", unit: "byte", unitDisplay: "long" });
  return [bytes.format(a), bytes.format(b)];
}
