import { Checkbox, Group, Stack, Switch, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";

import { useAccount } from "../../api/account";
import { Problem } from "../../api/client";
import { draftPeople, savePeople } from "../../api/draft";
import { detail, type Detail, type Person } from "../../api/documents";
import { useText } from "../../text";
import { ConflictNotice } from "../../ui/conflict";
import { ContinueButton } from "../../ui/continue-button";
import { Loading } from "../../ui/loading";
import { Saved } from "../../ui/saved";
import { useSaver } from "../../ui/saver";
import { Trouble } from "../../ui/trouble";
import { Versioned } from "../../ui/versioned";
import { AddPeople } from "./add-people";
import { PeopleList } from "./people-list";
import { AddRole } from "./roles";
import { draftee, fromService, openRoles, sameChoice, toService, type Choice } from "./people";

/** ChoosePeople asks who participates and in which order. Changes are saved at once. */
export function ChoosePeople({ document: d }: { document: Detail }) {
  const found = useQuery(draftPeople(d.id));
  if (found.isError) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.isFetchedAfterMount) return <Loading />;
  return <Editor document={d} known={found.data?.signer ?? []} version={found.data?.version ?? d.version} />;
}

function Editor({ document: d, known, version }: { document: Detail; known: Person[]; version: number }) {
  const t = useText();
  const go = useNavigate();
  const me = useAccount();
  const queries = useQueryClient();
  const [choice, setChoice] = useState<Choice>(() => ({ people: fromService(known), parallel: d.is_parallel }));
  const open = useRef(openRoles(known)); // the placeholders of the stored draft
  const [versioned] = useState(() => new Versioned<Choice>({ version, value: choice }, {
    save: async (c, from) => {
      const { signer, guest } = toService(c.people, open.current);
      const stored = await savePeople(d.id, signer, guest, c.parallel, from);
      open.current = new Set([...open.current].filter((id) => !c.people.some((p) => p.fills === id)));
      return stored;
    },
    read: async () => {
      const now = await queries.fetchQuery({ ...draftPeople(d.id), staleTime: 0 }), { is_parallel } = await queries.fetchQuery({ ...detail(d.id), staleTime: 0 });
      open.current = openRoles(now.signer);
      return { version: now.version, value: { people: fromService(now.signer), parallel: is_parallel } };
    },
    same: sameChoice,
  }));
  const saver = useSaver(async (c: Choice) => {
    await versioned.send(c);
    void queries.invalidateQueries({ queryKey: ["document", d.id] });
  });
  const change = (to: Partial<Choice>) => {
    const next = { ...choice, ...to };
    setChoice(next);
    saver.change(next);
  };
  const left = useRef<() => boolean>(undefined);
  const { people, parallel } = choice;
  const names = toService(people).names;
  const problem = saver.error instanceof Problem ? saver.error : undefined;
  const wrong = (i: number) => problem?.fields.filter((f) => f.field === names[i] || f.field.startsWith(`${names[i]}.`)).map((f) => f.msg).join(" ") || undefined;
  const mine = me ? people.findIndex((p) => p.id === me.id) : -1;
  const signToo = (yes: boolean) => {
    if (!me) return;
    change({ people: yes ? [...people, draftee({ id: me.id, name: me.fullname, email: me.email })] : people.filter((p) => p.id !== me.id) });
  };
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">{t("new.peopleLead")}</Text>
        <Saved saver={saver} also={problem?.of("signer")} />
      </Group>
      <ConflictNotice saver={saver} versioned={versioned} load={setChoice} />
      <AddPeople people={people} add={(p) => change({ people: [...people, p] })} left={left} />
      <AddRole people={people} add={(p) => change({ people: [...people, p] })} />
      {me && <Checkbox label={t("new.meToo")} checked={mine >= 0} onChange={(e) => signToo(e.currentTarget.checked)} />}
      <PeopleList people={people} parallel={parallel} wrong={wrong} change={(p) => change({ people: p })} />
      {people.length > 1 && <Switch label={t("new.parallel")} description={t(parallel ? "new.parallelOn" : "new.parallelOff")} checked={parallel} onChange={(e) => change({ parallel: e.currentTarget.checked })} />}
      <Group justify="flex-end">
        <ContinueButton saver={saver} before={() => left.current?.() ?? true} go={() => void go({ to: "/new", search: { document: d.id, step: "place" } })} />
      </Group>
    </Stack>
  );
}
