import { NumberInput, Text } from "@mantine/core";
import { useState } from "react";

import { useText } from "../../text";

interface Props {
  page: number;
  total: number;
  go: (page: number) => void;
}

/** Shows the number of pages behind a field for a page. As a suffix of the text, its digits would be taken for what is typed. */
export const outOf = (total: number) => ({
  rightSection: <Text size="xs" c="dimmed" aria-hidden>{`/ ${total}`}</Text>, rightSectionWidth: `calc(${String(total).length}ch + 1.6rem)`, rightSectionPointerEvents: "none" as const,
});

/** GoTo shows the page in view, and goes to another one when its number was typed: with Enter, or when the field is left. */
export function GoTo({ page, total, go }: Props) {
  const t = useText();
  const [typed, setTyped] = useState<number | string>();
  const jump = () => {
    const to = Math.trunc(Number(typed));
    if (typed !== undefined && typed !== "" && to >= 1) go(Math.min(to, total));
    setTyped(undefined);
  };
  return (
    <NumberInput size="xs" w={112} hideControls inputMode="numeric" aria-label={t("place.goTo")} {...outOf(total)} allowDecimal={false} allowNegative={false} value={typed ?? page} data-page-number={page}
      onFocus={(e) => e.currentTarget.select()} onChange={setTyped} onBlur={jump} onKeyDown={(e) => { if (e.key === "Enter") jump(); if (e.key === "Escape") setTyped(undefined); }} />
  );
}
