import { expect, test } from "vitest";

import { sizeOf, sizesOf } from "./file-size";

test("two sizes are written with as many digits as tell them apart", () => {
  expect(sizeOf(52_428_800, "en")).toBe("52 MB");
  expect(sizesOf(60e6, 52_428_800, "en")).toEqual(["60 MB", "52 MB"]);
  expect(sizesOf(52.3e6, 52_428_800, "id")).toEqual(["52,3 MB", "52,4 MB"]);
  expect(sizesOf(52_428_801, 52_428_800, "en")).toEqual(["52,428,801 bytes", "52,428,800 bytes"]);
});
