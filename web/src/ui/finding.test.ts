import { expect, test } from "vitest";

import { codesOf, findingsOf } from "./finding";

const warning = (code: string, must_accept = false) => ({ field: "document", code, msg: code, must_accept });

test("findings are told apart from other warnings, those to be accepted first", () => {
  const all = [warning("document.fonts_replaced"), warning("finding.javascript"), warning("finding.launch", true)];
  expect(findingsOf(all).map((w) => w.code)).toEqual(["finding.launch", "finding.javascript"]);
  expect(findingsOf(undefined)).toEqual([]);
});

test("each code is confirmed once", () => {
  expect(codesOf([warning("finding.launch"), warning("finding.external"), warning("finding.launch")])).toEqual(["finding.launch", "finding.external"]);
});
