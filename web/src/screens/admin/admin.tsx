import { ScrollArea, Stack, Tabs, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type ComponentType } from "react";

import { useText } from "../../text";
import { Certificates } from "./certificates";
import { tabs, type AdminSearch, type Tab } from "./flow";
import type { SectionProps } from "./lines";
import { Log } from "./log";
import { People } from "./people";
import { Quota } from "./quota";
import { Reconciliation } from "./reconciliation";
import { Serials } from "./serials";
import { Stuck } from "./stuck";

const sections: Record<Tab, ComponentType<SectionProps>> = { people: People, quota: Quota, serials: Serials, reconciliation: Reconciliation, stuck: Stuck, certificates: Certificates, log: Log };

/** Admin is for administrators of one organisation, or of all. The address selects the part that is shown. */
export function Admin() {
  const t = useText();
  const go = useNavigate();
  const search = useSearch({ from: "/member/admin" });
  const [bar, setBar] = useState<HTMLDivElement | null>(null);
  const change = (to: Partial<AdminSearch>) => void go({ to: "/admin", search: { ...search, page: 1, ...to } });
  const Section = sections[search.tab];
  return (
    <Stack maw={1100} mx="auto">
      <Title order={1} size="h3">{t("nav.admin")}</Title>
      <Tabs value={search.tab} onChange={(tab) => change({ tab: tab as Tab, only: undefined })} keepMounted={false}>
        <ScrollArea type="auto" offsetScrollbars="x" viewportRef={setBar}>
          <Tabs.List style={{ flexWrap: "nowrap" }}>
            {tabs.map((x) => <Tabs.Tab key={x} value={x} style={{ flex: "none" }} ref={(e) => { if (e && x === search.tab && bar) bar.scrollLeft = e.offsetLeft - 40; }}>{t(`admin.${x}`)}</Tabs.Tab>)}
          </Tabs.List>
        </ScrollArea>
        <Tabs.Panel value={search.tab} pt="md">
          <Section key={search.tab} selection={{ page: search.page, only: search.only }} change={change} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
