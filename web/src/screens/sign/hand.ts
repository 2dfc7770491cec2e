import type { PointGroup } from "signature_pad";

import type { HandFont } from "./picture";

export type Way = "kept" | "draw" | "type" | "upload";

/** Hand is how the signature or the initials should look, as far as it was chosen. */
export interface Hand {
  way: Way;
  typed: string;
  /** The handwriting of the typed name. */
  font: HandFont;
  strokes: PointGroup[];
  /** The picture to sign with; null for the saved one or, if none is saved, the printed name. */
  picture: Blob | null;
  /** The picture that is being rendered, and replaces it; undefined: none is. */
  coming?: Promise<Blob | null> | undefined;
  /** Whether the picture is saved for the next time. */
  remember: boolean;
}
