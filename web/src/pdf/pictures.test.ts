import { expect, test } from "vitest";

import { Queue, pageSize, pictureWidth, type PageList } from "./pictures";

const list: PageList = {
  digest: "0a", size: 1000, count: 9, pictures: true, widths: [360, 720, 1080],
  sender: { organisation: "PT Contoh", colour: null, logo: null }, sizes: [{ first: 1, last: 1, width: 595, height: 842 }, { first: 2, last: 4, width: 842, height: 595 }],
};

test("the smallest picture that is wide enough is taken, else the largest", () => {
  expect([1, 360, 361, 1080, 5000].map((w) => pictureWidth(list, w))).toEqual([360, 360, 720, 1080, 1080]);
});

test("pages that are not listed are most likely like the last", () => {
  expect([1, 2, 4, 9].map((n) => pageSize(list, n).width)).toEqual([595, 842, 842, 842]);
  expect(pageSize({ ...list, sender: { organisation: "PT Contoh", colour: null, logo: null }, sizes: [] }, 1)).toEqual({ width: 595, height: 842 });
});

test("pictures are read one after the other, and those that are no longer wanted are left out", async () => {
  const queue = new Queue(), order: string[] = [];
  const wanted = new AbortController(), gone = new AbortController();
  let release = () => {};
  const held = new Promise<void>((done) => { release = done; });
  const read = (name: string, wait?: Promise<void>) => async () => {
    order.push(`begin ${name}`);
    await wait;
    order.push(`end ${name}`);
    return name;
  };
  const first = queue.run(wanted.signal, read("first", held)), second = queue.run(gone.signal, read("second")), third = queue.run(wanted.signal, read("third"));
  gone.abort();
  release();
  expect(await first).toBe("first");
  await expect(second).rejects.toThrow();
  expect(await third).toBe("third");
  expect(order).toEqual(["begin first", "end first", "begin third", "end third"]);
});
