import { guest } from "./guest";

/** Lets the user log in again; resolves to whether they did. */
type Renew = () => Promise<boolean>;

let renew: Renew | undefined;
let renewing: Promise<boolean> | undefined;

/**
 * The login of a member may end while they work: it expires, or they log out in another tab. Requests that are refused because of this wait
 * until the same person has logged in again, and are then sent again. Nothing is reloaded, so no input is lost.
 */
export const session = {
  /** Sets how a login that has ended is renewed. Returns a function that removes it. */
  onEnded(how: Renew): () => void {
    renew = how;
    return () => { if (renew === how) renew = undefined; };
  },

  /** Sends a request and, if the login has ended, sends it again after it was renewed. */
  async send<T extends { status: number }>(request: () => Promise<T>): Promise<T> {
    const answer = await request();
    if (answer.status !== 401 || !renew || guest.token() !== undefined) return answer;
    renewing ??= renew().finally(() => { renewing = undefined; });
    return (await renewing) ? request() : answer;
  },
};
