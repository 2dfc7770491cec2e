import { CloseButton, Drawer, Group, Modal } from "@mantine/core";
import type { ReactNode } from "react";

import { useText } from "../text";
import { useFocusReturn } from "./focus-return";

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
}

// Mantine renders the head of a dialog as a <header>, which would be a second banner of the page.

/** Dialog is a dialog in the middle of the window. One that stays is closed only by a button in its content: what it shows cannot be shown again. */
export function Dialog({ opened, onClose, title, stays = false, children }: Props & { stays?: boolean }) {
  useFocusReturn();
  return (
    <Modal.Root opened={opened} onClose={onClose} closeOnClickOutside={!stays} closeOnEscape={!stays}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body p="md"><Head title={<Modal.Title fw={600} lh={1.3}>{title}</Modal.Title>} close={stays ? undefined : onClose} />{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Sheet is a dialog at the bottom of a small window, as high as its content. */
export function Sheet({ opened, onClose, title, className, children }: Props & { className?: string | undefined }) {
  useFocusReturn();
  return (
    <Drawer.Root opened={opened} onClose={onClose} position="bottom" size="auto">
      <Drawer.Overlay />
      <Drawer.Content className={className ?? ""}>
        <Drawer.Body p="md"><Head title={<Drawer.Title fw={600} lh={1.3}>{title}</Drawer.Title>} close={onClose} />{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function Head({ title, close }: { title: ReactNode; close: (() => void) | undefined }) {
  const t = useText();
  return <Group justify="space-between" wrap="nowrap" align="flex-start" mb="sm">{title}{close && <CloseButton onClick={close} aria-label={t("close")} />}</Group>;
}
