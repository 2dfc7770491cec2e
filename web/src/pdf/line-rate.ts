/** What a browser tells of a resource that was loaded (Resource Timing). Times are in milliseconds. */
export type Loaded = Pick<PerformanceResourceTiming, "encodedBodySize" | "transferSize" | "responseStart" | "responseEnd">;

/** What some browsers tell of the line (Network Information). */
export interface Connection {
  saveData?: boolean;
  /** "4g" also stands for what is faster. */
  effectiveType?: string;
}

/** Shorter answers arrive in one burst and say nothing of the line. */
const shortest = 20_000;

/** Estimates the bytes a millisecond that the line carries: from what was loaded, else from what the browser believes. */
export function lineRate(loaded: Loaded[], connection: Connection | undefined): number {
  if (connection?.saveData) return 0;
  const rates = loaded
    .filter((r) => r.transferSize > 0 && r.encodedBodySize >= shortest) // otherwise it came from the cache
    .map((r) => r.encodedBodySize / Math.max(1, r.responseEnd - r.responseStart))
    .sort((a, b) => a - b);
  return rates[Math.floor(rates.length / 2)] ?? ((connection?.effectiveType ?? "4g") === "4g" ? Infinity : 0);
}

/** Estimates the line of this page. */
export const currentRate = (): number =>
  lineRate(performance.getEntriesByType("resource") as PerformanceResourceTiming[], (navigator as { connection?: Connection }).connection);
