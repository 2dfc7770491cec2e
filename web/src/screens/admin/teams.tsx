import { Badge, Button, CloseButton, Group, Paper, Select, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type FormEvent } from "react";

import { people, team as verbs, teams, type Team } from "../../api/admin";
import { Problem } from "../../api/client";
import { useText } from "../../text";
import { Dialog } from "../../ui/dialog";
import { Loading } from "../../ui/loading";
import { Trouble } from "../../ui/trouble";
import type { SectionProps } from "./lines";

/** Teams lists the teams of the organisation with their members. */
export function Teams({ search }: SectionProps) {
  const t = useText();
  const found = useQuery(teams(search.organisation));
  const [said, setSaid] = useState("");
  return (
    <Stack>
      <div>
        <Title order={2} size="h5">{t("admin.teams")}</Title>
        <Text size="sm" c="dimmed">{t("team.lead")}</Text>
      </div>
      <NewTeam organisation={search.organisation} done={setSaid} />
      <Text size="sm" role="status">{said}</Text>
      {found.isPending && <Loading />}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data?.length === 0 && <Text c="dimmed">{t("team.none")}</Text>}
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>
        {found.data?.map((x) => <OneTeam key={x.id} team={x} organisation={search.organisation} done={setSaid} />)}
      </Stack>
    </Stack>
  );
}

/** useChange runs a change of teams and reads them again. */
function useChange<V>(change: (value: V) => Promise<unknown>, done: (value: V) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async (_, value) => {
      await queries.invalidateQueries({ queryKey: ["admin", "teams"] });
      void queries.invalidateQueries({ queryKey: ["account"] });
      done(value);
    },
  });
}

function NewTeam({ organisation, done }: { organisation: string | undefined; done: (said: string) => void }) {
  const t = useText();
  const [name, setName] = useState("");
  const add = useChange((called: string) => verbs.add(organisation, called), (called) => { setName(""); done(t("team.added", { name: called })); });
  const wrong = add.error instanceof Problem ? add.error.of("name") : undefined;
  const submit = (e: FormEvent) => { e.preventDefault(); add.mutate(name.trim()); };
  return (
    <Stack gap="xs" component="form" onSubmit={submit} {...{ noValidate: true }} aria-label={t("team.new")}>
      <Group align="flex-end" gap="sm">
        <TextInput style={{ flex: "1 1 12rem" }} maw={{ sm: 360 }} label={t("team.name")} value={name} onChange={(e) => setName(e.currentTarget.value)} error={wrong} maxLength={255} />
        <Button type="submit" loading={add.isPending} disabled={name.trim() === ""}>{t("team.add")}</Button>
      </Group>
      {add.isError && !wrong && <Trouble error={add.error} />}
    </Stack>
  );
}

function OneTeam({ team, organisation, done }: { team: Team; organisation: string | undefined; done: (said: string) => void }) {
  const t = useText();
  const [asked, setAsked] = useState<"rename" | "delete">();
  const title = useRef<HTMLHeadingElement>(null);
  const remove = useChange((m: Team["members"][number]) => verbs.removeMember(team.id, m.id), (m) => { done(t("team.memberRemoved", { name: m.name, team: team.name })); title.current?.focus(); });
  return (
    <Paper component="li" withBorder p="sm" aria-label={team.name}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={3} size="h6" ref={title} tabIndex={-1} style={{ overflowWrap: "anywhere", flex: "1 1 10rem" }}>{team.name}</Title>
          <Group gap="xs">
            <Button size="xs" variant="default" aria-label={`${t("team.rename")}: ${team.name}`} onClick={() => setAsked("rename")}>{t("team.rename")}</Button>
            <Button size="xs" variant="default" aria-label={`${t("team.delete")}: ${team.name}`} onClick={() => setAsked("delete")}>{t("team.delete")}</Button>
          </Group>
        </Group>
        {team.members.length === 0 ? <Text size="sm" c="dimmed">{t("team.empty")}</Text> : (
          <Group component="ul" gap="xs" p={0} m={0} style={{ listStyle: "none" }} aria-label={t("team.members")}>
            {team.members.map((m) => (
              <Group component="li" key={m.id} gap={4} wrap="nowrap" miw={0}>
                <Text size="sm" title={m.email} style={{ overflowWrap: "anywhere" }}>{m.name}</Text>
                {m.disabled && <Badge size="sm" variant="outline" color="gray.7">{t("team.disabled")}</Badge>}
                <CloseButton size="sm" aria-label={t("team.removeMember", { name: m.name })} disabled={remove.isPending} onClick={() => remove.mutate(m)} />
              </Group>
            ))}
          </Group>
        )}
        {remove.isError && <Trouble error={remove.error} />}
        <AddMember team={team} organisation={organisation} done={done} />
      </Stack>
      {asked && <Ask team={team} what={asked} close={() => setAsked(undefined)} done={done} />}
    </Paper>
  );
}

/** AddMember chooses a person of the organisation who is not in the team yet. */
function AddMember({ team, organisation, done }: { team: Team; organisation: string | undefined; done: (said: string) => void }) {
  const t = useText();
  const [text, setText] = useState("");
  const [find] = useDebouncedValue(text, 300);
  const found = useQuery(people({ page: 1, organisation, find: find || undefined, only: "active" }));
  const known = new Map((found.data?.people ?? []).filter((p) => !team.members.some((m) => m.id === p.id)).map((p) => [p.id, p]));
  const add = useChange((id: string) => verbs.addMember(team.id, id), (id) => { setText(""); done(t("team.memberAdded", { name: known.get(id)?.name ?? "", team: team.name })); });
  return (
    <>
      <Select maw={{ sm: 360 }} aria-label={`${t("team.addMember")}: ${team.name}`} placeholder={t("team.addMember")} searchable searchValue={text} onSearchChange={setText} value={null} disabled={add.isPending}
        onChange={(id) => { if (id) add.mutate(id); }} nothingFoundMessage={t("admin.nothingFound")} data={[...known].map(([id, p]) => ({ value: id, label: `${p.name} <${p.email}>` }))} filter={({ options }) => options} />
      {add.isError && <Trouble error={add.error} />}
    </>
  );
}

/** Ask asks for a new name, or before a team is deleted. */
function Ask({ team, what, close, done }: { team: Team; what: "rename" | "delete"; close: () => void; done: (said: string) => void }) {
  const t = useText();
  const [name, setName] = useState(team.name);
  const run = useChange(() => (what === "rename" ? verbs.rename(team.id, name.trim()) : verbs.remove(team.id)), () => { done(t(what === "rename" ? "team.renamed" : "team.deleted", { name: name.trim() })); close(); });
  const wrong = run.error instanceof Problem ? run.error.of("name") : undefined;
  const submit = (e: FormEvent) => { e.preventDefault(); run.mutate(undefined); };
  return (
    <Dialog opened onClose={close} title={t(what === "rename" ? "team.renameTitle" : "team.deleteTitle", { name: team.name })}>
      <Stack component="form" onSubmit={submit} {...{ noValidate: true }}>
        {what === "rename" ? <TextInput label={t("team.name")} data-autofocus value={name} onChange={(e) => setName(e.currentTarget.value)} error={wrong} maxLength={255} /> : <Text size="sm">{t("team.deleteLead")}</Text>}
        {run.isError && !wrong && <Trouble error={run.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>{t("new.cancel")}</Button>
          <Button type="submit" color={what === "delete" ? "red" : "seal"} loading={run.isPending} disabled={name.trim() === ""}>{t(what === "rename" ? "team.rename" : "team.delete")}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
