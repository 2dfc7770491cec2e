import { AppShell, Box, Burger, Button, Group, Menu, NavLink, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconApi, IconArrowsExchange, IconBuilding, IconCode, IconDevices, IconFileSearch, IconInbox, IconKey, IconLogout, IconPencil, IconPlus, IconSend, IconSettings, IconShieldLock, IconTemplate, IconUserCircle, IconWritingSign } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { maySend, readsAdministration, useAccount, useLogout } from "../api/account";
import { base } from "../api/base";
import { noSearch, waiting } from "../api/documents";
import { memberships, useSwitch } from "../api/switch";
import { useText } from "../text";
import { amount } from "../ui/amount";
import { Count } from "../ui/count";
import { LineNote } from "../ui/line-note";
import { ButtonLink, MenuItemLink, NavLinkLink } from "../ui/links";
import { Mark } from "../ui/mark";
import { LanguageMenu, SchemeButton } from "../ui/preferences";
import { SkipLink } from "../ui/skip-link";
import { useTabCount } from "../ui/tab-title";
import { Told } from "../ui/told";
import { Trouble } from "../ui/trouble";
import { ProofDialog } from "./proof-dialog";
import { ReauthDialog } from "./reauth-dialog";
import { SessionDialog } from "./session-dialog";
import { SwitchedDialog } from "./switched-dialog";

/** Shell is the frame around every screen of a user who is logged in. */
export function Shell() {
  const t = useText();
  const [open, { toggle, close }] = useDisclosure();
  const account = useAccount();
  const waits = useWaiting();
  const go = useNavigate();
  const logout = useLogout();
  const leave = () => logout.mutate(undefined, { onSuccess: () => void go({ to: "/login", search: { then: undefined } }) });
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !open } }} padding="md">
      <SkipLink />
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t("app.menu")} aria-expanded={open} />
            <Mark />
            <Text fw={700} size="lg">{t("app.name")}</Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <LanguageMenu />
            <SchemeButton />
            {account && <Me name={account.fullname} leave={leave} />}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" className={open ? undefined : "closed"} aria-label={t("app.menu")}>
        {account && maySend(account) && <ButtonLink to="/new" search={{ document: undefined, step: "file" }} leftSection={<IconPlus size={18} aria-hidden />} mb="xs" onClick={close}>{t("nav.new")}</ButtonLink>}
        <NavLinkLink to="/inbox" search={noSearch} label={t("nav.inbox")} leftSection={<IconInbox size={18} aria-hidden />} onClick={close}
          rightSection={waits && <><Count aria-hidden count={waits.count} more={waits.more} /><VisuallyHidden>{t("list.waitingCount", { count: waits.count })}</VisuallyHidden></>} />
        <NavLinkLink to="/sign-many" search={{ page: 1 }} label={t("nav.signMany")} leftSection={<IconWritingSign size={18} aria-hidden />} onClick={close} />
        <NavLinkLink to="/sent" search={noSearch} label={t("nav.sent")} leftSection={<IconSend size={18} aria-hidden />} onClick={close} />
        <NavLinkLink to="/drafts" search={noSearch} label={t("nav.drafts")} leftSection={<IconPencil size={18} aria-hidden />} onClick={close} />
        <NavLinkLink to="/templates" search={{ page: 1, search: "" }} label={t("nav.templates")} leftSection={<IconTemplate size={18} aria-hidden />} onClick={close} />
        <NavLinkLink to="/verify" search={{ serial: undefined }} label={t("nav.verify")} leftSection={<IconFileSearch size={18} aria-hidden />} onClick={close} />
        {account && readsAdministration(account) && <NavLinkLink to="/admin" search={{ tab: "people", page: 1, only: undefined }} label={t("nav.admin")} leftSection={<IconSettings size={18} aria-hidden />} onClick={close} />}
        <NavLink mt="auto" component="a" href={`${base}/docs`} label={t("nav.docs")} leftSection={<IconCode size={18} aria-hidden />} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <LineNote />
        {logout.isError && <Box pos="sticky" top="calc(var(--app-shell-header-offset, 0rem) + 0.5rem)" mb="md" maw={1100} mx="auto" style={{ zIndex: 90 }}><Trouble error={logout.error} retry={leave} /></Box>}
        <Told />
        <Outlet />
      </AppShell.Main>
      <SessionDialog />
      <SwitchedDialog />
      <ProofDialog />
      <ReauthDialog />
    </AppShell>
  );
}

/** What waits for the caller: for the menu, and in the title of the tab. */
function useWaiting(): { count: number; more: boolean } | undefined {
  const found = useQuery(waiting).data;
  const count = found?.waiting ?? 0, more = found?.total_limited ?? false;
  useTabCount(count > 0 ? amount(count, more) : "");
  return count > 0 ? { count, more } : undefined;
}

function Me({ name, leave }: { name: string; leave: () => void }) {
  const t = useText();
  const go = useNavigate();
  const [opened, setOpened] = useState(false);
  const others = useQuery({ ...memberships, enabled: opened }).data?.filter((m) => !m.current && m.state === "active") ?? [];
  const change = useSwitch();
  // What a switch is refused for, as a second factor that is missing, the screen of the organisations asks again.
  const switchTo = (to: string) => change.mutate({ business_id: to }, { onError: () => void go({ to: "/organisations", search: { to } }) });
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened}>
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-md" leftSection={<IconUserCircle size={18} aria-hidden />} aria-label={`${name}, ${t("app.account")}`}>
          <Text visibleFrom="sm" size="sm" truncate maw={160}>{name}</Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label hiddenFrom="sm">{name}</Menu.Label>
        {others.map((m) => <Menu.Item key={m.id} leftSection={<IconArrowsExchange size={16} aria-hidden />} onClick={() => switchTo(m.business_id)}>{t("switchTo", { name: m.name })}</Menu.Item>)}
        <MenuItemLink to="/organisations" search={{ to: undefined }} leftSection={<IconBuilding size={16} aria-hidden />}>{t("app.organisations")}</MenuItemLink>
        <MenuItemLink to="/account" leftSection={<IconDevices size={16} aria-hidden />}>{t("app.sessions")}</MenuItemLink>
        <MenuItemLink to="/password" search={{ then: undefined }} leftSection={<IconKey size={16} aria-hidden />}>{t("password.title")}</MenuItemLink>
        <MenuItemLink to="/keys" leftSection={<IconApi size={16} aria-hidden />}>{t("app.apiKeys")}</MenuItemLink>
        <MenuItemLink to="/factors" search={(now: { then?: string }) => ({ then: now.then })} leftSection={<IconShieldLock size={16} aria-hidden />}>{t("factor.title")}</MenuItemLink>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={leave}>{t("app.logout")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
