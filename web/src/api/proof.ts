import { Problem, type Schemas } from "./client";
import type { PasskeyAnswer } from "./passkey";

/** What a signer presents beside their session. */
export interface Proof {
  otp?: string;
  passkey?: PasskeyAnswer;
}

/** The documents that are signed with one consent, and why the last proof was refused, if there was one. */
export interface Asked {
  documents: Schemas["ConsentItemIn"][];
  refusal: string | undefined;
}

/** Asks the signer; resolves to nothing if they cancel. */
type Ask = (asked: Asked) => Promise<Proof | undefined>;

const asking = ["sign.factor_required", "auth.otp_wrong", "auth.passkey_wrong", "auth.factor_tries"];

let ask: Ask | undefined;
let last: { key: string; proof: Proof } | undefined;

/** What a request that needs a proof was refused for: a code of the service and its sentence. */
export interface Refused {
  code: string;
  msg: string;
}

/**
 * An organisation may require a second factor for each signature. Requests that are refused because of this wait until the signer has
 * presented one, and are then sent again with it. One proof covers all requests of one consent.
 */
export const proving = {
  /** Sets how signers are asked. Returns a function that removes it. */
  onAsked(how: Ask): () => void {
    ask = how;
    return () => { if (ask === how) ask = undefined; };
  },

  /** Sends a request. RefusedBy finds in its answer what it was refused for, where that is not an error. */
  async send<T>(documents: Asked["documents"], request: (proof: Proof) => Promise<T>, refusedBy: (answer: T) => Refused | undefined = () => undefined): Promise<T> {
    const key = JSON.stringify(documents);
    let proof = last?.key === key ? last.proof : {};
    for (;;) {
      let refused: Refused | undefined, done: () => T;
      try {
        const answer = await request(proof);
        refused = refusedBy(answer);
        done = () => answer;
      } catch (error) {
        refused = error instanceof Problem ? { code: error.reason, msg: error.message } : undefined;
        done = () => { throw error; };
      }
      if (!refused || !ask || !asking.includes(refused.code)) {
        if (!refused) last = { key, proof };
        return done();
      }
      const given = await ask({ documents, refusal: refused.code === "sign.factor_required" ? undefined : refused.msg });
      if (!given) return done();
      proof = given;
    }
  },
};
