import { Center, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { hand } from "../../api/draft";
import { useText } from "../../text";

/** Drop lets a file be dropped anywhere on the screen, which starts a new document. */
export function Drop() {
  const t = useText();
  const go = useNavigate();
  const [over, setOver] = useState(false);
  useEffect(() => {
    const files = (e: DragEvent) => e.dataTransfer?.types.includes("Files") ?? false;
    const move = (e: DragEvent) => {
      if (!files(e)) return;
      e.preventDefault();
      setOver(true);
    };
    const leave = (e: DragEvent) => { if (e.relatedTarget === null) setOver(false); };
    const drop = (e: DragEvent) => {
      if (!files(e)) return;
      e.preventDefault();
      setOver(false);
      const file = e.dataTransfer?.files[0];
      if (!file) return;
      hand.over(file);
      void go({ to: "/new", search: { document: undefined, step: "file" } });
    };
    window.addEventListener("dragover", move);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", move);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  }, [go]);
  if (!over) return null;
  return (
    <Center pos="fixed" inset={0} bg="var(--mantine-color-body)" opacity={0.94} style={{ zIndex: 400, pointerEvents: "none", border: "4px dashed var(--mantine-color-seal-6)" }}>
      <Text size="xl" fw={650}>{t("list.drop")}</Text>
    </Center>
  );
}
