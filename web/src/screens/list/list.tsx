import { Button, Group, Select, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";

import { maySend, teams, useAccount } from "../../api/account";
import { balance, counts, list, noSearch, type Box, type ListItem, type Search } from "../../api/documents";
import { useText } from "../../text";
import { ButtonLink } from "../../ui/links";
import { Loading } from "../../ui/loading";
import { usePageWithin } from "../../ui/page-within";
import { ScreenTitle } from "../../ui/screen-title";
import { Trouble } from "../../ui/trouble";
import { Drop } from "./drop";
import { Filters, tabsOf } from "./filters";
import classes from "./list.module.css";
import { Row } from "./row";
import { SelectBox } from "./select-box";

// Loaded when they are needed.
const Selection = lazy(() => import("./selection").then((m) => ({ default: m.Selection })));
const Paging = lazy(() => import("../../ui/paging").then((m) => ({ default: m.Paging })));

export const Inbox = () => <List box="in" search={useSearch({ from: "/member/inbox" })} />;
export const Sent = () => <List box="out" search={useSearch({ from: "/member/sent" })} />;

function List({ box, search }: { box: Box; search: Search }) {
  const t = useText();
  const go = useNavigate();
  const own = useQuery(teams).data ?? [];
  const me = useAccount();
  const tab = search.status ?? tabsOf(box)[0]!;
  const page = useQuery(list(box, tab, search));
  const quota = useQuery(balance).data;
  const all = useQuery(counts(box, search)).data?.total_data ?? 0;
  const [selected, setSelected] = useState<ReadonlyMap<number, ListItem>>(new Map());
  const show = (to: Partial<Search>) => void go({ to: box === "in" ? "/inbox" : "/sent", search: { ...search, ...to } });
  const change = (to: Partial<Search>) => {
    setSelected(new Map()); // what is selected is always in the list
    show({ page: 1, ...to });
  };
  const filtered = search.periode !== "all" || search.search !== "" || search.person !== "" || !!search.label || !!search.folder;
  const manages = !search.team || !me || maySend(me), acts = box === "out" && manages;
  const documents = page.data?.documents ?? [];
  const select = (some: ListItem[], on: boolean) => {
    const to = new Map(selected);
    for (const d of some) if (on) to.set(d.id, d); else to.delete(d.id);
    setSelected(to);
  };
  usePageWithin(search.page, page, (n) => void go({ to: box === "in" ? "/inbox" : "/sent", search: { ...search, page: n }, replace: true }));
  const chosen = documents.filter((d) => selected.has(d.id)).length;
  return (
    <Stack maw={1100} mx="auto">
      <Drop />
      <Group justify="space-between">
        <ScreenTitle>{t(box === "in" ? "nav.inbox" : "nav.sent")}</ScreenTitle>
        {quota && <Text size="sm" c="dimmed">{t("list.quota", quota)}</Text>}
      </Group>
      {box === "out" && (own.length > 0 || search.team) && (
        <Select maw={{ sm: 320 }} label={t("list.whose")} allowDeselect={false} value={search.team ?? ""} onChange={(v) => change({ team: v || undefined, status: undefined, folder: undefined })}
          data={[{ value: "", label: t("list.sentByMe") }, ...own.map((x) => ({ value: x.id, label: t("list.ofTeam", { name: x.name }) }))]} />
      )}
      <Filters box={box} tab={tab} search={search} manages={manages} change={change} />
      {page.isPending && <Loading />}
      {page.isError && <Trouble error={page.error} retry={() => void page.refetch()} />}
      {page.isSuccess && documents.length === 0 && (
        <Stack align="center" py="xl" gap="xs">
          <Text fw={600} role="status">{t(tab === "waiting" && !filtered && all > 0 ? "list.noneWaiting" : filtered || all > 0 ? "list.nothing" : "list.empty")}</Text>
          {!filtered && all === 0 && <Text c="dimmed" ta="center">{t("list.emptyHint")}</Text>}
          <Group justify="center">
            {tab !== "all" && all > 0 && <Button variant="default" size="xs" onClick={() => change({ status: tabsOf(box)[0] === "all" ? undefined : "all" })}>{t("list.showAll", { count: all })}</Button>}
            {filtered ? <Button variant="default" size="xs" onClick={() => change({ ...noSearch, label: undefined, folder: undefined, team: search.team })}>{t("list.clear")}</Button> : all === 0 && <ButtonLink to="/new" search={{ document: undefined, step: "file" }}>{t("nav.new")}</ButtonLink>}
          </Group>
        </Stack>
      )}
      {documents.length > 0 && (
        <>
          <label className={classes.selectAll}>
            <SelectBox checked={chosen === documents.length} mixed={chosen > 0 && chosen < documents.length} change={(on) => select(documents, on)} />
            <Text size="sm" component="span">{t("list.selectPage")}</Text>
          </label>
          <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: "none" }} aria-busy={page.isPlaceholderData}>
            {documents.map((d) => <Row key={d.id} document={d} box={search.team ? "in" : box} selected={selected.has(d.id)} select={(on) => select([d], on)} />)}
          </Stack>
          <Group justify="space-between">
            <Text size="sm" c="dimmed" role="status">{t(page.data!.pagination.total_limited ? "list.limited" : "list.total", { count: page.data!.pagination.total_data })}</Text>
            {page.data!.pagination.total_page > 1 && (
              <Suspense><Paging page={search.page} total={page.data!.pagination.total_page} change={(p) => show({ page: p })} /></Suspense>
            )}
          </Group>
        </>
      )}
      <VisuallyHidden role="status">{selected.size > 0 && t("list.selected", { count: selected.size })}</VisuallyHidden>
      {selected.size > 0 && <Suspense><Selection documents={[...selected.values()]} owned={acts} files={manages} team={search.team} clear={() => setSelected(new Map())} /></Suspense>}
    </Stack>
  );
}
