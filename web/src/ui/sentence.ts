import type { TFunction } from "i18next";

import { Problem } from "../api/client";

/** Says what an error means for the person: by its reason where there was no answer, else in the words of the service. */
export function sentenceOf(t: TFunction, error: unknown): string {
  if (!(error instanceof Problem)) return t("problem.reload");
  switch (error.reason) {
    case "network": return t("problem.network");
    case "offline": return t("problem.offline");
    case "unanswered": return t("problem.unanswered");
    case "file.unreadable": return t("problem.fileUnreadable");
    case "passkey.none": return t("factor.passkeyNone");
    case "passkey.known": return t("factor.passkeyKnown");
    default: return error.message;
  }
}
