/** The least that is read at a time: 64 KiB. */
export const chunk = 1 << 16;

/** The most: 2 MiB. */
const most = 32 * chunk;

/**
 * Ahead says how far to read from a place. A page that is jumped to takes a chunk or two; whoever reads on where he left
 * off, as through a list of thousands of pages, is given twice as much each time, and nothing twice.
 */
export class Ahead {
  private read = new Set<number>();
  /** How much was given last, by where it ended: a few readers at once, each at his own place. */
  private ends = new Map<number, number>();

  constructor(private length: number) {}

  /** Where to end a reading that begins at a chunk and needs so much at least. */
  from(begin: number, end: number): number {
    const size = Math.min(2 * (this.ends.get(begin) ?? chunk / 2), most);
    this.ends.delete(begin);
    let to = end;
    while (to < Math.min(begin + size, this.length) && !this.read.has(to / chunk)) to = Math.min(to + chunk, this.length);
    for (let at = begin; at < to; at += chunk) this.read.add(at / chunk);
    if (this.ends.size > 8) this.ends.delete(this.ends.keys().next().value!);
    this.ends.set(to, size);
    return to;
  }
}
