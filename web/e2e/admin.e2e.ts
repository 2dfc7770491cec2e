import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";

import { sealed, send } from "./contract";
import { complete, office, makePDF, password, stage, violations, type Office, type Stage } from "./harness";
import { en } from "./texts";

let desk: Office, s: Stage;
const satu = { name: "Pemilik Satu", email: "o@example.test" };
beforeAll(async () => {
  desk = await office();
  s = await stage({ env: desk.env });
  s.user(satu.name, satu.email, "admin");
  s.user("Penanda Dua", "s@example.test");
  const owner = await s.login(satu.email);
  const { id } = await send(owner, "Perjanjian Kerja", [satu]);
  await owner.request.post(`${s.url}/v1/econtract/web/sign/sign-docs`, { data: { document_id: id } });
  await sealed(owner, id);
  await owner.context().close();
});
afterAll(async () => {
  await s.close();
  await desk.close();
});

test("an administrator adds an account, grants quota, reconciles and reads the audit log", async () => {
  const page = await s.enter(satu.email);
  await page.getByRole("link", { name: "Admin", exact: true }).click();
  await page.getByText("s@example.test").waitFor();
  await page.getByRole("button", { name: "Add a person" }).click();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Orang Tiga");
  await page.getByRole("textbox", { name: "E-mail" }).fill("tiga@example.test");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const first = (await page.locator("[data-first-password]").textContent())!;
  await page.getByText("tiga@example.test").first().waitFor();

  await page.getByRole("tab", { name: "Quota" }).click();
  const left = async () => Number((await page.locator("[data-unit=emet] [data-left]").textContent())!.replace(/\D/g, ""));
  await page.locator("[data-unit=emet]").waitFor();
  const before = await left();
  await page.getByText("Spent: 1 stamp").waitFor();
  await page.getByRole("textbox", { name: "Count" }).fill("5");
  await page.getByRole("textbox", { name: "Reason" }).fill("Faktur 7");
  await page.getByRole("button", { name: "Grant", exact: true }).click();
  await page.getByText("The quota was granted.").waitFor();
  await expect.poll(left).toBe(before + 5);
  await page.getByText("Faktur 7").waitFor();

  await page.getByRole("tab", { name: "Serials" }).click();
  await page.getByText(/^SPESIMEN/).first().waitFor();
  await page.getByRole("listitem").getByText("Affixed", { exact: true }).first().waitFor();
  await page.getByRole("tab", { name: "Requests to the issuer" }).click();
  await page.getByText("Affix a stamp").first().waitFor();
  const csv = page.waitForEvent("download");
  await page.getByRole("link", { name: /CSV/ }).click();
  expect((await csv).suggestedFilename()).toBe("segel-attempts.csv");

  await page.getByRole("tab", { name: "Reconciliation" }).click();
  await page.getByRole("button", { name: "Reconcile now" }).click();
  await page.locator("[data-report]").waitFor();
  await page.getByText("Everything matches or is explained").waitFor();

  await page.getByRole("tab", { name: "Stuck" }).click();
  await page.getByText("Nothing is stuck.").waitFor();
  await page.getByRole("tab", { name: "Certificates" }).click();
  await page.getByText("Certificates of the authority").waitFor();
  await page.getByRole("tab", { name: "Audit log" }).click();
  await page.getByRole("link", { name: "Perjanjian Kerja" }).first().waitFor();
  await page.reload();
  await page.getByRole("tab", { name: "Audit log", selected: true }).waitFor();

  const third = await (await s.browser.newContext({ locale: "en" })).newPage();
  await third.goto(`${s.url}/login`);
  await third.fill("[name=email]", "tiga@example.test");
  await third.fill("[name=password]", first);
  await third.click("button[type=submit]");
  await third.getByRole("heading", { name: "Choose your password" }).waitFor();
  await third.context().close();
  await page.context().close();
});

