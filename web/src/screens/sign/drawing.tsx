import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import SignaturePad, { type PointGroup } from "signature_pad";

import { useText } from "../../text";
import { inkColour, trim } from "./picture";
import { fitted } from "./strokes";

interface Props {
  /** The name of the area, for screen readers. */
  label: string;
  hint: string;
  /** The previous drawing. */
  strokes: PointGroup[];
  /** The strokes, and their picture once it is rendered. */
  onChange: (strokes: PointGroup[], picture: Promise<Blob | null>) => void;
}

/** Drawing takes a signature drawn by mouse, pen or finger. */
export function Drawing({ label, hint, strokes, onChange }: Props) {
  const t = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const pad = useRef<SignaturePad>(null);
  const tell = useRef(onChange);
  tell.current = onChange;
  const before = useRef(strokes);
  before.current = strokes;
  useEffect(() => {
    const c = canvas.current!;
    const p = new SignaturePad(c, { penColor: inkColour, minWidth: 0.8, maxWidth: 2.6 });
    p.addEventListener("endStroke", () => tell.current(fitted(p.toData(), c.offsetWidth), trim(c)));
    // Turning a phone or opening another sheet changes the width: keep the strokes.
    let width = 0;
    const fit = () => {
      const dense = Math.max(window.devicePixelRatio || 1, 2);
      if (c.offsetWidth === 0 || c.offsetWidth === width) return;
      width = c.offsetWidth;
      const drawn = fitted(before.current, c.offsetWidth);
      c.width = c.offsetWidth * dense;
      c.height = c.offsetHeight * dense;
      c.getContext("2d")!.scale(dense, dense);
      p.fromData(drawn);
    };
    fit();
    const size = new ResizeObserver(fit);
    size.observe(c);
    pad.current = p;
    return () => {
      size.disconnect();
      p.off();
    };
  }, []);
  return (
    <Stack gap={4}>
      <canvas ref={canvas} role="img" aria-label={label} style={{ width: "100%", height: 160, border: "1px dashed var(--mantine-color-dimmed)", borderRadius: 8, background: "white", touchAction: "none" }} />
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="xs" c="dimmed">{hint}</Text>
        <Button size="xs" variant="default" style={{ flex: "none" }} onClick={() => { pad.current?.clear(); onChange([], Promise.resolve(null)); }}>{t("sign.clear")}</Button>
      </Group>
    </Stack>
  );
}
