import { Group, Text, useComputedColorScheme } from "@mantine/core";
import type { ReactNode } from "react";

import type { Schemas } from "../api/client";
import { contrast, pages, standsOut, textOn } from "./contrast";

/** The organisation of a document, as guests see it. */
export type Brand = Schemas["SenderOut"];

interface Props {
  brand: Brand;
  /** What stands at the other end. */
  children?: ReactNode;
}

/**
 * Sender is the head of a page that shows whose document it is: logo, name and colour of the organisation. The colour is the
 * surface if it stands out from the page, and otherwise a line below it.
 */
export function Sender({ brand, children }: Props) {
  const scheme = useComputedColorScheme("light");
  const { colour, logo, organisation } = brand;
  const surface = colour !== null && standsOut(colour, scheme);
  const line = colour !== null && contrast(colour, pages[scheme]) > 1.1 ? colour : "var(--mantine-color-default-border)";
  return (
    <Group data-sender={surface ? "surface" : "line"} justify="space-between" wrap="nowrap" gap="sm" px="sm" py={6} maw={1300} w="100%" mx="auto"
      style={{ borderRadius: "var(--mantine-radius-md)", border: `1px solid ${line}`, borderBottomWidth: 3, ...(surface ? { background: colour, color: textOn(colour), ["--sender-text" as string]: textOn(colour) } : {}) }}>
      <Group gap="sm" wrap="nowrap" miw={0}>
        {logo !== null && <img src={logo} alt="" style={{ display: "block", maxHeight: 36, maxWidth: 140, objectFit: "contain", background: "white", borderRadius: 4, padding: 3 }} />}
        <Text fw={700} size="md" lineClamp={2} style={{ overflowWrap: "anywhere" }}>{organisation}</Text>
      </Group>
      {children}
    </Group>
  );
}