test("an administrator disables, enables, renames a person and resets their password", async () => {
  s.user("Orang Empat", "empat@example.test");
  const page = await s.login(satu.email);
  await send(page, "Perjanjian Magang", [{ name: "Orang Empat", email: "empat@example.test" }]);
  const login = async (secret: string) => (await s.browser.newContext()).request.post(`${s.url}/v1/auth/session`, { data: { email: "empat@example.test", password: secret } });
  const member = await s.login("empat@example.test");
  await page.goto(`${s.url}/admin`);
  const act = async (name: string) => {
    await page.locator("[data-actions='empat@example.test']").click();
    await page.getByRole("menuitem", { name, exact: true }).click();
    await page.getByRole("dialog").waitFor();
  };
  const confirm = async (name: string, said: string) => {
    await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
    await page.getByRole("status").filter({ hasText: said }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.actions)).toBe("empat@example.test");
  };
  await page.getByText("1 document lacks their signature").waitFor();

  await act("Disable");
  await page.getByRole("dialog").getByText("1 document in progress lacks their signature").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await member.request.get(`${s.url}/v1/auth/me`)).status()).toBe(200);
  await act("Disable");
  await confirm("Disable", "The account of Orang Empat is disabled.");
  expect((await member.request.get(`${s.url}/v1/auth/me`)).status()).toBe(401);
  expect((await login(password)).status()).toBe(400);

  await page.getByRole("combobox", { name: "Status" }).click();
  await page.getByRole("option", { name: "Disabled" }).click();
  await page.waitForURL(/only=disabled/);
  await page.getByText(satu.email).waitFor({ state: "detached" });
  await act("Enable");
  await page.getByRole("dialog").getByRole("button", { name: "Enable", exact: true }).click();
  await page.getByText("Nothing matches.").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  expect((await login(password)).status()).toBe(200);

  await act("Rename");
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("");
  await page.getByRole("dialog").getByRole("button", { name: "Rename", exact: true }).click();
  await page.getByRole("dialog").locator("[aria-invalid=true]").waitFor();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Orang Keempat");
  await confirm("Rename", "The name is now Orang Keempat.");
  await page.getByText("Orang Keempat", { exact: true }).waitFor();

  await act("Reset password");
  await page.getByRole("dialog").getByRole("button", { name: "Reset password" }).click();
  const given = (await page.locator("[data-first-password]").textContent())!;
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await login(password)).status()).toBe(400);
  await member.goto(`${s.url}/login`);
  await member.fill("[name=email]", "empat@example.test");
  await member.fill("[name=password]", given);
  await member.click("button[type=submit]");
  await member.getByRole("heading", { name: "Choose your password" }).waitFor();
  expect((await member.request.get(`${s.url}/v1/auth/list_user`)).status()).toBe(403);
  await member.context().close();

  // Their documents go to somebody else: offered where the account is disabled, and by itself. With the keyboard alone.
  s.user("Orang Pergi", "pergi@example.test");
  const own = await s.login("pergi@example.test");
  await send(own, "Perjanjian Titipan", [{ name: "Orang Keempat", email: "empat@example.test" }]);
  await page.reload();
  await page.locator("[data-actions='pergi@example.test']").click();
  await page.getByRole("menuitem", { name: "Disable", exact: true }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "Give their 1 document to" }).focus();
  await page.keyboard.type("satu");
  await page.getByRole("option", { name: satu.email }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.goto(`${s.url}/sent`);
  await page.getByText("Perjanjian Titipan").first().waitFor();
  await own.context().close();
  await page.goto(`${s.url}/admin`);

  // Their data are erased once the account is disabled. The list of all people has them no more.
  await page.locator("[data-actions='pergi@example.test']").click();
  await page.getByRole("menuitem", { name: "Erase their data", exact: true }).click();
  const erase = page.getByRole("dialog").getByRole("button", { name: "Erase their data", exact: true });
  await page.getByRole("dialog").getByText("Signed files, with the certificate of each signature").waitFor();
  expect(await erase.isDisabled()).toBe(true);
  await page.getByRole("dialog").locator("input[name=confirm]").fill("pergi@example.test");
  await erase.click();
  await page.getByRole("status").filter({ hasText: "The data of Orang Pergi are being erased." }).waitFor();
  await page.locator("[data-actions='pergi@example.test']").waitFor({ state: "detached" });
  await page.goto(`${s.url}/admin?only=erased`);
  await page.getByText("Data terhapus · Erased").waitFor();
  await page.goto(`${s.url}/admin`);

  await page.locator(`[data-actions='${satu.email}']`).click();
  expect(await page.getByRole("menuitem", { name: "Disable" }).count()).toBe(0);
  await page.getByRole("menuitem", { name: "Show in the audit log" }).click();
  await page.waitForURL(/tab=log.*person=/);
  await page.getByText("Set a new password for Orang Keempat").waitFor();
  await page.getByText("Disabled the account of Orang Empat").waitFor();
  await page.context().close();
});

