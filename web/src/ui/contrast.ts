/** Relative luminance of a colour #rrggbb (WCAG 2.2). */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const v = parseInt(colour.slice(i, i + 2), 16) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast of two colours #rrggbb, from 1 to 21 (WCAG 2.2). */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Black or white, whichever has the higher contrast on a colour: at least 4.5 for any colour. */
export const textOn = (colour: string): string => (contrast(colour, "#ffffff") >= contrast(colour, "#000000") ? "#ffffff" : "#000000");

/** The page in light and dark. */
export const pages = { light: "#ffffff", dark: "#242424" } as const;

/** Whether a surface in a colour stands out from the page. Otherwise the colour is that of a line. */
export const standsOut = (colour: string, scheme: keyof typeof pages): boolean => contrast(colour, pages[scheme]) >= 3;
