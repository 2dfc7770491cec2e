import { afterAll, beforeAll, expect, test } from "vitest";

import { makePDF, stage, type Stage } from "./harness";

let s: Stage;
beforeAll(async () => {
  s = await stage();
  s.user("Pemilik Satu", "o@example.test");
  s.user("Ayu Lestari", "ayu@example.test");
});
afterAll(() => s.close());

/** The most clicks that a contract may take. It took 51 before boxes could be placed for all signers at once. */
const most = 25;

test(`a contract of 12 pages with three signers, everyone's initials on every page and a stamp takes at most ${most} clicks`, async () => {
  const page = await s.enter("o@example.test");
  // Clicks of a pointer: keys and scripts make clicks with a detail of 0, or are not trusted.
  await page.evaluate(() => {
    const count = { clicks: 0 };
    Object.assign(window, { count });
    document.addEventListener("click", (e) => { if (e.isTrusted && e.detail > 0) count.clicks++; }, true);
  });
  const clicks = () => page.evaluate(() => (window as unknown as { count: { clicks: number } }).count.clicks);

  await page.getByRole("link", { name: "New document" }).first().click();
  const chosen = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).click();
  await (await chosen).setFiles({ name: "Perjanjian Kerja Sama.pdf", mimeType: "application/pdf", buffer: makePDF(12) });
  await page.getByRole("button", { name: "Upload and continue" }).click();
  await page.waitForURL("**step=people**");

  await page.getByRole("combobox", { name: "Add a member" }).click();
  await page.keyboard.type("Ayu");
  await page.getByRole("option", { name: /Ayu Lestari/ }).click();
  for (const name of ["Budi Santoso", "Citra Dewi"]) {
    await page.getByRole("button", { name: "Add a guest" }).click();
    await page.keyboard.type(name);
    await page.keyboard.press("Tab");
    await page.keyboard.type(`${name.split(" ")[0]!.toLowerCase()}@example.test`);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: `Remove ${name}` }).waitFor();
  }
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**step=place**");

  await page.getByRole("button", { name: "Place for all signers" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Place 39 boxes" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.locator("[data-tool=emet]").click();
  await page.locator("[data-page='1']").evaluate((e) => e.scrollIntoView()); // with the wheel, clear of the header
  await page.locator("[data-page='1'] [class*=sheet]").click({ position: { x: 300, y: 30 } });
  await page.getByText("1 stamp", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**step=review**");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForURL("**/document/**");

  const id = Number(new URL(page.url()).pathname.split("/").at(-1));
  const detail = (await (await page.request.get(`${s.url}/v1/econtract/web_app/document/detail/${id}`)).json()).data;
  expect(detail.status).toBe("processing");
  const placed = detail.placements as { type: string; page: number; name: string }[];
  expect(placed.filter((p) => p.type === "emet")).toHaveLength(1);
  for (const name of ["Ayu Lestari", "Budi Santoso", "Citra Dewi"]) {
    expect(placed.filter((p) => p.type === "paraf" && p.name === name).map((p) => p.page), name).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(placed.filter((p) => p.type === "sign" && p.name === name).map((p) => p.page), name).toEqual([12]);
  }
  const made = await clicks();
  console.log(`${made} clicks`);
  expect(made).toBeLessThanOrEqual(most);
  expect(made).toBeGreaterThan(10); // or they were not counted
  await page.context().close();
});
