import { expect, test } from "vitest";

import { commonName } from "./common-name";

test.each([
  ["CN=Segel Root,O=Segel,C=ID", "Segel Root"],
  ["SERIALNUMBER=7+CN=Siti Rahma,O=PT CN=Maju", "Siti Rahma"],
  ["CN=Rahma\\, Siti \\+ Dua\\\\,C=ID", "Rahma, Siti + Dua\\"],
  ["O=Segel,C=ID", "O=Segel,C=ID"],
  ["CN=,O=Segel", "CN=,O=Segel"],
])("%s is called %s", (subject, name) => {
  expect(commonName(subject)).toBe(name);
});
