import { afterAll, beforeAll, expect, test } from "vitest";

import { sealed, send } from "./contract";
import { office, stage, type Office, type Stage } from "./harness";

let desk: Office, s: Stage;
const satu = { name: "Pemilik Satu", email: "o@example.test" };
beforeAll(async () => {
  desk = await office();
  s = await stage({ env: desk.env });
  s.user(satu.name, satu.email, "admin");
  s.user("Penanda Dua", "s@example.test");
  const owner = await s.enter(satu.email);
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
