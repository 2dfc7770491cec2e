import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";

import { balance, list, noSearch, type Box, type Search } from "../../api/documents";
import { useText } from "../../text";
import { ButtonLink } from "../../ui/links";
import { Loading } from "../../ui/loading";
import { Paging } from "../../ui/paging";
import { Trouble } from "../../ui/trouble";
import { Drop } from "./drop";
import { Filters } from "./filters";
import { Row } from "./row";

export const Inbox = () => <List box="in" search={useSearch({ from: "/member/inbox" })} />;
export const Sent = () => <List box="out" search={useSearch({ from: "/member/sent" })} />;

function List({ box, search }: { box: Box; search: Search }) {
  const t = useText();
  const go = useNavigate();
  const page = useQuery(list(box, search));
  const quota = useQuery(balance).data;
  const change = (to: Partial<Search>) => void go({ to: box === "in" ? "/inbox" : "/sent", search: { ...search, page: 1, ...to } });
  const filtered = search.status !== undefined || search.periode !== "all" || search.search !== "";
  const documents = page.data?.documents ?? [];
  return (
    <Stack maw={1100} mx="auto">
      <Drop />
      <Group justify="space-between">
        <Title order={1} size="h3">{t(box === "in" ? "nav.inbox" : "nav.sent")}</Title>
        {quota && <Text size="sm" c="dimmed">{t("list.quota", quota)}</Text>}
      </Group>
      <Filters box={box} search={search} change={change} />
      {page.isPending && <Loading />}
      {page.isError && <Trouble error={page.error} retry={() => void page.refetch()} />}
      {page.isSuccess && documents.length === 0 && (
        <Stack align="center" py="xl" gap="xs">
          <Text fw={600}>{t(filtered ? "list.nothing" : "list.empty")}</Text>
          {!filtered && <Text c="dimmed" ta="center">{t("list.emptyHint")}</Text>}
          {filtered ? <Button variant="default" size="xs" onClick={() => change(noSearch)}>{t("list.clear")}</Button> : <ButtonLink to="/new" search={{ document: undefined, step: "file" }}>{t("nav.new")}</ButtonLink>}
        </Stack>
      )}
      {documents.length > 0 && (
        <>
          <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: "none" }} aria-busy={page.isPlaceholderData}>
            {documents.map((d) => <Row key={d.id} document={d} box={box} />)}
          </Stack>
          <Group justify="space-between">
            <Text size="sm" c="dimmed" role="status">{t(page.data!.pagination.total_limited ? "list.limited" : "list.total", { count: page.data!.pagination.total_data })}</Text>
            {page.data!.pagination.total_page > 1 && (
              <Paging page={search.page} total={page.data!.pagination.total_page} change={(p) => change({ page: p })} />
            )}
          </Group>
        </>
      )}
    </Stack>
  );
}
