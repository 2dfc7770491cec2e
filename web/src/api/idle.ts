/** How long after their last input a person counts as working, in milliseconds. */
const working = 2 * 60_000;

let last = Date.now();

if (typeof window !== "undefined") {
  for (const input of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"]) window.addEventListener(input, () => { last = Date.now(); }, { capture: true, passive: true });
}

/** Whether nobody is working on this page: what it requests by itself must not keep the session alive. */
export const isIdle = (): boolean => Date.now() - last > working;
