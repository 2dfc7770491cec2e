import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { read, send } from "./contract";
import { complete, makePDF, stage, violations, type Stage } from "./harness";
import { en, id } from "./texts";

// People who approve, witness or receive a copy.

let s: Stage, owner: Page;
const ani = { name: "Ani Penyetuju", email: "ani@example.test", role: "approver" }, dua = { name: "Penanda Dua", email: "s@example.test" };
const saksi = { name: "Tono Saksi", email: "tono@example.test", role: "witness" }, arsip = { name: "Arsip", email: "arsip@example.test", role: "copy" };

beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test");
  for (const p of [ani, dua, saksi, arsip]) s.user(p.name, p.email);
  owner = await s.login("o@example.test");
});
afterAll(() => s.close());

test("the sender chooses with the keyboard in a small window what people do, and the draft keeps it", async () => {
  const members = (await (await owner.request.get(`${s.url}/v1/auth/list_user?page=1&limit=50`)).json()) as { data: { user: { id: string; name: string; email: string }[] } };
  const person = members.data.user.find((u) => u.email === ani.email)!;
  const made = await owner.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, {
    data: { document_title: "Peran", filename: "peran.pdf", document_base64: makePDF(1).toString("base64"), signer: [{ ...person, role: "signer", number: 1 }] },
  });
  const draft = ((await made.json()) as { response: { data: { document_id: number } } }).response.data.document_id;
  const page = await owner.context().newPage();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${s.url}/new?document=${draft}&step=people`);
  const role = page.getByRole("combobox", { name: `Role of ${ani.name}` });
  await role.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: en.document.actsAs.copy, exact: true }).waitFor();
  expect(await page.getByRole("option").allInnerTexts()).toEqual([en.document.actsAs.signer, en.document.actsAs.approver, en.document.actsAs.witness, en.document.actsAs.viewer, en.document.actsAs.copy]);
  const stored = page.waitForResponse((r) => r.url().includes("participants-docs") && r.ok());
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await stored;
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.reload();
  await page.getByRole("combobox", { name: `Role of ${ani.name}` }).waitFor();
  expect(await page.getByRole("combobox", { name: `Role of ${ani.name}` }).inputValue()).toBe(en.document.actsAs.approver);
  expect(await violations(page)).toEqual([]);
  await page.close();
});

test("an approver approves what they read, a witness signs after the signer, and the copy arrives at the end", async () => {
  const sent = await send(owner, "Dengan penyetuju", [ani, dua, saksi, arsip], 0);
  const archive = await s.login(arsip.email);
  expect((await archive.request.get(`${s.url}/v1/econtract/web_app/document/detail/${sent.id}`)).status()).toBe(404);

  const approver = await s.login(ani.email);
  await approver.goto(`${s.url}/`);
  await approver.getByRole("link", { name: "Approve: Dengan penyetuju" }).click();
  const side = approver.getByRole("region", { name: en.sign.asked });
  await side.getByText(en.sign.approval).waitFor();
  await read(approver);
  expect(await violations(approver)).toEqual([]);
  await side.getByRole("button", { name: en.document.approve, exact: true }).click();
  await approver.getByRole("heading", { name: en.sign.approved }).waitFor();
  await approver.reload();
  await approver.getByRole("heading", { name: en.sign.approved }).waitFor();

  const signer = await s.login(dua.email);
  await signer.goto(`${s.url}/document/${sent.id}/sign`);
  await read(signer);
  await signer.getByRole("button", { name: en.document.sign, exact: true }).click();
  await signer.getByRole("heading", { name: en.sign.signed }).waitFor();
  const witness = await s.login(saksi.email);
  await witness.goto(`${s.url}/document/${sent.id}/sign`);
  await witness.getByText("You sign as Tono Saksi, as a witness.").first().waitFor();
  await read(witness);
  await witness.getByRole("button", { name: en.document.sign, exact: true }).click();
  await witness.getByRole("heading", { name: en.sign.signed }).waitFor();

  await owner.goto(`${s.url}/document/${sent.id}`);
  await owner.getByText(/^Approved /).first().waitFor();
  await owner.getByText(en.document.actsAs.witness, { exact: true }).waitFor();
  await owner.getByText(en.document.actsAs.copy, { exact: true }).waitFor();
  expect(await violations(owner)).toEqual([]);
  await archive.goto(`${s.url}/document/${sent.id}`);
  await archive.getByRole("heading", { name: "Dengan penyetuju" }).waitFor();
});

test.runIf(complete)("an approver declines on a phone, in Indonesian", async () => {
  const sent = await send(owner, "Tidak disetujui", [ani, dua], 0);
  const context = await s.browser.newContext({ locale: "id", viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, storageState: await (await s.login(ani.email)).context().storageState() });
  const page = await context.newPage();
  await page.goto(`${s.url}/document/${sent.id}/sign`);
  await page.getByRole("button", { name: id.document.approve, exact: true }).click();
  await page.getByRole("dialog").getByText(id.sign.meansApproval).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: id.sign.decline, exact: true }).click();
  await page.getByRole("dialog").getByRole("textbox").first().fill("Terlalu mahal");
  await page.getByRole("dialog").getByRole("button", { name: id.sign.decline, exact: true }).click();
  await page.getByRole("heading", { name: id.sign.declined }).waitFor();
  await context.close();
});

test("the sender makes two people a group with the keyboard in a small window, and places one box for both", async () => {
  const members = (await (await owner.request.get(`${s.url}/v1/auth/list_user?page=1&limit=50`)).json()) as { data: { user: { id: string; name: string; email: string }[] } };
  const [one, two] = [dua, saksi].map((p) => members.data.user.find((u) => u.email === p.email)!);
  const made = await owner.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, {
    data: { document_title: "Kelompok", filename: "kelompok.pdf", document_base64: makePDF(1).toString("base64"), signer: [{ ...one, role: "signer", number: 1 }, { ...two, role: "approver", number: 2 }] },
  });
  const draft = ((await made.json()) as { response: { data: { document_id: number } } }).response.data.document_id;
  const page = await owner.context().newPage();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${s.url}/new?document=${draft}&step=people`);
  const either = page.getByRole("checkbox", { name: `Either ${dua.name} or this person is enough` });
  await either.focus();
  const stored = page.waitForResponse((r) => r.url().includes("participants-docs") && r.ok());
  await page.keyboard.press("Space");
  await stored;
  expect(await page.getByRole("combobox", { name: `Role of ${saksi.name}` }).inputValue()).toBe(en.document.actsAs.signer);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await either.waitFor();
  expect(await either.isChecked()).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${s.url}/new?document=${draft}&step=place`);
  await page.getByRole("combobox", { name: en.place.for, exact: true }).first().waitFor();
  expect(await page.getByRole("combobox", { name: en.place.for, exact: true }).first().inputValue()).toBe(`${dua.name} / ${saksi.name}`);
  await page.goto(`${s.url}/new?document=${draft}&step=review`);
  await page.getByText(`Any one of them is enough: ${dua.name}, ${saksi.name}`).first().waitFor();
  await page.close();
});

test("one of a group signs while the other has the page open, and both are told", async () => {
  const first = { ...dua, group: 1 }, other = { ...ani, role: "signer", group: 1 };
  const sent = await send(owner, "Satu dari dua", [first, other, { ...saksi, role: "signer" }], 0);
  const waits = await s.login(ani.email), signer = await s.login(dua.email);
  await waits.goto(`${s.url}/document/${sent.id}/sign`);
  const side = waits.getByRole("region", { name: en.sign.asked });
  await side.getByText(`The signature of any one of you is enough: ${dua.name}, ${ani.name}.`).waitFor();
  expect(await violations(waits)).toEqual([]);
  await side.getByRole("button", { name: en.sign.decline, exact: true }).click();
  await waits.getByText(en.sign.declineGroup).waitFor();

  await signer.goto(`${s.url}/document/${sent.id}/sign`);
  await read(signer);
  await signer.getByRole("button", { name: en.document.sign, exact: true }).click();
  await signer.getByRole("heading", { name: en.sign.signed }).waitFor();
  await waits.getByRole("heading", { name: `${dua.name} acted for your group. You do not need to do anything.` }).waitFor();
  expect(await violations(waits)).toEqual([]);

  await owner.goto(`${s.url}/document/${sent.id}`);
  await owner.getByText(`${dua.name} acted for their group`).waitFor();
});
