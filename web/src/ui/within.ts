/** The address to go to next: always one of ours, whatever the link says. */
export function within(then: string | undefined): string {
  return then && /^\/(?![/\\])/.test(then) ? then : "/inbox";
}
