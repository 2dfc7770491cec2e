import { afterAll, beforeAll, expect, test } from "vitest";

import { sizeOf } from "../src/ui/file-size";
import { send } from "./contract";
import { complete, makePDF, stage, violations, type Stage } from "./harness";

let s: Stage;
beforeAll(async () => {
  s = await stage({ env: { SEGEL_RETENTION_LEAST_YEARS: "3" } });
  s.user("Admin Satu", "admin@example.test", "admin");
});
afterAll(() => s.close());

test("an administrator sets the retention, and sets and lifts a legal hold, with the keyboard", async () => {
  const page = await s.enter("admin@example.test");
  const { id } = await send(page, "Perjanjian Sewa", [{ name: "Admin Satu", email: "admin@example.test" }]);
  await page.goto(`${s.url}/admin?tab=retention`);
  const years = page.getByRole("textbox", { name: "Years after the completion" });
  await years.waitFor();
  expect(await years.inputValue()).toBe("0");
  await page.getByText("Otherwise from 3 to 100").waitFor();
  await years.fill("2");
  await page.keyboard.press("Enter");
  await page.getByText("Enter 0 (for ever) or a whole number from 3 to 100.").waitFor();
  expect(await years.getAttribute("aria-invalid")).toBe("true");
  await years.fill("5");
  await page.keyboard.press("Enter");
  await page.getByRole("status").filter({ hasText: "Saved." }).waitFor();
  await page.getByText("Nothing is due.").waitFor();

  await page.getByRole("button", { name: "Set a legal hold" }).focus();
  await page.keyboard.press("Enter");
  const form = page.getByRole("form", { name: "Set a legal hold" });
  await expect.poll(() => form.getByRole("textbox", { name: "Document number" }).evaluate((e) => e === document.activeElement)).toBe(true);
  await page.keyboard.type("999999");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Perkara 1");
  await page.keyboard.press("Enter");
  await form.locator("[aria-invalid=true]").waitFor();
  await form.getByRole("textbox", { name: "Document number" }).fill(String(id));
  await page.keyboard.press("Enter");
  const held = page.getByRole("region", { name: "Legal holds" }).getByRole("listitem");
  await held.filter({ hasText: "Perkara 1" }).getByRole("link", { name: "Perjanjian Sewa" }).waitFor();
  expect(await violations(page)).toEqual([]);

  await page.getByRole("button", { name: "Lift the legal hold: Perkara 1" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Lift a legal hold" });
  await expect.poll(() => dialog.getByRole("textbox", { name: "Why it is lifted" }).evaluate((e) => e === document.activeElement)).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type("Selesai");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("There are no legal holds.").waitFor();
  await page.reload();
  await expect.poll(() => page.getByRole("textbox", { name: "Years after the completion" }).inputValue()).toBe("5");
  await page.context().close();
});

test.runIf(complete)("an administrator sees what the organisation stores, and when the disk is nearly full", async () => {
  const page = await s.enter("admin@example.test");
  await page.goto(`${s.url}/admin?tab=quota`);
  const usage = page.locator("[data-usage]");
  await usage.waitFor();
  const before = Number((await usage.innerText()).match(/Documents: (\d+)\./)?.[1]);
  await send(page, "Perjanjian Pinjaman", [{ name: "Admin Satu", email: "admin@example.test" }]);
  await page.reload();
  await usage.filter({ hasText: `Documents: ${before + 1}. ` }).waitFor();
  expect(await usage.innerText()).toContain(`${sizeOf((before + 1) * makePDF(2).length, "en")} uploaded`);
  await page.goto(`${s.url}/admin?tab=stuck`);
  await page.getByText("Nothing is stuck").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  // Only a disk of the test could be full. The service's own finding is tested where it can be replaced.
  const disk = { state: "scarce", msg: "Free space is scarce.", free_bytes: 3_200_000_000 };
  await page.route("**/v1/admin/stuck*", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    expect(Object.keys(body.data.disk).sort()).toEqual(Object.keys(disk).sort());
    await route.fulfill({ response, json: { ...body, data: { ...body.data, disk } } });
  });
  await page.reload();
  const alert = page.getByRole("alert").filter({ hasText: "Storage space" });
  await alert.filter({ hasText: disk.msg }).filter({ hasText: "3.2 GB" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.context().close();
});
