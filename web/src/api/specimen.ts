import { queryOptions } from "@tanstack/react-query";

import { base } from "./base";
import { headers, problemOf } from "./client";

const address = `${base}/v1/auth/specimen`;

async function ask(init: RequestInit): Promise<Response> {
  const answer = await fetch(address, { credentials: "same-origin", ...init, headers: { ...headers(), ...init.headers } });
  if (!answer.ok && answer.status !== 404) throw problemOf(answer.status, await answer.json().catch(() => undefined));
  return answer;
}

/** The picture of the caller's signature, or null. */
export const specimen = queryOptions({
  queryKey: ["specimen"],
  queryFn: async (): Promise<Blob | null> => {
    const answer = await ask({ method: "GET" });
    return answer.status === 404 ? null : answer.blob();
  },
});

export const keepSpecimen = (picture: Blob) => ask({ method: "PUT", body: picture, headers: { "Content-Type": picture.type } });
export const forgetSpecimen = () => ask({ method: "DELETE" });
