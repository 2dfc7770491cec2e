import { ActionIcon, Group, NumberInput, Text } from "@mantine/core";
import { IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { useState } from "react";

import { useText } from "../../text";
import classes from "./sign.module.css";

interface Props {
  /** The element that has the pages. */
  pages: React.RefObject<HTMLElement | null>;
  /** The page in the middle of the window. */
  page: number;
  total: number;
  zoom: number;
  /** Undefined at the largest and at the smallest magnification. */
  larger: (() => void) | undefined;
  smaller: (() => void) | undefined;
}

/** ReadingTools shows which page is read, jumps to another, and magnifies the pages. */
export function ReadingTools({ pages, page, total, zoom, larger, smaller }: Props) {
  const t = useText();
  const [typed, setTyped] = useState<number | string>();
  const jump = () => {
    const to = Number(typed);
    if (typed !== undefined && typed !== "" && to >= 1 && to <= total) pages.current?.querySelector(`[data-page="${Math.trunc(to)}"]`)?.scrollIntoView({ block: "start" });
    setTyped(undefined);
  };
  return (
    <Group className={classes.tools} gap="xs" justify="space-between" wrap="nowrap" role="group" aria-label={t("sign.tools")}>
      <NumberInput size="xs" w={104} hideControls inputMode="numeric" aria-label={t("place.goTo")} rightSection={<Text size="xs" c="dimmed" aria-hidden>{`/ ${total}`}</Text>} rightSectionWidth={`calc(${String(total).length}ch + 1.6rem)`} rightSectionPointerEvents="none" allowDecimal={false} allowNegative={false} disabled={total === 0} value={typed ?? page} data-page-number={page}
        onFocus={(e) => e.currentTarget.select()} onChange={setTyped} onBlur={jump} onKeyDown={(e) => { if (e.key === "Enter") jump(); }} />
      <Group gap={4} wrap="nowrap">
        <ActionIcon variant="default" size="lg" aria-label={t("place.smaller")} disabled={!smaller} onClick={smaller}><IconZoomOut size={18} aria-hidden /></ActionIcon>
        <Text size="sm" w={44} ta="center" role="status" aria-label={t("sign.zoom", { percent: Math.round(zoom * 100) })}>{Math.round(zoom * 100)}%</Text>
        <ActionIcon variant="default" size="lg" aria-label={t("place.larger")} disabled={!larger} onClick={larger}><IconZoomIn size={18} aria-hidden /></ActionIcon>
      </Group>
    </Group>
  );
}
