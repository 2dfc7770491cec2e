/** Milliseconds from an answer to a moment that it states, by the clock of the service: that of the device may be wrong. */
export function timeUntil(moment: string, answer: Response): number {
  const sent = Date.parse(answer.headers.get("Date") ?? "");
  return Math.max(0, Date.parse(moment) - (Number.isNaN(sent) ? Date.now() : sent));
}
