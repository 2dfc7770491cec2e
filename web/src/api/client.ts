import createClient, { type Middleware } from "openapi-fetch";

import { base } from "./base";
import { credentials } from "./embed";
import { guest } from "./guest";
import { isIdle } from "./idle";
import { reauth } from "./reauth";
import type { components, paths } from "./schema";
import { session } from "./session";
import { fetchSteadily, NotSent, Unanswered } from "./steady";

export type Schemas = components["schemas"];

/** Problem is a refusal of the service, or an answer that never arrived (code 0). */
export class Problem extends Error {
  constructor(
    readonly code: number,
    /**
     * The reason, for programs: "document.not_draft"; "network" without an answer, "offline" if nothing was sent, "unanswered" if
     * it is not known whether the change was made.
     */
    readonly reason: string,
    message: string,
    /** Which members of the input are wrong, by path: "signers[0].page". */
    readonly fields: { field: string; code: string; msg: string }[] = [],
    readonly retryable = false,
    readonly request = "",
    /** Of auth.factor_required: what is accepted beside the password. */
    readonly factors: string[] = [],
  ) {
    super(message);
    this.name = "Problem";
  }

  of(field: string): string | undefined {
    return this.fields.find((f) => f.field === field)?.msg;
  }
}

/** Turns the body of a refusal into a Problem. */
export function problemOf(status: number, body: unknown): Problem {
  const b = (body ?? {}) as Partial<Schemas["Failure"]>;
  return new Problem(status, b.error?.code ?? "unknown", b.msg || unexplained(status), b.error?.fields ?? [], b.error?.retryable ?? status >= 500, b.error?.request_id ?? "", b.error?.factors ?? []);
}

/** Turns a refusal into a Problem. */
export const refusalOf = async (answer: Response): Promise<Problem> => problemOf(answer.status, await answer.json().catch(() => undefined));

let language = "id";

/** Says that an answer has a status and no words, as those of a proxy. */
let unexplained = (status: number): string => String(status);

/** Sets the language in which the service answers, and the sentence about an answer without words. */
export function speak(tag: string, say: typeof unexplained): void {
  language = tag;
  unexplained = say;
}

/** The headers of every request: the language, a guest's token if the tab was opened by their link, and whether nobody is working on the page. */
export function headers(): Record<string, string> {
  const token = guest.token();
  return { "Accept-Language": language, ...(token ? { "x-access-token": token } : {}), ...(isIdle() ? { "X-Segel-Background": "1" } : {}) };
}

const carry: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(headers())) request.headers.set(name, value);
    return request;
  },
  async onResponse({ response }) {
    if (response.ok) return undefined;
    throw await refusalOf(response);
  },
  onError({ error }) {
    if (error instanceof Problem || (error instanceof DOMException && error.name === "AbortError")) return error;
    const reason = error instanceof NotSent ? "offline" : error instanceof Unanswered ? "unanswered" : "network";
    return new Problem(0, reason, String(error), [], true);
  },
};

/** The end of a login is the wish of a user who logs out. */
const renews = (request: Request) => !request.url.endsWith("/v1/auth/logout");

export const api = createClient<paths>({
  baseUrl: base, credentials,
  fetch: (request) => (renews(request) ? session.send(() => reauth.send(() => fetchSteadily(request.clone()))) : fetchSteadily(request)),
});
api.use(carry);

/** The segment for {service}; the service accepts any. */
export const service = { path: { service: "web" } } as const;

/** Returns the body of an answer. Problems were thrown before. */
export async function take<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new Problem(0, "network", "no answer", [], true);
  return data;
}