test("an administrator erases a guest by their address and by their phone number, with the keyboard and after a recent proof, and is told before what remains", async () => {
  const page = await s.enter(satu.email);
  const draft = await page.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, { data: {
    document_title: "Draf untuk Tamu", parallel: 0, filename: "draf.pdf", document_base64: makePDF(1).toString("base64"), signer: [],
    guest: [{ name: "Tamu Pergi", email: "tamu@example.test", role: "signer", number: 1 }, { name: "Tamu Telepon", email: "telepon@example.test", phone: "0812 3456 7890", role: "signer", number: 2 }],
  } });
  const { document_id } = ((await draft.json()) as { response: { data: { document_id: number } } }).response.data;
  const signers = async () => ((await (await page.request.get(`${s.url}/v1/econtract/web_app/document/signers/${document_id}`)).json()) as { data: { signer: { email: string }[] } }).data.signer.map((x) => x.email);
  const both = ["tamu@example.test", "telepon@example.test"];
  expect(await signers()).toEqual(both);
  let old = true;
  await page.route("**/v1/admin/guests/erased", (route) => (old ? route.fulfill({ status: 403, json: { code: 403, success: false, msg: "", error: { code: "auth.reauthenticate" } } }) : route.continue()));
  page.on("response", (answer) => { if (answer.url().endsWith("/v1/auth/reauthenticate") && answer.ok()) old = false; });
  await page.goto(`${s.url}/admin`);
  const opens = page.getByRole("button", { name: en.admin.eraseGuest });
  await opens.press("Enter");
  const dialog = page.getByRole("dialog", { name: en.admin.eraseGuestTitle }), erase = dialog.getByRole("button", { name: en.admin.erase, exact: true });
  for (const remains of [en.erasure.staying.files, en.erasure.staying.people, en.erasure.guest.documents]) await dialog.getByText(remains).waitFor();
  await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.name)).toBe("guest");
  expect(await erase.isDisabled()).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => opens.evaluate((b) => b === document.activeElement)).toBe(true);

  await opens.press("Enter");
  await dialog.locator("input[name=guest]").fill("bukan alamat");
  await erase.press("Enter");
  const proof = page.getByRole("dialog", { name: en.reauth.title });
  await proof.locator("input[name=current]").fill(password);
  await page.keyboard.press("Enter");
  await dialog.locator("input[name=guest][aria-invalid=true]").waitFor();
  expect(await signers()).toEqual(both);
  await dialog.locator("input[name=guest]").fill("Tamu@Example.test");
  await page.keyboard.press("Enter");
  await page.getByRole("status").filter({ hasText: en.admin.eraseGuestDone.replace("{{whom}}", "Tamu@Example.test") }).waitFor();
  await dialog.waitFor({ state: "detached" });
  expect(await signers()).toEqual(["telepon@example.test"]);
  await opens.press("Enter");
  await dialog.getByRole("radio", { name: en.admin.guestByKinds.phone }).press("Space");
  await dialog.getByRole("textbox", { name: en.admin.guestPhone }).fill("nomor");
  await page.keyboard.press("Enter");
  await dialog.locator("input[name=guest][aria-invalid=true]").waitFor();
  await dialog.getByRole("textbox", { name: en.admin.guestPhone }).fill("+62 812-3456-7890");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  expect(await signers()).toEqual([]);
  await page.getByRole("tab", { name: "Audit log" }).click();
  await page.getByText("Asked for the data of a guest to be erased (documents: 1)").first().waitFor();
  await page.context().close();
});

test.runIf(complete)("an administrator has new documents hide addresses, and a signer no longer sees that of another", async () => {
  const page = await s.login(satu.email);
  const dua = { name: "Penanda Dua", email: "s@example.test" }, enam = { name: "Penanda Enam", email: "enam@example.test" };
  s.user(enam.name, enam.email);
  const theirs = await s.login(dua.email);
  /** Sends a document to both, and returns the address of the second that the first one reads. */
  const shown = async (title: string) => {
    const { id } = await send(page, title, [dua, enam], 0);
    const { signer } = ((await (await theirs.request.get(`${s.url}/v1/econtract/web_app/document/signers/${id}`)).json()) as { data: { signer: { name: string; email: string }[] } }).data;
    const { email } = signer.find((x) => x.name === enam.name)!;
    await theirs.goto(`${s.url}/document/${id}`);
    await theirs.getByRole("main").getByText(email).first().waitFor();
    expect(await theirs.getByRole("main").getByText(enam.email).count() > 0).toBe(email === enam.email);
    return email;
  };
  expect(await shown("Dengan Alamat")).toBe(enam.email);
  await page.goto(`${s.url}/admin?tab=accounts`);
  const form = page.getByRole("form", { name: en.accountPolicy.title });
  await form.getByRole("checkbox", { name: en.accountPolicy.hideAddresses }).press("Space");
  await form.getByRole("button", { name: en.accountPolicy.save }).press("Enter");
  await form.getByRole("status").filter({ hasText: en.accountPolicy.saved }).waitFor();
  expect(await shown("Tanpa Alamat")).not.toContain(enam.email);
  await page.reload();
  await form.getByRole("checkbox", { name: en.accountPolicy.hideAddresses, checked: true }).waitFor();
  for (const p of [page, theirs]) await p.context().close();
});

