/** The address to go on to: one of ours, whatever the link that led here says. */
export function within(then: string | undefined): string {
  return then && /^\/(?![/\\])/.test(then) ? then : "/inbox";
}
