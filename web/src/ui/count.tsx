import { Badge, type BadgeProps } from "@mantine/core";

import { amount } from "./amount";

/** Count is a number beside a name. It is as wide as its text, which is never cut off. */
export function Count({ count, more = false, ...rest }: { count: number; more?: boolean } & BadgeProps & { "aria-hidden"?: boolean }) {
  return <Badge size="sm" component="span" miw="max-content" style={{ flexShrink: 0 }} styles={{ label: { overflow: "visible" } }} data-count {...rest}>{amount(count, more)}</Badge>;
}
