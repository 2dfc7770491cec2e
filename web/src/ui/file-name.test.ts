import { expect, test } from "vitest";

import { fileName } from "./file-name";

test("a file is called what its header says, in UTF-8 before plain", () => {
  expect(fileName(`attachment; filename="kontrak.pdf"; filename*=UTF-8''kontr%C3%A4k%20A.pdf`)).toBe("konträk A.pdf");
  expect(fileName(`attachment; filename="a \\"b\\".pdf"`)).toBe('a "b".pdf');
  expect(fileName(`attachment; filename="a.pdf"; filename*=UTF-8''%E0`)).toBe("a.pdf");
  expect(fileName("attachment")).toBeUndefined();
  expect(fileName(null)).toBeUndefined();
});
