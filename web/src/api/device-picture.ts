import { guest } from "./guest";
import { kept } from "./kept";

// Guests have no account, so their pictures stay in the browser, and only if they say so. The service never stores them.

/** What a stored picture shows. */
export type SpecimenKind = "signature" | "initials";

const limit = 300_000; // characters; browsers grant some megabytes in all

/** Another guest on the same device has another name, and does not see the picture. */
const keyOf = (kind: SpecimenKind) => `segel.picture.${kind}.${guest.name() ?? ""}`;

/** The picture that the guest kept on this device, or null. */
export function readDevicePicture(kind: SpecimenKind): Blob | null {
  const [, type, data] = /^data:(image\/\w+);base64,(.+)$/.exec(kept.read(keyOf(kind)) ?? "") ?? [];
  try {
    return data === undefined ? null : new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: type! });
  } catch {
    return null; // not base64
  }
}

/** Keeps a picture on this device. If the picture is too large, it is not kept. */
export async function keepDevicePicture(kind: SpecimenKind, picture: Blob): Promise<void> {
  const text = await new Promise<string>((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result as string);
    reader.onerror = () => failed(reader.error as Error);
    reader.readAsDataURL(picture);
  });
  if (text.length <= limit) kept.write(keyOf(kind), text);
}

export function forgetDevicePicture(kind: SpecimenKind): void {
  kept.remove(keyOf(kind));
}
