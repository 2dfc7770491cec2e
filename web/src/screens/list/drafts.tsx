import { Button, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconSearch, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";

import { list, noSearch, type ListItem, type Search } from "../../api/documents";
import { useLanguage, useText } from "../../text";
import { Filing } from "../../ui/label";
import { AnchorLink, ButtonLink } from "../../ui/links";
import { Loading } from "../../ui/loading";
import { usePageWithin } from "../../ui/page-within";
import { Paging } from "../../ui/paging";
import { People } from "../../ui/people";
import { RemoveDraft } from "../../ui/remove-draft";
import { ScreenTitle } from "../../ui/screen-title";
import { useSearchText } from "../../ui/search-text";
import { Trouble } from "../../ui/trouble";
import { Drop } from "./drop";
import classes from "./list.module.css";
import { SelectBox } from "./select-box";

const Selection = lazy(() => import("./selection").then((m) => ({ default: m.Selection })));

/** Drafts lists what I have begun and not sent. A row continues it. */
export function Drafts() {
  const t = useText();
  const language = useLanguage();
  const go = useNavigate();
  const search = useSearch({ from: "/member/drafts" });
  const page = useQuery(list("out", "draft", search));
  const [removing, setRemoving] = useState<ListItem>();
  const [selected, setSelected] = useState<ReadonlyMap<number, ListItem>>(new Map());
  const clear = () => setSelected(new Map());
  const change = (to: Partial<Search>) => {
    if (to.search !== undefined) clear(); // what is selected is always in the list
    void go({ to: "/drafts", search: { ...search, page: 1, ...to } });
  };
  const select = (d: ListItem, on: boolean) => {
    const to = new Map(selected);
    if (on) to.set(d.id, d); else to.delete(d.id);
    setSelected(to);
  };
  const [text, setText] = useSearchText(search.search, (s) => change({ search: s }));
  usePageWithin(search.page, page, (n) => void go({ to: "/drafts", search: { ...search, page: n }, replace: true }));
  const documents = page.data?.documents ?? [];
  return (
    <Stack maw={1100} mx="auto">
      <Drop />
      <ScreenTitle>{t("nav.drafts")}</ScreenTitle>
      <TextInput maw={{ sm: 400 }} type="search" aria-label={t("list.search")} placeholder={t("list.search")} leftSection={<IconSearch size={16} aria-hidden />} value={text}
        onChange={(e) => setText(e.currentTarget.value)} />
      {page.isPending && <Loading />}
      {page.isError && <Trouble error={page.error} retry={() => void page.refetch()} />}
      {page.isSuccess && documents.length === 0 && (
        <Stack align="center" py="xl" gap="xs">
          <Text fw={600} role="status">{t(search.search ? "list.nothing" : "list.noDrafts")}</Text>
          {search.search
            ? <Button variant="default" size="xs" onClick={() => change(noSearch)}>{t("list.clear")}</Button>
            : <ButtonLink to="/new" search={{ document: undefined, step: "file" }}>{t("nav.new")}</ButtonLink>}
        </Stack>
      )}
      {documents.length > 0 && (
        <>
          <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: "none" }} aria-busy={page.isPlaceholderData}>
            {documents.map((d) => (
              <Paper key={d.id} component="li" withBorder p="sm" className={classes.row} data-document={d.id}>
                <Group justify="space-between" wrap="nowrap" gap="sm">
                  <span className={classes.above}><SelectBox checked={selected.has(d.id)} change={(on) => select(d, on)} name={t("list.select", { title: d.document_title })} /></span>
                  <Stack gap={4} miw={0} style={{ flex: 1 }}>
                    <Text lineClamp={2} title={d.document_title} style={{ overflowWrap: "anywhere" }}><AnchorLink fw={600} to="/new" search={{ document: d.id, step: "people" }} className={classes.open!} underline="never">{d.document_title}</AnchorLink></Text>
                    <Group gap="xs"><Text size="xs" c="dimmed">{new Date(d.owner.created_at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" })}</Text><Filing of={d} /></Group>
                  </Stack>
                  <div className="mantine-visible-from-sm"><People people={d.data_signer} /></div>
                  <Button className={classes.above!} size="xs" variant="default" leftSection={<IconTrash size={16} aria-hidden />} aria-label={`${t("document.remove")}: ${d.document_title}`} onClick={() => setRemoving(d)}>{t("list.remove")}</Button>
                </Group>
              </Paper>
            ))}
          </Stack>
          <Group justify="space-between">
            <Text size="sm" c="dimmed" role="status">{t(page.data!.pagination.total_limited ? "list.limited" : "list.drafts", { count: page.data!.pagination.total_data })}</Text>
            {page.data!.pagination.total_page > 1 && <Paging page={search.page} total={page.data!.pagination.total_page} change={(p) => change({ page: p })} />}
          </Group>
        </>
      )}
      {selected.size > 0 && <Suspense><Selection documents={[...selected.values()]} owned files clear={clear} /></Suspense>}
      <RemoveDraft draft={removing} close={() => setRemoving(undefined)} removed={(id) => { if (selected.has(id)) select(removing!, false); }} />
    </Stack>
  );
}
