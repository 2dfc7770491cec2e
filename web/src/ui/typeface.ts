import latin from "@fontsource-variable/plus-jakarta-sans/files/plus-jakarta-sans-latin-wght-normal.woff2?url";
import latinExt from "@fontsource-variable/plus-jakarta-sans/files/plus-jakarta-sans-latin-ext-wght-normal.woff2?url";

/** The family of the app. Until it is loaded, and for other scripts, the system's own is shown. */
export const family = "Plus Jakarta Sans";

/** The characters of each part: the browser loads a part when the page has one of them. */
const parts = [
  [latin, "U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD"],
  [latinExt, "U+0100-0130, U+0132-0151, U+0154-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+1E00-1E9F, U+1EF2-1EFF, U+20A0-20AB, U+20AD-20C0, U+2113, U+A720-A7FF"],
] as const;

let offered = false;

/** Offers the family to the page. The text stays readable meanwhile, in the system's own. */
export function loadTypeface(): void {
  if (offered) return;
  offered = true;
  for (const [file, unicodeRange] of parts) document.fonts.add(new FontFace(family, `url(${file}) format("woff2")`, { weight: "200 800", display: "swap", unicodeRange }));
}
