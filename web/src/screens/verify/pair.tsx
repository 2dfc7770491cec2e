import { Box, SegmentedControl, SimpleGrid, Stack, Text } from "@mantine/core";
import { useElementSize, useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

import { differences, type Area } from "../../pdf/compare";
import type { PDFDocumentProxy } from "../../pdf/engine";
import { Page } from "../../pdf/page";
import type { PageSize } from "../../pdf/page-size";
import { useText } from "../../text";
import classes from "./verify.module.css";

interface Props {
  before: PDFDocumentProxy;
  after: PDFDocumentProxy;
  number: number;
  /** Whether something on this page was changed that must not be. */
  bad: boolean;
  /** Fields that were signed or filled in here, as is allowed. */
  fields: string[];
}

interface Mark extends Area {
  allowed: boolean;
}

const a4: PageSize = { width: 595, height: 842 };

/** PagePair shows a page as signed beside the page as it is now, and marks the differences. In a narrow window it shows them in turn. */
export function PagePair({ before, after, number, bad, fields }: Props) {
  const t = useText();
  const narrow = useMediaQuery("(max-width: 48em)");
  const [turn, setTurn] = useState<"before" | "after">("after");
  const marks = useQuery({ queryKey: ["marks", before.fingerprints, after.fingerprints, number, bad, ...fields], queryFn: () => compare(before, after, number, bad, fields), gcTime: 0, retry: false });
  const overlay = (_: number, size: PageSize, scale: number) => marks.data?.map((m, i) => (
    <Box key={i} className={classes.mark} data-allowed={m.allowed} style={{ left: m.x * scale - 3, top: m.y * scale - 3, width: Math.min(m.w, size.width) * scale + 6, height: Math.min(m.h, size.height) * scale + 6 }} />
  ));
  const one = (which: "before" | "after", head?: ReactNode) => (
    <One key={which} label={t(which === "before" ? "verify.asSigned" : "verify.now")} head={head} document={which === "before" ? before : after} number={number} overlay={overlay} />
  );
  return (
    <Stack gap={6} pt={6} data-marks={marks.data?.length}>
      {narrow
        ? one(turn, <SegmentedControl fullWidth size="xs" mb={6} aria-label={t("verify.showPage", { page: number })} value={turn} onChange={(v) => setTurn(v as typeof turn)} data={[{ value: "before", label: t("verify.asSigned") }, { value: "after", label: t("verify.now") }]} />)
        : <SimpleGrid cols={2} spacing="sm">{one("before")}{one("after")}</SimpleGrid>}
      <Text size="xs" c="dimmed" role="status">
        {marks.isError || marks.data === undefined ? "" : marks.data === null ? t("verify.otherPage") : marks.data.length === 0 ? t("verify.alike") : t("verify.marked")}
      </Text>
    </Stack>
  );
}

function One({ label, head, document, number, overlay }: { label: string; head: ReactNode; document: PDFDocumentProxy; number: number; overlay: (n: number, size: PageSize, scale: number) => ReactNode }) {
  const t = useText();
  const { ref, width } = useElementSize();
  return (
    <div ref={ref}>
      {head ?? <Text size="sm" fw={600} mb={4}>{label}</Text>}
      {number > document.numPages ? <Text size="sm" c="dimmed">{t("verify.noSuchPage")}</Text>
        : width > 0 && <Page document={document} number={number} label={`${t("verify.page", { page: number })}, ${label}`} width={width} guess={a4} overlay={overlay} />}
    </div>
  );
}

/** Null: the page is new, was removed, or has another size. */
async function compare(before: PDFDocumentProxy, after: PDFDocumentProxy, number: number, bad: boolean, fields: string[]): Promise<Mark[] | null> {
  const found = await differences(before, after, number, fields);
  if (!found) return null;
  // If a page was changed and nothing beside the fields looks different, the change is below them.
  const below = bad && found.outside.length === 0;
  return [...found.fields.map((a) => ({ ...a, allowed: !below })), ...found.outside.map((a) => ({ ...a, allowed: !bad }))];
}
