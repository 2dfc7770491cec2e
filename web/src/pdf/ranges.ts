/** The smallest range that is read: 64 KiB. */
export const chunk = 1 << 16;

/** The largest: 2 MiB. */
const most = 32 * chunk;

/**
 * Ahead decides how far to read from an offset. A jump to a page reads a chunk or two. A reader that continues where
 * it stopped, as through a list of thousands of pages, gets twice as much each time, and nothing twice.
 */
export class Ahead {
  private read = new Set<number>();
  /** The length of each last read, by its end: there may be several readers at different offsets. */
  private ends = new Map<number, number>();

  constructor(private length: number) {}

  /** The end of a read that begins at a chunk and needs at least so many bytes. */
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
