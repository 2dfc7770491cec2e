import { Collapse, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";

/** Fold hides details that not every reader needs. It renders them when they are first opened. */
export function Fold({ title, open: first = false, onOpen, children }: { title: ReactNode; open?: boolean; onOpen?: () => void; children: ReactNode }) {
  const [open, { toggle }] = useDisclosure(first, { onOpen });
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <UnstyledButton onClick={toggle} aria-expanded={open} fw={600} fz="sm" mih={24} style={{ display: "inline-flex", alignItems: "center", gap: 4 }}>
        <Icon size={16} aria-hidden style={{ flex: "none" }} /> {title}
      </UnstyledButton>
      <Collapse expanded={open}>{children}</Collapse>
    </div>
  );
}
