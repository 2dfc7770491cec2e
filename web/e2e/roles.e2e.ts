import { afterAll, beforeAll, expect, test } from "vitest";

import { send } from "./contract";
import { complete, makePDF, stage, violations, type Stage } from "./harness";
import { en } from "./texts";

let s: Stage;
const colleague = { name: "Rekan Empat", email: "r@example.test" };
const owner = { name: "Pemilik Satu", email: "o@example.test" }, signer = { name: "Penanda Dua", email: "s@example.test" };
beforeAll(async () => {
  s = await stage();
  s.user(owner.name, owner.email, "admin");
  s.user(signer.name, signer.email);
  s.user("Auditor Tiga", "a@example.test", "auditor");
  s.user(colleague.name, colleague.email);
  const page = await s.login(owner.email);
  await send(page, "Perjanjian Kerja", [signer]);
  await page.context().close();
});
afterAll(() => s.close());

test("an administrator makes a sender a member, who signs and sends nothing", async () => {
  const page = await s.enter(owner.email), theirs = await s.enter(signer.email);
  await theirs.getByRole("link", { name: "New document" }).first().waitFor();
  await page.goto(`${s.url}/admin`);
  await page.locator(`[data-actions='${signer.email}']`).click();
  await page.getByRole("menuitem", { name: "Change role" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Role" }).click();
  await page.getByRole("option", { name: "Member", exact: true }).click();
  await dialog.getByText("Sends none").waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Change role" }).click();
  await page.getByRole("status").filter({ hasText: "has been changed" }).waitFor();
  await page.getByRole("listitem").filter({ hasText: signer.email }).getByText("Member", { exact: true }).waitFor();

  expect((await theirs.request.post(`${s.url}/v1/econtract/web/sign/upload-docs-base64`, { data: {} })).status()).toBe(403);
  await theirs.reload();
  await theirs.getByRole("link", { name: "Perjanjian Kerja" }).first().waitFor();
  expect(await theirs.getByRole("link", { name: "New document" }).count()).toBe(0);
  await page.context().close();
  await theirs.context().close();
});

test.runIf(complete)("a team shares a document, of which a member cancels it until they are removed", async () => {
  const page = await s.login(owner.email), theirs = await s.login(colleague.email);
  await page.goto(`${s.url}/admin?tab=teams`);
  await page.getByRole("textbox", { name: "Name of the team" }).fill("Legal");
  await page.keyboard.press("Enter");
  await page.getByRole("status").filter({ hasText: "The team Legal has been created." }).waitFor();
  for (const who of [owner, colleague]) {
    await page.getByRole("combobox", { name: "Add a person: Legal" }).fill(who.name);
    await page.getByRole("option", { name: who.name }).click();
    await page.getByRole("button", { name: `Remove ${who.name} from the team` }).waitFor();
  }
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1280, height: 900 });

  // Who is a member of a team chooses it with the file; at first none is chosen.
  await page.goto(`${s.url}/new`);
  await page.setInputFiles("input[type=file]", { name: "Draf Tim.pdf", mimeType: "application/pdf", buffer: makePDF(1) });
  const team = page.getByRole("combobox", { name: "Team" });
  expect(await team.inputValue()).toBe("Not shared with a team");
  await team.press("Enter");
  await page.getByRole("option", { name: "Legal", exact: true }).click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Upload and continue" }).click();
  await page.waitForURL("**step=people**");
  const draft = new URL(page.url()).searchParams.get("document");
  expect(((await (await theirs.request.get(`${s.url}/v1/econtract/web_app/document/detail/${draft}`)).json()) as { data: { team: { name: string } } }).data.team.name).toBe("Legal");

  const { id } = await send(page, "Perjanjian Tim", [signer]);
  await page.goto(`${s.url}/document/${id}`);
  await page.getByRole("combobox", { name: "Team" }).click();
  await page.getByRole("option", { name: "Legal", exact: true }).click();
  await page.getByRole("combobox", { name: "Team" }).and(page.locator("[value='Legal']")).waitFor();

  await theirs.goto(`${s.url}/sent`);
  await theirs.getByRole("combobox", { name: "Documents" }).click();
  await theirs.getByRole("option", { name: "Team Legal" }).click();
  await theirs.waitForURL(/team=/);
  await theirs.getByText(`From ${owner.name}`).first().waitFor();
  expect(await violations(theirs)).toEqual([]);
  // The member files it in a folder of the team, which the owner's own list does not have.
  await theirs.getByRole("checkbox", { name: "Select Perjanjian Tim" }).check();
  await theirs.getByRole("button", { name: "Set labels" }).waitFor();
  await theirs.getByRole("button", { name: "Move to a folder" }).click();
  await theirs.getByText("The members of the team see its folders.").waitFor();
  await theirs.getByRole("radio", { name: "A new folder" }).check();
  await theirs.getByRole("textbox", { name: "Name of the folder" }).fill("Kantor");
  await theirs.keyboard.press("Enter");
  await theirs.getByRole("listitem").filter({ hasText: "Perjanjian Tim" }).getByText("Kantor").waitFor();
  await theirs.getByRole("button", { name: "Manage folders" }).waitFor();
  await page.goto(`${s.url}/sent`);
  const mine = page.getByRole("listitem").filter({ hasText: "Perjanjian Tim" });
  await mine.waitFor();
  expect(await mine.getByText("Kantor").count()).toBe(0);
  await theirs.getByRole("link", { name: "Perjanjian Tim", exact: true }).click();
  await theirs.getByText("Shared with the team Legal").waitFor();
  await theirs.getByRole("button", { name: "More actions" }).click();
  expect(await theirs.getByRole("menuitem", { name: "Delete draft" }).count()).toBe(0);
  await theirs.getByRole("menuitem", { name: "Cancel document" }).click();
  await theirs.getByRole("dialog").getByRole("button", { name: "Cancel document" }).click();
  await theirs.getByText("Canceled", { exact: true }).first().waitFor();

  await page.goto(`${s.url}/admin?tab=teams`);
  await page.getByRole("button", { name: `Remove ${colleague.name} from the team` }).click();
  await page.getByRole("status").filter({ hasText: `${colleague.name} is no longer in Legal.` }).waitFor();
  await theirs.goto(`${s.url}/document/${id}`);
  await theirs.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Delete: Legal" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No teams yet.").waitFor();
  await theirs.goto(`${s.url}/new`);
  await theirs.setInputFiles("input[type=file]", { name: "Tanpa Tim.pdf", mimeType: "application/pdf", buffer: makePDF(1) });
  await theirs.getByRole("button", { name: "Upload and continue" }).waitFor();
  expect(await theirs.getByRole("combobox", { name: "Team" }).count()).toBe(0);
  await page.context().close();
  await theirs.context().close();
});