test("the audit log is searched and exported, and links only to what the administrator may open", async () => {
  s.user("Admin Lain", "lain@example.test", "admin");
  const page = await s.login("lain@example.test");
  await page.goto(`${s.url}/admin?tab=log`);
  await page.getByText("Perjanjian Kerja").first().waitFor();
  expect(await page.getByRole("listitem").getByRole("link").count()).toBe(0);
  await page.getByRole("searchbox", { name: "E-mail of the person" }).fill("o@example.test");
  await page.waitForURL(/person=o/);
  await page.getByRole("combobox", { name: "Event" }).click();
  await page.getByRole("option", { name: "Signed the document", exact: true }).click();
  await page.waitForURL(/only=signed/);
  await page.getByText("1 line", { exact: true }).waitFor();
  const csv = page.waitForEvent("download");
  await page.getByRole("link", { name: /CSV/ }).click();
  const rows = readFileSync(await (await csv).path(), "utf8").trim().split("\r\n");
  expect(rows.length).toBe(2);
  expect(rows[1]).toContain(",signed,");
  await page.getByLabel("From", { exact: true }).fill("2090-01-01");
  await page.getByText("Nothing matches.").waitFor();
  await page.reload();
  await page.getByText("Nothing matches.").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByText("Perjanjian Kerja").first().waitFor();
  expect(new URL(page.url()).searchParams.get("person")).toBeNull();
  await page.context().close();
});

test("a user who is not an administrator has no such screen", async () => {
  const page = await s.enter("s@example.test");
  expect(await page.getByRole("link", { name: "Admin", exact: true }).count()).toBe(0);
  await page.goto(`${s.url}/admin`);
  await page.waitForURL("**/inbox**");
  await page.context().close();
});

test("an example of the interface's page is copied completely", async () => {
  const context = await s.browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  await page.goto(`${s.url}/docs#login`);
  await page.locator("#login button").click();
  await page.locator("#login button", { hasText: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await page.locator("#login pre").textContent());
  expect(copied).toContain('curl "$U/v1/auth/login"');
  await context.close();
});

test.runIf(complete)("an administrator sets the reminders that new documents begin with", async () => {
  const page = await s.login(satu.email);
  await page.goto(`${s.url}/admin?tab=reminders`);
  const form = page.getByRole("form", { name: "Reminders" });
  expect(await form.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await form.getByRole("textbox", { name: "First after (days)" }).fill("3");
  await form.getByRole("textbox", { name: "Then every (days)" }).fill("7");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("Saved.").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await expect.poll(() => form.getByRole("textbox", { name: "Then every (days)" }).inputValue()).toBe("7");

  const { id } = await send(page, "Dengan pengingat", [satu], 0);
  const answer = await page.request.get(`${s.url}/v1/econtract/web_app/document/detail/${id}`);
  expect(((await answer.json()) as { data: { delivery: { remind: object } } }).data.delivery.remind).toEqual({ after: 3, every: 7, before: 0 });
  await page.context().close();
});

test.runIf(complete)("an administrator sets the language and the time zone of the organisation", async () => {
  const page = await s.login(satu.email);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${s.url}/admin?tab=locale`);
  await page.getByRole("combobox", { name: "Time zone" }).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Jayapura");
  await page.getByRole("option", { name: "Asia/Jayapura" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Language of messages" }).click();
  await page.getByRole("option", { name: "English" }).click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").filter({ hasText: "Saved." }).waitFor();
  await page.reload();
  await expect.poll(() => page.getByRole("combobox", { name: "Time zone" }).inputValue()).toBe("Asia/Jayapura");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.context().close();
});
