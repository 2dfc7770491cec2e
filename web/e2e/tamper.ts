/**
 * Appends a revision to a sealed file of makePDF() that makes a page say something else: the signed bytes stay
 * unchanged, and a reader shows the new page.
 */
export function appended(sealed: Buffer, from: string, to: string): Buffer {
  const text = sealed.toString("latin1");
  const page = new RegExp(`(\\d+) 0 obj\\n<< /Length \\d+ >>\\nstream\\n([^\\0]*?)\\nendstream`).exec(text);
  if (!page?.[2]?.includes(from)) throw new Error(`the first page does not say ${from}`);
  const content = page[2].replace(from, to), last = (what: RegExp) => [...text.matchAll(what)].at(-1)![1]!;
  const object = `${page[1]} 0 obj\n<< /Length ${content.length} >>\nstream\n${content}\nendstream\nendobj\n`;
  const trailer = `trailer\n<< /Size ${last(/\/Size (\d+)/g)} /Root ${last(/\/Root (\d+ \d+ R)/g)} /Prev ${last(/startxref\s+(\d+)/g)} /ID ${last(/\/ID\s*(\[[^\]]*\])/g)} >>`;
  const xref = `xref\n${page[1]} 1\n${String(sealed.length).padStart(10, "0")} 00000 n \n${trailer}\nstartxref\n${sealed.length + object.length}\n%%EOF\n`;
  return Buffer.concat([sealed, Buffer.from(object + xref, "latin1")]);
}

/** Overwrites text of a page in place, which changes the signed bytes. */
export function overwritten(sealed: Buffer, from: string, to: string): Buffer {
  const copy = Buffer.from(sealed);
  copy.write(to.padEnd(from.length).slice(0, from.length), sealed.indexOf(from), "latin1");
  return copy;
}
