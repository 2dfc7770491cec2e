import { keepSpecimen } from "../../api/specimen";
import type { Hand } from "./hand";
import { initialsOf } from "./initials";
import { write } from "./picture";

/** What boxes for initials show if the signer chooses nothing else: the saved picture, or the initials of the name. */
export interface AskedInitials {
  name: string;
  kept: Blob | null;
}

/** Pictures is what the boxes of a signer are to show; null: what the service has. */
export interface Pictures {
  signature: Blob | null;
  initials: Blob | null;
}

/** Chooses the pictures of a signature. Asked is undefined if none of the boxes is for initials. */
export async function choosePictures(hand: Hand | undefined, initials: Hand | undefined, asked: AskedInitials | undefined): Promise<Pictures> {
  const signature = hand ? await rendered(hand) : null;
  if (!asked) return { signature, initials: null };
  const chosen = initials ? await rendered(initials) : asked.kept;
  // If they cannot be written, the service shows what it has.
  return { signature, initials: chosen ?? (await write(initialsOf(asked.name), initials?.font ?? hand?.font ?? "flowing").catch(() => null)) };
}

/** The picture of the newest choice. A signer can press the button before it is rendered, as while a font is on its way. */
const rendered = ({ picture, coming }: Hand): Promise<Blob | null> | Blob | null => (coming ? coming.catch(() => picture) : picture);

/** Encodes pictures for a request. */
export async function encodePictures({ signature, initials }: Pictures): Promise<{ signature: string | undefined; initials: string | undefined }> {
  return { signature: signature ? await base64(signature) : undefined, initials: initials ? await base64(initials) : undefined };
}

/**
 * Signs with pictures, and then saves them without making the signer wait. Saved is called when both are saved or could not be. Resolves
 * when the signature is made.
 */
export async function signWithPictures(hand: Hand | undefined, initials: Hand | undefined, asked: AskedInitials | undefined, sign: (sent: Awaited<ReturnType<typeof encodePictures>>) => Promise<unknown>, saved: () => void): Promise<void> {
  const pictures = await choosePictures(hand, initials, asked);
  await sign(await encodePictures(pictures));
  void savePictures(pictures, hand, initials).then(saved);
}

/** Saves the pictures that the signer wants to use again. A signature that was made counts even if this fails. */
export async function savePictures({ signature, initials }: Pictures, hand: Hand | undefined, initialsHand: Hand | undefined): Promise<void> {
  if (signature && hand?.remember && hand.way !== "kept") await keepSpecimen("signature", signature).catch(() => undefined);
  if (initials && initialsHand?.remember && initialsHand.way !== "kept") await keepSpecimen("initials", initials).catch(() => undefined);
}

export async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
