import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { guestLink, read, sealed, send } from "./contract";
import { stage, violations, type Stage } from "./harness";
import { en, id } from "./texts";

// A signer passes their signature to another person, where the sender allows it.

let s: Stage, owner: Page;
const dua = { name: "Penanda Dua", email: "s@example.test" };
const budi = { name: "Budi Tamu", email: "budi@tamu.test", guest: true };

beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test");
  s.user(dua.name, dua.email);
  owner = await s.login("o@example.test");
});
afterAll(() => s.close());

const side = (page: Page) => page.getByRole("region", { name: en.sign.asked });

test("a guest passes their signature on, the other person signs, and the sender sees both", async () => {
  const sent = await send(owner, "Dialihkan", [dua, budi], 0, undefined, 1, { delegation: 1 });
  const page = await (await s.browser.newContext({ locale: "en", viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(await guestLink(owner, sent, budi.email));
  await side(page).getByRole("button", { name: en.sign.delegate }).click();
  const form = page.getByRole("form", { name: en.sign.delegate });
  expect(await violations(page)).toEqual([]);
  await form.getByRole("textbox", { name: en.new.guestName }).fill("Agus Salim");
  await form.getByRole("textbox", { name: en.login.email }).fill("tanpa-alamat");
  await form.getByRole("button", { name: en.sign.delegateDo }).click();
  await form.locator("[aria-invalid=true]").waitFor();
  await form.getByRole("textbox", { name: en.login.email }).fill("agus@example.test");
  await form.getByRole("textbox", { name: en.new.phone }).fill("0812 3456 789");
  await form.getByRole("textbox", { name: en.sign.delegateReason }).fill("Ia yang berwenang.");
  await form.getByRole("button", { name: en.sign.delegateDo }).click();
  await page.getByRole("heading", { name: "You passed your part to Agus Salim" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "You passed your part to Agus Salim" }).waitFor();
  await page.context().close();

  await owner.goto(`${s.url}/document/${sent.id}`);
  await owner.getByText(/^Passed their part to Agus Salim /).waitFor();
  await owner.getByText("Acts instead of Budi Tamu").waitFor();
  expect(await violations(owner)).toEqual([]);
  const signers = (await (await owner.request.get(`${s.url}/v1/econtract/web_app/document/signers/${sent.id}`)).json()) as { data: { signer: { user_id: string; email: string; phone: string }[] } };
  expect(signers.data.signer.find((p) => p.email === "agus@example.test")!.phone).toBe("0812 3456 789");
  sent.people.set("agus@example.test", signers.data.signer.find((p) => p.email === "agus@example.test")!.user_id);
  const other = await (await s.browser.newContext({ locale: "id", viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })).newPage();
  await other.goto(await guestLink(owner, sent, "agus@example.test"));
  await other.getByRole("button", { name: id.document.sign, exact: true }).click();
  await other.getByRole("checkbox", { name: id.sign.haveRead }).check();
  expect(await other.getByRole("dialog").getByRole("button", { name: id.sign.delegate }).count()).toBe(0);
  await other.getByRole("dialog").getByRole("button", { name: id.document.sign, exact: true }).click();
  await other.getByRole("heading", { name: id.sign.signed }).waitFor();
  await other.context().close();

  const member = await s.login(dua.email);
  await member.goto(`${s.url}/document/${sent.id}/sign`);
  await read(member);
  await side(member).getByRole("button", { name: "Sign", exact: true }).click();
  await member.getByRole("heading", { name: en.sign.signed }).waitFor();
  await sealed(owner, sent.id);
  await member.context().close();
});

test("without the sender's permission nothing offers it", async () => {
  const sent = await send(owner, "Tidak Dialihkan", [budi], 0);
  const page = await (await s.browser.newContext({ locale: "en", viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(await guestLink(owner, sent, budi.email));
  await side(page).getByRole("button", { name: en.sign.decline }).waitFor();
  expect(await side(page).getByRole("button", { name: en.sign.delegate }).count()).toBe(0);
  await page.context().close();
});
