import { useEffect } from "react";

import type { Pagination } from "../api/documents";

/** The page to show in place of an empty one behind the end of a list, as after the last item of the last page was deleted; undefined: none. */
export function pageInstead(page: number, { total_display, total_page }: Pick<Pagination, "total_display" | "total_page">): number | undefined {
  return page > 1 && total_display === 0 ? Math.max(1, Math.min(total_page, page - 1)) : undefined;
}

/** usePageWithin leaves a page that is behind the end of its list. */
export function usePageWithin(page: number, read: { data: { pagination: Pagination } | undefined; isPlaceholderData: boolean }, show: (page: number) => void): void {
  const instead = read.data && !read.isPlaceholderData ? pageInstead(page, read.data.pagination) : undefined;
  useEffect(() => {
    if (instead !== undefined) show(instead);
  }, [instead]); // not show: it is a new function at each rendering
}
