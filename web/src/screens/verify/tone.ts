import type { Reason, Stamp } from "../../api/verify";

export type Tone = "good" | "unsure" | "bad";

interface Words {
  indication: string;
  integrity: string;
  /** What is known about the signer; missing for a file or a timestamp. */
  identity?: { status: string } | null;
}

/** Whether the issuer says that the signer was not verified, or leaves it open. */
export const unverified = (s: Pick<Words, "identity">) => s.identity?.status === "unverified" || s.identity?.status === "not_recorded";

/**
 * How a verdict looks. It never looks good if the content was changed or cannot be verified, whatever else is true,
 * nor for a valid signature of an unverified signer.
 */
export function tone(w: Words): Tone {
  const { indication, integrity } = w;
  if (indication === "TOTAL-FAILED" || integrity === "changed after signing") return "bad";
  return indication === "TOTAL-PASSED" && integrity.startsWith("intact") && !unverified(w) ? "good" : "unsure";
}

/** The tone of a file is that of its worst part: its own verdict, each signature, each stamp. */
export function toneOfFile(report: Words & { signatures: Words[] }): Tone {
  const tones = [tone(report), ...report.signatures.map(tone)];
  if (tones.includes("bad")) return "bad";
  return report.signatures.length === 0 || tones.includes("unsure") ? "unsure" : "good";
}

/** A stamp looks good only if its issuer is recognised and nothing contradicts it; a specimen never does. */
export function toneOfStamp(s: Stamp): Tone {
  if (s.twice || s.elsewhere === "yes") return "bad";
  return s.trusted && s.recognised && !s.specimen ? "good" : "unsure";
}

const content = ["digest.", "signature.", "coverage.", "format.", "later."];

/** Sub-indications about changed content. They outweigh missing trust and missing data. */
export const grave = (all: Reason[]) => all.filter((r) => content.some((c) => r.code.startsWith(c)));
