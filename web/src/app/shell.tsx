import { AppShell, Burger, Button, Group, Menu, NavLink, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCode, IconFileCertificate, IconFileSearch, IconInbox, IconKey, IconLogout, IconPlus, IconSend, IconSettings, IconUserCircle } from "@tabler/icons-react";
import { Outlet, useNavigate } from "@tanstack/react-router";

import { useAccount, useLogout } from "../api/account";
import { base } from "../api/base";
import { noSearch } from "../api/documents";
import { useText } from "../text";
import { ButtonLink, MenuItemLink, NavLinkLink } from "../ui/links";
import { LanguageMenu, SchemeButton } from "../ui/preferences";
import { Told } from "../ui/told";

/** Shell is the frame around every screen of a user who is logged in. */
export function Shell() {
  const t = useText();
  const [open, { toggle, close }] = useDisclosure();
  const account = useAccount();
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !open } }} padding="md">
      <a className="skip" href="#main">{t("app.skip")}</a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t("app.menu")} aria-expanded={open} />
            <IconFileCertificate aria-hidden color="var(--mantine-color-seal-6)" />
            <Text fw={700} size="lg">{t("app.name")}</Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <LanguageMenu />
            <SchemeButton />
            {account && <Me name={account.fullname} />}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t("app.menu")}>
        <ButtonLink to="/new" search={{ document: undefined, step: "file" }} leftSection={<IconPlus size={18} aria-hidden />} mb="xs" onClick={close}>{t("nav.new")}</ButtonLink>
        <NavLinkLink to="/inbox" search={noSearch} label={t("nav.inbox")} leftSection={<IconInbox size={18} aria-hidden />} onClick={close} />
        <NavLinkLink to="/sent" search={noSearch} label={t("nav.sent")} leftSection={<IconSend size={18} aria-hidden />} onClick={close} />
        <NavLinkLink to="/verify" search={{ serial: undefined }} label={t("nav.verify")} leftSection={<IconFileSearch size={18} aria-hidden />} onClick={close} />
        {account && account.role !== "member" && <NavLinkLink to="/admin" search={{ tab: "people", page: 1, only: undefined }} label={t("nav.admin")} leftSection={<IconSettings size={18} aria-hidden />} onClick={close} />}
        <NavLink mt="auto" component="a" href={`${base}/docs`} label={t("nav.docs")} leftSection={<IconCode size={18} aria-hidden />} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Told />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function Me({ name }: { name: string }) {
  const t = useText();
  const logout = useLogout();
  const go = useNavigate();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-md" leftSection={<IconUserCircle size={18} aria-hidden />} aria-label={`${name}, ${t("app.account")}`}>
          <Text visibleFrom="sm" size="sm" truncate maw={160}>{name}</Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label hiddenFrom="sm">{name}</Menu.Label>
        <MenuItemLink to="/password" search={{ then: undefined }} leftSection={<IconKey size={16} aria-hidden />}>{t("password.title")}</MenuItemLink>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => logout.mutate(undefined, { onSettled: () => void go({ to: "/login", search: { then: undefined } }) })}>{t("app.logout")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
