import { Group, SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";

import { useText } from "../text";

/** Views switches between the pages as shown on a screen and as printed, where the two differ. */
export function Views({ print, setPrint }: { print: boolean; setPrint: (print: boolean) => void }) {
  const t = useText();
  return (
    <Group gap="sm" component="section" aria-label={t("pdf.view")}>
      <SegmentedControl aria-label={t("pdf.view")} value={print ? "print" : "screen"} onChange={(v) => setPrint(v === "print")} data={[{ value: "screen", label: t("pdf.onScreen") }, { value: "print", label: t("pdf.inPrint") }]} />
      <Text size="sm" role="status" style={{ flex: "1 1 14rem" }}>{t(print ? "pdf.printShown" : "pdf.printDiffers")}</Text>
    </Group>
  );
}

/** Whether the pages are shown as printed; never if the file's findings do not say that this differs. */
export function usePrint(warnings: { code: string }[] | undefined): { differs: boolean; print: boolean; setPrint: (print: boolean) => void } {
  const [print, setPrint] = useState(false);
  const differs = (warnings ?? []).some((w) => w.code === "finding.print_differs");
  return { differs, print: differs && print, setPrint };
}
