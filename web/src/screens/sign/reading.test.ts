import { expect, test } from "vitest";

import { enough } from "./reading";

test("a signature needs pages that were drawn, and the end of them or a confirmation", () => {
  for (const [started, ended, confirmed, may] of [
    [false, false, false, false],
    [false, false, true, false], // a spinner cannot be read
    [false, true, false, false],
    [true, false, false, false],
    [true, true, false, true],
    [true, false, true, true],
  ] as const) expect(enough({ started, ended, confirmed }), `${started} ${ended} ${confirmed}`).toBe(may);
});
