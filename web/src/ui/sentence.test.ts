import type { TFunction } from "i18next";
import { expect, test } from "vitest";

import { Problem } from "../api/client";
import { sentenceOf } from "./sentence";

const t = ((key: string) => key) as unknown as TFunction;

test("an error without an answer of the service is told in the words of the app, never in those of the browser", () => {
  const told = ["network", "offline", "unanswered", "passkey.none", "file.unreadable"].map((reason) => sentenceOf(t, new Problem(0, reason, "TypeError: Failed to fetch")));
  expect(told).toEqual(["problem.network", "problem.offline", "problem.unanswered", "factor.passkeyNone", "problem.fileUnreadable"]);
  expect(sentenceOf(t, new TypeError("Failed to fetch dynamically imported module"))).toBe("problem.reload");
  expect(sentenceOf(t, new Problem(409, "document.not_draft", "This document was sent."))).toBe("This document was sent.");
});
