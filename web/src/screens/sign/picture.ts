/** Longest side of a signature's picture, in pixels: about four centimetres wide in print. */
const largest = 1200;

/** The colour that the service gives to all strokes, so that the preview looks like the result. */
export const inkColour = "#162136";

const png = (c: HTMLCanvasElement) => new Promise<Blob | null>((done) => c.toBlob(done, "image/png"));

/** The smallest rectangle around everything that is not transparent, or null. */
export function inked(pixels: Uint8ClampedArray, width: number, height: number): { x: number; y: number; w: number; h: number } | null {
  let left = width, top = height, right = -1, bottom = -1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (pixels[(y * width + x) * 4 + 3]! < 8) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  return right < 0 ? null : { x: left, y: top, w: right - left + 1, h: bottom - top + 1 };
}

/** Cuts off the empty border of a drawing, except a margin: the service refuses strokes that fill the picture. */
export async function trim(c: HTMLCanvasElement): Promise<Blob | null> {
  const box = inked(c.getContext("2d")!.getImageData(0, 0, c.width, c.height).data, c.width, c.height);
  if (!box) return null;
  const margin = Math.round(Math.max(box.w, box.h) / 4);
  const x = Math.max(0, box.x - margin), y = Math.max(0, box.y - margin);
  return copy(c, x, y, Math.min(c.width, box.x + box.w + margin) - x, Math.min(c.height, box.y + box.h + margin) - y);
}

function copy(from: CanvasImageSource, x: number, y: number, w: number, h: number): Promise<Blob | null> {
  const scale = Math.min(1, largest / Math.max(w, h));
  const out = document.createElement("canvas");
  out.width = Math.max(1, Math.round(w * scale));
  out.height = Math.max(1, Math.round(h * scale));
  out.getContext("2d")!.drawImage(from, x, y, w, h, 0, 0, out.width, out.height);
  return png(out);
}

/** The handwriting fonts for typed names, and how much larger each is set to look alike. */
export const hands = { flowing: { family: "Dancing Script", scale: 1 }, casual: { family: "Caveat", scale: 1.1 }, upright: { family: "Kalam", scale: 0.9 } } as const;
export type HandFont = keyof typeof hands;

/** The files of a font are loaded when it is first chosen. */
const files: Record<HandFont, () => Promise<[{ default: string }, { default: string }]>> = {
  flowing: () => Promise.all([import("@fontsource/dancing-script/files/dancing-script-latin-400-normal.woff2?url"), import("@fontsource/dancing-script/files/dancing-script-latin-ext-400-normal.woff2?url")]),
  casual: () => Promise.all([import("@fontsource/caveat/files/caveat-latin-400-normal.woff2?url"), import("@fontsource/caveat/files/caveat-latin-ext-400-normal.woff2?url")]),
  upright: () => Promise.all([import("@fontsource/kalam/files/kalam-latin-400-normal.woff2?url"), import("@fontsource/kalam/files/kalam-latin-ext-400-normal.woff2?url")]),
};

const offered = new Map<HandFont, Promise<void>>();

/** Offers a font to the page once. */
function offer(font: HandFont): Promise<void> {
  const known = offered.get(font);
  if (known) return known;
  const offering = files[font]().then(([latin, rest]) => {
    document.fonts.add(new FontFace(hands[font].family, `url(${latin.default}) format("woff2")`, { unicodeRange: "U+0000-00FF, U+0131, U+0152-0153, U+2000-206F" }));
    document.fonts.add(new FontFace(hands[font].family, `url(${rest.default}) format("woff2")`, { unicodeRange: "U+0100-0130, U+0132-0151, U+0154-02AF, U+1E00-1E9F" }));
  });
  offered.set(font, offering);
  offering.catch(() => offered.delete(font)); // the next choice tries again
  return offering;
}

/** Renders a name in a handwriting font. If the font cannot be loaded, a font of the device is used. */
export async function write(name: string, font: HandFont): Promise<Blob | null> {
  const text = name.trim();
  if (text === "") return null;
  const { family, scale } = hands[font];
  await offer(font).then(() => document.fonts.load(`130px "${family}"`, text)).catch(() => undefined);
  const c = document.createElement("canvas");
  c.width = 1600;
  c.height = 260;
  const g = c.getContext("2d")!;
  let size = 130 * scale;
  do g.font = `${size}px "${family}", "Segoe Script", "Bradley Hand", "Snell Roundhand", cursive`;
  while (g.measureText(text).width > c.width - 40 && (size -= 10) > 20);
  g.fillStyle = inkColour;
  g.textBaseline = "middle";
  g.fillText(text, 20, c.height / 2);
  return trim(c);
}

/** Scales a chosen picture down to an acceptable size. */
export async function shrink(file: Blob): Promise<Blob | null> {
  const picture = await createImageBitmap(file);
  try {
    return await copy(picture, 0, 0, picture.width, picture.height);
  } finally {
    picture.close();
  }
}
