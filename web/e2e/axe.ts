import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";

import { violations } from "./harness";

/** Where a picture of everything that is checked is kept, to be looked at; nowhere if this is not set. */
const pictures = process.env.SEGEL_PICTURES;

const looks = [["light", 1280], ["dark", 1280], ["dark", 360], ["light", 360]] as const;

/** Checks what a page shows, and names it. */
export type Check = (what: string) => Promise<void>;

/**
 * Holds whatever a page shows against the bar, light and dark, on a desk and on a phone: axe finds nothing, and nothing
 * is wider than the window. The page is left as it was found; what is wrong is added to a list, a line each.
 */
export function checker(page: Page, wrong: string[], language: string): Check {
  return async (what) => {
    for (const [colorScheme, width] of looks) {
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

/** Waits until a page looks as it is going to: a colour on its way to another would be measured. */
async function settled(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.waitForFunction((wanted) => (document.documentElement.dataset.mantineColorScheme ?? wanted) === wanted, colorScheme); // the interface's page tells none
  await page.evaluate(async () => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    await Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity).map((a) => a.finished));
  });
}
