import { queryOptions } from "@tanstack/react-query";

import { base } from "./base";
import { headers, refusalOf } from "./client";
import { keepDevicePicture, readDevicePicture, type SpecimenKind } from "./device-picture";
import { credentials } from "./embed";
import { guest } from "./guest";
import { session } from "./session";

async function ask(kind: SpecimenKind, init: RequestInit): Promise<Response> {
  const address = `${base}/v1/auth/specimen?kind=${kind}`;
  const answer = await session.send(() => fetch(address, { credentials, ...init, headers: { ...headers(), ...init.headers } }));
  if (!answer.ok && answer.status !== 404) throw await refusalOf(answer);
  return answer;
}

/** The picture of the caller's signature or initials, or null. That of a guest is on their device. */
export const specimen = (kind: SpecimenKind) => queryOptions({
  queryKey: ["specimen", kind],
  queryFn: async (): Promise<Blob | null> => {
    if (guest.token()) return readDevicePicture(kind);
    const answer = await ask(kind, { method: "GET" });
    return answer.status === 404 ? null : answer.blob();
  },
});

/** Browsers let so many bytes of requests finish after the page was closed (64 KiB), with some left for others. */
const mostAfterClosing = 48_000;

/** Saves a picture. A small one is saved even if the page is closed meanwhile. */
export const keepSpecimen = async (kind: SpecimenKind, picture: Blob): Promise<unknown> => guest.token() ? keepDevicePicture(kind, picture) : ask(kind, { method: "PUT", body: picture, keepalive: picture.size <= mostAfterClosing, headers: { "Content-Type": picture.type } });
