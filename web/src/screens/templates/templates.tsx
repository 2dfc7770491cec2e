import { ActionIcon, Badge, Button, Group, Menu, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconDots, IconFilePlus, IconSearch } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import { draftOfTemplate, templates, type Template } from "../../api/templates";
import { useText } from "../../text";
import { Loading } from "../../ui/loading";
import { MenuItemLink } from "../../ui/links";
import { usePageWithin } from "../../ui/page-within";
import { Paging } from "../../ui/paging";
import { ScreenTitle } from "../../ui/screen-title";
import { useSearchText } from "../../ui/search-text";
import { Trouble } from "../../ui/trouble";
import { Remove, Rename, Share } from "./change";

type Changing = { what: "rename" | "share" | "remove"; template: Template };

/** Templates lists the templates of the caller and of their teams. */
export function Templates() {
  const t = useText();
  const go = useNavigate();
  const { page, search } = useSearch({ from: "/member/templates" });
  const found = useQuery(templates(page, search));
  const [text, setText] = useSearchText(search, (s) => void go({ to: "/templates", search: { page: 1, search: s }, replace: true }));
  usePageWithin(page, found, (n) => void go({ to: "/templates", search: { page: n, search }, replace: true }));
  const [changing, setChanging] = useState<Changing>();
  const all = found.data?.templates ?? [];
  const done = () => setChanging(undefined);
  return (
    <Stack maw={1100} mx="auto">
      <ScreenTitle>{t("nav.templates")}</ScreenTitle>
      <TextInput maw={{ sm: 400 }} type="search" aria-label={t("template.search")} placeholder={t("template.search")} leftSection={<IconSearch size={16} aria-hidden />} value={text}
        onChange={(e) => setText(e.currentTarget.value)} />
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.isSuccess && all.length === 0 && (
        <Stack align="center" py="xl" gap="xs">
          <Text fw={600} role="status">{t(search ? "template.nothing" : "template.none")}</Text>
          {!search && <Text size="sm" c="dimmed" ta="center">{t("template.noneLead")}</Text>}
        </Stack>
      )}
      {all.length > 0 && (
        <>
          <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: "none" }} aria-busy={found.isPlaceholderData}>
            {all.map((x) => <Row key={x.id} template={x} change={(what) => setChanging({ what, template: x })} />)}
          </Stack>
          <Group justify="space-between">
            <Text size="sm" c="dimmed" role="status">{t("template.count", { count: found.data!.pagination.total_data })}</Text>
            {found.data!.pagination.total_page > 1 && <Paging page={page} total={found.data!.pagination.total_page} change={(p) => void go({ to: "/templates", search: { page: p, search } })} />}
          </Group>
        </>
      )}
      {changing?.what === "rename" && <Rename template={changing.template} close={done} />}
      {changing?.what === "share" && <Share template={changing.template} close={done} />}
      {changing?.what === "remove" && <Remove template={changing.template} close={done} />}
    </Stack>
  );
}

function Row({ template: x, change }: { template: Template; change: (what: Changing["what"]) => void }) {
  const t = useText();
  const go = useNavigate();
  const queries = useQueryClient();
  const use = useMutation({
    mutationFn: () => draftOfTemplate(x.id),
    onSuccess: ({ document_id: document, signer }) => {
      const open = signer.filter((p) => p.placeholder).map((p) => p.name).join(", ");
      void queries.invalidateQueries({ queryKey: ["documents"] });
      void go({ to: "/new", search: { document, step: "people" }, state: { told: { msg: t("template.used", { title: x.document_title }), notes: open ? [t("template.usedRoles", { names: open })] : [] } } });
    },
  });
  const roles = x.signer.filter((p) => p.placeholder).map((p) => p.name).join(", "), people = x.signer.filter((p) => !p.placeholder).map((p) => p.name).join(", ");
  return (
    <Paper component="li" withBorder p="sm" data-template={x.id}>
      <Group justify="space-between" gap="sm">
        <Stack gap={4} miw={0} style={{ flex: "1 1 14rem" }}>
          <Text fw={600} lineClamp={2} style={{ overflowWrap: "anywhere" }}>{x.document_title}</Text>
          <Group gap="xs">
            <Text size="xs" c="dimmed">{t("template.pages", { count: x.pages })}</Text>
            {!x.is_owner && <Text size="xs" c="dimmed">{t("template.of", { name: x.owner.name })}</Text>}
            {x.team && <Badge size="sm" variant="default" tt="none">{x.team.name}</Badge>}
          </Group>
          {roles && <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{t("template.roles", { names: roles })}</Text>}
          {people && <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{t("template.people", { names: people })}</Text>}
        </Stack>
        {x.may_use && (
          <Group gap="xs" wrap="nowrap">
            <Button size="xs" leftSection={<IconFilePlus size={16} aria-hidden />} aria-label={t("template.useOf", { title: x.document_title })} loading={use.isPending} onClick={() => use.mutate()}>{t("template.use")}</Button>
            <Menu position="bottom-end">
              <Menu.Target><ActionIcon variant="default" size={30} aria-label={t("template.more", { title: x.document_title })}><IconDots size={16} aria-hidden /></ActionIcon></Menu.Target>
              <Menu.Dropdown>
                <MenuItemLink to="/new" search={{ document: x.id, step: "people" }}>{t("template.edit")}</MenuItemLink>
                <MenuItemLink to="/new" search={{ document: x.id, step: "review" }}>{t("template.messages")}</MenuItemLink>
                <Menu.Item onClick={() => change("rename")}>{t("template.rename")}</Menu.Item>
                {x.is_owner && <Menu.Item onClick={() => change("share")}>{t("template.share")}</Menu.Item>}
                {x.is_owner && <Menu.Item color="red" onClick={() => change("remove")}>{t("template.remove")}</Menu.Item>}
              </Menu.Dropdown>
            </Menu>
          </Group>
        )}
      </Group>
      {use.isError && <Trouble error={use.error} />}
    </Paper>
  );
}
