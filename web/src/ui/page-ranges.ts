/** Formats page numbers briefly, each once and in order: 1, 3–5. */
export function pageRanges(numbers: readonly number[]): string {
  const pages = [...new Set(numbers)].sort((a, b) => a - b), ranges: string[] = [];
  for (let i = 0; i < pages.length; ) {
    let j = i;
    while (pages[j + 1] === pages[j]! + 1) j++;
    ranges.push(j - i > 1 ? `${pages[i]}\u2013${pages[j]}` : pages.slice(i, j + 1).join(", "));
    i = j + 1;
  }
  return ranges.join(", ");
}
