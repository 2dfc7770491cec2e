/** Asks the caller to prove who they are; resolves to whether they did. */
type Ask = () => Promise<boolean>;

let ask: Ask | undefined;
let asking: Promise<boolean> | undefined;

/**
 * Some acts need a recent proof of who the caller is. Requests that are refused because of this wait until the caller has proved it, and are then
 * sent again.
 */
export const reauth = {
  /** Sets how the caller is asked. Returns a function that removes it. */
  onAsked(how: Ask): () => void {
    ask = how;
    return () => { if (ask === how) ask = undefined; };
  },

  /** Sends a request and, if it needs a recent proof, sends it again after that was given. */
  async send(request: () => Promise<Response>): Promise<Response> {
    const answer = await request();
    if (answer.status !== 403 || !ask) return answer;
    const body = (await answer.clone().json().catch(() => undefined)) as { error?: { code?: string } } | undefined;
    if (body?.error?.code !== "auth.reauthenticate") return answer;
    asking ??= ask().finally(() => { asking = undefined; });
    return (await asking) ? request() : answer;
  },
};
