import { Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import SignaturePad from "signature_pad";

import { useText } from "../../text";
import { trim } from "./picture";

/** Drawing takes a signature by mouse, pen or finger. */
export function Drawing({ hint, onChange }: { hint: string; onChange: (picture: Blob | null) => void }) {
  const t = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const pad = useRef<SignaturePad>(null);
  const tell = useRef(onChange);
  tell.current = onChange;
  useEffect(() => {
    const c = canvas.current!;
    const p = new SignaturePad(c, { penColor: "#12326b", minWidth: 0.8, maxWidth: 2.6 });
    p.addEventListener("endStroke", () => void trim(c).then((picture) => tell.current(picture)));
    // A phone that is turned has another width: the strokes stay.
    const fit = () => {
      const dense = Math.max(window.devicePixelRatio || 1, 2);
      if (c.width === c.offsetWidth * dense) return;
      const strokes = p.toData();
      c.width = c.offsetWidth * dense;
      c.height = c.offsetHeight * dense;
      c.getContext("2d")!.scale(dense, dense);
      p.fromData(strokes);
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
      <canvas ref={canvas} role="img" aria-label={t("sign.drawHere")} style={{ width: "100%", height: 160, border: "1px dashed var(--mantine-color-dimmed)", borderRadius: 8, background: "white", touchAction: "none" }} />
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="xs" c="dimmed">{hint}</Text>
        <Button size="xs" variant="default" style={{ flex: "none" }} onClick={() => { pad.current?.clear(); onChange(null); }}>{t("sign.clear")}</Button>
      </Group>
    </Stack>
  );
}
