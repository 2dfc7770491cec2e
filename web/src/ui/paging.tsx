import { Pagination } from "@mantine/core";

import { useText } from "../text";

/** Paging shows the numbers of pages, each control with a name for screen readers. */
export function Paging({ page, total, change }: { page: number; total: number; change: (page: number) => void }) {
  const t = useText();
  return (
    <Pagination total={total} value={page} onChange={change} siblings={1} size="sm" getItemProps={(n) => ({ "aria-label": `${t("list.page")} ${n}` })}
      getControlProps={(c) => ({ "aria-label": t(c === "previous" || c === "first" ? "list.previousPage" : "list.nextPage") })} />
  );
}
