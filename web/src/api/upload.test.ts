import { expect, test } from "vitest";

import { form } from "./upload";

test("a form is the same each time it is made, and reads as it was filled in", async () => {
  const file = new File(["%PDF-1.7 isi"], 'kontrak "A"\r\n.pdf', { type: "application/pdf" });
  const make = () => form({ document_title: "Sewa Gudang · ruko", expired_at: "2027-01-31T17:00:00.000Z" }, "document", file, "segel-1");
  expect(await make().text()).toBe(await make().text());
  const read = await new Response(make(), { headers: { "Content-Type": "multipart/form-data; boundary=segel-1" } }).formData();
  expect(read.get("document_title")).toBe("Sewa Gudang · ruko");
  expect(read.get("expired_at")).toBe("2027-01-31T17:00:00.000Z");
  const got = read.get("document") as File;
  expect(got.name).toBe('kontrak "A"\r\n.pdf');
  expect(await got.text()).toBe("%PDF-1.7 isi");
});
