import { Group, Stack, Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState, type ComponentType } from "react";

import { useAccount } from "../../api/account";
import { useText } from "../../text";
import { Loading } from "../../ui/loading";
import { ScreenTitle } from "../../ui/screen-title";
import { Sideways } from "../../ui/sideways";
import { Attempts } from "./attempts";
import { Branding } from "./branding";
import { Embedding } from "./embedding";
import { Certificates } from "./certificates";
import { auditorTabs, operatorTabs, periodOf, tabs, withoutFilters, type AdminSearch, type Tab } from "./flow";
import type { SectionProps } from "./lines";
import { Documents } from "./documents";
import { Log } from "./log";
import { Mail } from "./mail";
import { OrganisationSelect } from "./organisation";
import { People } from "./people";
import { Quota } from "./quota";
import { Reconciliation } from "./reconciliation";
import { Serials } from "./serials";
import classes from "./admin.module.css";
import { Stuck } from "./stuck";

const Consent = lazy(() => import("./consent").then((m) => ({ default: m.Consent })));
const Labels = lazy(() => import("./labels").then((m) => ({ default: m.Labels })));
const Teams = lazy(() => import("./teams").then((m) => ({ default: m.Teams })));
const Locale = lazy(() => import("./locale").then((m) => ({ default: m.Locale })));
const Reminders = lazy(() => import("./reminders").then((m) => ({ default: m.Reminders })));
const Accounts = lazy(() => import("./accounts").then((m) => ({ default: m.Accounts })));
const Provider = lazy(() => import("./provider").then((m) => ({ default: m.Provider })));
const Retention = lazy(() => import("./retention").then((m) => ({ default: m.Retention })));
const Logins = lazy(() => import("./logins").then((m) => ({ default: m.Logins })));
const MemberKeys = lazy(() => import("./keys").then((m) => ({ default: m.MemberKeys })));
const Organisations = lazy(() => import("./organisations").then((m) => ({ default: m.Organisations })));
const Webhooks = lazy(() => import("./webhooks").then((m) => ({ default: m.Webhooks })));

const sections: Record<Tab, ComponentType<SectionProps>> = { people: People, teams: Teams, documents: Documents, quota: Quota, serials: Serials, attempts: Attempts, reconciliation: Reconciliation, stuck: Stuck, certificates: Certificates, branding: Branding, consent: Consent, reminders: Reminders, labels: Labels, locale: Locale, accounts: Accounts, provider: Provider, keys: MemberKeys, retention: Retention, embedding: Embedding, mail: Mail, webhooks: Webhooks, organisations: Organisations, logins: Logins, log: Log };

/** Admin is for administrators of one organisation, or of all. The address selects the part that is shown. */
export function Admin() {
  const t = useText();
  const go = useNavigate();
  const search = useSearch({ from: "/member/admin" });
  const [bar, setBar] = useState<HTMLDivElement | null>(null);
  const role = useAccount()?.role;
  const operator = role === "operator";
  const shown = role === "auditor" ? auditorTabs : tabs.filter((x) => operator || !operatorTabs.includes(x));
  const change = (to: Partial<AdminSearch>) => void go({ to: "/admin", search: { ...search, page: 1, ...to } });
  const clear = () => void go({ to: "/admin", search: withoutFilters(search) });
  const Section = sections[shown.includes(search.tab) ? search.tab : "people"];
  return (
    <Stack maw={1100} mx="auto">
      <Group justify="space-between" align="flex-end">
        <ScreenTitle tab={`${t(`admin.${search.tab}`)} – ${t("nav.admin")}`}>{t("nav.admin")}</ScreenTitle>
        {operator && search.tab !== "reconciliation" && search.tab !== "organisations" && <OrganisationSelect value={search.organisation} change={(organisation) => change({ organisation, quotas: undefined })} all />}
      </Group>
      <Tabs value={search.tab} onChange={(tab) => void go({ to: "/admin", search: { ...withoutFilters(search), tab: tab as Tab } })} keepMounted={false}>
        <Sideways wraps ref={setBar}>
          <Tabs.List className={classes.tabs!}>
            {shown.map((x) => <Tabs.Tab key={x} value={x} style={{ flex: "none" }} ref={(e) => { if (e && x === search.tab && bar) bar.scrollLeft = e.offsetLeft - 40; }}>{t(`admin.${x}`)}</Tabs.Tab>)}
          </Tabs.List>
        </Sideways>
        <Tabs.Panel value={search.tab} pt="md">
          <Suspense fallback={<Loading />}>
            <Section key={search.tab} search={search} selection={{ ...search, ...periodOf(search) }} change={change} clear={clear} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
