import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test, vi } from "vitest";

import { Dialog } from "./dialog";

vi.mock("../text", () => ({ useText: () => (key: string) => key }));
vi.mock("./focus-return", () => ({ useFocusReturn: () => undefined }));
vi.mock("@mantine/core", () => {
  const inner = ({ children }: { children?: ReactNode }) => <div>{children}</div>;
  const root = ({ children, closeOnClickOutside = true, closeOnEscape = true }: { children?: ReactNode; closeOnClickOutside?: boolean; closeOnEscape?: boolean }) =>
    <div data-outside={closeOnClickOutside} data-escape={closeOnEscape}>{children}</div>;
  return { Modal: { Root: root, Overlay: inner, Content: inner, Body: inner, Title: inner }, Drawer: {}, Group: inner, CloseButton: () => <button>x</button> };
});

test("a dialog that stays is closed neither by a click outside, nor by Escape, nor by a button in its head", () => {
  const draw = (stays: boolean) => renderToStaticMarkup(<Dialog opened stays={stays} onClose={() => undefined} title="Codes"><b>codes</b></Dialog>);
  expect(draw(false)).toMatch(/data-outside="true" data-escape="true".*<button>.*<b>/);
  expect(draw(true)).toMatch(/data-outside="false" data-escape="false"/);
  expect(draw(true)).not.toContain("<button>");
});