test("an auditor reads the documents and the log, and changes nothing", async () => {
  const page = await s.enter("a@example.test");
  await page.getByRole("link", { name: "Admin", exact: true }).click();
  await page.getByText(signer.email).waitFor();
  expect(await page.getByRole("button", { name: "Add a person" }).count()).toBe(0);
  expect(await page.getByRole("tab", { name: "Webhooks" }).count()).toBe(0);
  await page.getByRole("tab", { name: "Documents" }).click();
  const line = page.getByRole("listitem").filter({ hasText: "Perjanjian Kerja" });
  await line.getByText(owner.email).waitFor();
  expect(await violations(page)).toEqual([]);
  // The record of a document: its people, steps and history, without its file and without anything to act with.
  const read: string[] = [];
  page.on("request", (r) => read.push(new URL(r.url()).pathname));
  await line.getByRole("link", { name: "Perjanjian Kerja" }).click();
  await page.getByText(en.document.recordsOnly).waitFor();
  await page.getByText(signer.name).first().waitFor();
  await page.getByRole("button", { name: en.document.trail }).click();
  await page.getByRole("listitem").filter({ hasText: "Finalized the document" }).waitFor();
  for (const name of [en.document.more, en.document.sign]) expect(await page.getByRole("button", { name, exact: true }).or(page.getByRole("link", { name, exact: true })).count()).toBe(0);
  expect(await page.locator("canvas, [data-page]").count()).toBe(0);
  expect(read.filter((p) => /\/(pages|preview|page-picture|download|original|evidence)\//.test(p))).toEqual([]);
  expect(await violations(page)).toEqual([]);
  const number = /\/document\/(\d+)/.exec(page.url())![1];
  for (const what of ["preview", "download", "original", "evidence"]) expect((await page.request.get(`${s.url}/v1/econtract/web_app/document/${what}/${number}`)).status()).toBe(403);
  for (const [verb, body] of [["sign-docs", {}], ["cancel-docs", {}], ["remind-docs", {}]] as const) expect((await page.request.post(`${s.url}/v1/econtract/web/sign/${verb}`, { data: { document_id: Number(number), ...body } })).status()).toBe(403);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goBack();
  await line.getByRole("button", { name: "Show in the audit log" }).click();
  await page.getByRole("tab", { name: "Audit log", selected: true }).waitFor();
  await page.getByRole("listitem").filter({ hasText: "Finalized the document" }).first().waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole("tab", { name: "Documents" }).click();
  await page.getByText(owner.email).first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.context().close();
});

test("an operator creates an organisation, suspends it, resumes it and closes it", async () => {
  const page = await s.login(owner.email);
  await page.goto(`${s.url}/admin?tab=organisations`);
  const first = page.getByRole("listitem").filter({ hasText: "Segel" });
  await first.locator("[data-actions]").click();
  expect(await page.getByRole("menuitem", { name: "Suspend" }).count()).toBe(0); // it runs the service
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Add an organisation" }).click();
  const add = page.getByRole("form", { name: "Add an organisation" });
  await add.getByRole("textbox", { name: "Name of the organisation" }).fill("PT Henti");
  expect(await violations(page)).toEqual([]);
  await add.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("status").filter({ hasText: "PT Henti has been added" }).waitFor();
  const found = (await (await page.request.get(`${s.url}/v1/admin/organisations?search=henti`)).json()).data.organisations[0];
  const made = (await (await page.request.post(`${s.url}/v1/admin/people`, { data: { organisation: found.id, name: "Lima", email: "lima@example.test", role: "admin" } })).json()).response.data;

  const line = page.getByRole("listitem").filter({ hasText: "PT Henti" }), dialog = page.getByRole("dialog");
  const choose = async (item: string) => {
    await page.locator(`[data-actions='${found.id}']`).click();
    await page.getByRole("menuitem", { name: item }).click();
    await page.getByRole("menu").waitFor({ state: "detached" }); // a menu that fades has little contrast
  };
  await choose("Suspend");
  await dialog.getByRole("textbox", { name: /Reason/ }).fill("unpaid");
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Suspend" }).click();
  await line.getByText("unpaid").waitFor();
  const context = await s.browser.newContext({ locale: "en" }), theirs = await context.newPage();
  await theirs.goto(`${s.url}/login`);
  await theirs.getByLabel("E-mail").fill("lima@example.test");
  await theirs.getByLabel("Password").first().fill(made.password);
  await theirs.keyboard.press("Enter");
  await theirs.getByText("This organisation is suspended").waitFor();
  await context.close();

  await choose("Resume");
  await dialog.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("status").filter({ hasText: "PT Henti has been resumed" }).waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await choose("Close for ever");
  const button = dialog.getByRole("button", { name: "Close for ever" });
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByRole("textbox", { name: /Type the name/ }).fill("PT Henti");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await button.click();
  await line.getByText("closed", { exact: true }).waitFor();
  expect(await line.locator("[data-actions]").count()).toBe(0);
  await page.context().close();
});
