import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";

import { complete, violations } from "./harness";

/** Where pictures of all checked states are kept for inspection; nowhere if not set. */
const pictures = process.env.SEGEL_PICTURES;

const looks = [["light", 1280], ["dark", 1280], ["dark", 360], ["light", 360]] as const;

/**
 * The looks in which a state is checked, by its number: all four in the complete run. Otherwise every second state has one, so that all looks occur in each walk.
 */
const looksOf = (state: number) => complete ? looks : state % 2 === 0 ? [looks[state / 2 % 4]!] : [];

/** Checks the state that a page shows, under a name. */
export type Check = (what: string) => Promise<void>;

/**
 * Checks a page in light and dark, on a desktop and on a phone: axe finds nothing, and nothing is wider than the
 * window. It restores the page and appends one line for each problem to a list.
 */
export function checker(page: Page, wrong: string[], language: string): Check {
  let state = 0;
  return async (what) => {
    for (const [colorScheme, width] of looksOf(state++)) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      await settled(page, colorScheme);
      const where = `${what}, ${language}, ${colorScheme}, ${width} wide`;
      wrong.push(...(await violations(page)).map((v) => `${where}: ${v}`));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) wrong.push(`${where}: ${wide} pixels wide`);
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        await page.screenshot({ path: path.join(pictures, `${what.replaceAll(" ", "-")}-${language}-${colorScheme}-${width}.png`) });
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
}

/** Waits until transitions have ended: a colour in transition would be measured. */
async function settled(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.waitForFunction((wanted) => (document.documentElement.dataset.mantineColorScheme ?? wanted) === wanted, colorScheme); // the interface's page has no scheme
  await page.evaluate(async () => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    await Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity).map((a) => a.finished));
  });
}
