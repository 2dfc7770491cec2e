import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { read, send, type Sent } from "./contract";
import { complete, office, stage, type Office, type Stage } from "./harness";

let desk: Office, s: Stage, owner: Page;
const satu = { name: "Pemilik Satu", email: "o@example.test" };
beforeAll(async () => {
  desk = await office();
  s = await stage({ env: desk.env });
  s.user(satu.name, satu.email, "admin");
  owner = await s.login(satu.email);
});
afterAll(async () => {
  await s.close();
  await desk.close();
});

const shown = (page: Page) => page.getByRole("list", { name: "Progress" });

/** Sends a contract to myself and signs it, so that its stamp is due. */
async function signed(title: string): Promise<Sent> {
  const contract = await send(owner, title, [satu]);
  await owner.goto(`${s.url}/document/${contract.id}/sign`);
  await owner.locator("label").filter({ hasText: /^Type$/ }).click();
  await owner.getByRole("img", { name: "Your signature" }).waitFor();
  await read(owner);
  await owner.getByRole("button", { name: "Sign", exact: true }).click();
  await owner.getByRole("link", { name: "Document details" }).waitFor();
  return contract;
}

const register = async () => ((await (await owner.request.get(`${s.url}/v1/admin/serials`)).json()) as { data: { serials: { serial: string; state: string }[] } }).data.serials;

/** Waits until the shown document is sealed, and returns its serial. */
async function completed(): Promise<string> {
  await owner.getByRole("link", { name: "Download" }).waitFor();
  return (await owner.getByRole("link", { name: /^SPESIMEN|^[0-9A-Z]{8,}/ }).first().textContent())!;
}

test("a stamp that is refused stops with its reason, and is affixed by the same serial when asked again", async () => {
  await desk.faults({ call: "docSigningZ", fault: "error", code: "83" });
  const contract = await signed("Stempel Ditolak");
  await owner.goto(`${s.url}/document/${contract.id}`);
  await owner.getByText("Failed", { exact: true }).waitFor();
  await shown(owner).getByText("stopped").waitFor();
  expect(await shown(owner).getByRole("listitem").filter({ hasText: "stopped" }).textContent()).toMatch(/^Stamped\s+stopped\s*\S/); // with the reason
  await owner.goto(`${s.url}/admin?tab=stuck&find=stempel`);
  await owner.getByRole("listitem").filter({ hasText: "Stempel Ditolak" }).waitFor();
  const select = async (filter: string, word: string) => {
    await owner.getByRole("combobox", { name: filter }).click();
    await owner.getByRole("option", { name: word, exact: true }).click();
  };
  await select("Step", "Seal");
  await owner.getByText("Nothing matches.").waitFor();
  await select("Step", "Duty stamps");
  await select("Status", "Failed");
  await owner.getByRole("searchbox", { name: "E-mail of the owner" }).fill(satu.email.toUpperCase());
  await owner.waitForURL("**person=O%40EXAMPLE.TEST**");
  await owner.getByRole("listitem").filter({ hasText: "Stempel Ditolak" }).waitFor();
  await owner.goto(`${s.url}/document/${contract.id}`);
  const before = await register();
  expect(before.map((x) => x.state)).toEqual(["bound"]);
  await desk.faults();
  await owner.getByRole("button", { name: "Stamp again" }).click();
  expect(await completed()).toBe(before[0]!.serial);
  expect(await register()).toEqual([expect.objectContaining({ serial: before[0]!.serial, state: "affixed" })]);
});

test.runIf(complete)("with a new serial the refused one becomes free, and the next document uses it", async () => {
  await desk.faults({ call: "docSigningZ", fault: "error", code: "83" });
  const contract = await signed("Nomor Seri Baru");
  await owner.goto(`${s.url}/document/${contract.id}`);
  await owner.getByText("Failed", { exact: true }).waitFor();
  const refused = (await register()).find((x) => x.state === "bound")!.serial;
  await desk.faults();
  await owner.getByRole("button", { name: "More actions" }).click();
  await owner.getByRole("menuitem", { name: "Stamp with a new serial" }).click();
  await owner.getByRole("dialog").getByRole("button", { name: "Stamp with a new serial" }).click();
  const other = await completed();
  expect(other).not.toBe(refused);
  expect((await register()).find((x) => x.serial === refused)!.state).toBe("free");
});

test("the document shows that it waits for a silent stamp office, live, and the owner retries", async () => {
  await desk.faults({ call: "", fault: "outage" });
  const contract = await signed("Kantor Tutup");
  await owner.goto(`${s.url}/document/${contract.id}`);
  const stamping = shown(owner).getByRole("listitem").filter({ hasText: /^Stamped/ });
  await expect.poll(async () => /^Stamped\s+in progress\s*\S/.test((await stamping.textContent())!)).toBe(true); // the reason, without a reload
  await owner.getByText("In progress", { exact: true }).waitFor();
  expect(await stamping.textContent()).not.toMatch(/EOF|HTTP|login|:/); // a message for people, without technical details
  await desk.faults();
  // The service may still pause before its next call to the stamp office; then the owner retries.
  const again = stamping.getByRole("button", { name: "Try again" });
  await again.click();
  await completed();
  for (const step of ["signed", "timestamped", "stamped", "sealed", "logged"]) {
    const at = shown(owner).locator(`[data-step=${step}]`);
    await expect.poll(() => at.getAttribute("data-state"), { message: step }).toBe("done");
    expect(Date.parse((await at.locator("time").getAttribute("datetime"))!), step).toBeGreaterThan(0);
  }
  await shown(owner).locator("[data-step=stamped]").getByRole("link").waitFor(); // its serial
});
