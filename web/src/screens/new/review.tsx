import { Alert, Badge, Button, Group, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAlertTriangle, IconEye } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, type RefObject } from "react";

import { Problem } from "../../api/client";
import { draftDetail, draftPeople, draftPlacements, type Warning } from "../../api/draft";
import { groupOf, holders, signs, balance, verbs, type Detail, type Person, type Placement } from "../../api/documents";
import { useLanguage, useText } from "../../text";
import { ConflictNotice } from "../../ui/conflict";
import { AnchorLink } from "../../ui/links";
import { Loading } from "../../ui/loading";
import { pageRanges } from "../../ui/page-ranges";
import { Saved } from "../../ui/saved";
import { Notes } from "../../ui/told";
import { Trouble } from "../../ui/trouble";
import { TeamOf } from "../../ui/team-of";
import { Accepting, useAccepting } from "./accepting";
import { bill, rounds } from "./bill";
import { HowReached, type Delivery } from "./delivery";
import { useSavedDelivery } from "./saved-delivery";

// The PDF engine is loaded only if the owner wants to see the pages.
const SaveTemplate = lazy(() => import("../../ui/save-template").then((m) => ({ default: m.SaveTemplate })));
const Preview = lazy(() => import("./preview").then((m) => ({ default: m.Preview })));

/** Review shows what will happen and what it costs, before it becomes final. */
export function Review({ document: d }: { document: Detail }) {
  const people = useQuery(draftPeople(d.id)), placed = useQuery(draftPlacements(d.id));
  const stored = useQuery(draftDetail(d.id)); // d may be from before a message that is still being stored
  const error = people.error ?? placed.error ?? stored.error;
  if (error) return <Trouble error={error} retry={() => { void people.refetch(); void placed.refetch(); void stored.refetch(); }} />;
  if (!people.isFetchedAfterMount || !placed.isFetchedAfterMount || !stored.isFetchedAfterMount) return <Loading />;
  return <Whole document={d} stored={stored.data ?? d} people={people.data?.signer ?? []} placed={placed.data?.placements ?? []} warnings={placed.data?.warnings ?? []} />;
}

/** Whole shows document, and lets the owner edit how the people are reached from stored, which has all local changes. */
function Whole({ document: d, stored, people, placed, warnings }: { document: Detail; stored: Detail; people: Person[]; placed: Placement[]; warnings: Warning[] }) {
  const t = useText();
  const go = useNavigate();
  const queries = useQueryClient();
  const quota = useQuery({ ...balance, refetchOnMount: "always" });
  const cost = bill(people, placed, d.owner.user_id);
  const findings = useAccepting(d);
  const storeMessages = useRef<() => Promise<void>>(undefined);
  const finalize = useMutation({
    mutationFn: async () => {
      await storeMessages.current?.();
      return verbs.finalize(d.id, findings.codes);
    },
    onError: findings.refused,
    onSuccess: async ({ msg, response }) => {
      await queries.invalidateQueries({ refetchType: "none" }); // refetched on the next screen: here, a document that is no longer a draft would show nothing
      void go({ to: "/document/$id", params: { id: String(d.id) }, state: { told: { msg, notes: (response.warnings ?? []).map((w) => w.msg) } } });
    },
  });
  const short = quota.data && (quota.data.emet < cost.emet || quota.data.esgn < cost.esgn);
  const [previewed, { toggle: togglePreview }] = useDisclosure();
  const [saving, save] = useDisclosure();
  const signers = people.filter(signs);
  const nothing = cost.emet === 0 && cost.esgn === 0;
  const unseen = cost.stampOnly ? [] : holders(people).filter((p) => signs(p) && !placed.some((b) => b.user_id === p.user_id && b.type !== "emet"));
  return (
    <Stack>
      <Order document={d} people={people} placed={placed} stampOnly={cost.stampOnly} />
      <Cost cost={cost} left={quota.data} />
      {stored.delivery && people.some((p) => !p.is_owner) && <Messages document={stored} known={stored.delivery} guests={people.some((p) => p.is_guest)} store={storeMessages} />}
      <TeamOf document={d} />
      {signers.length > 0 && !cost.stampOnly && (
        <>
          <Button variant="default" leftSection={<IconEye size={16} aria-hidden />} style={{ alignSelf: "flex-start" }} aria-expanded={previewed} onClick={togglePreview}>{t("new.previewAs")}</Button>
          {previewed && <Suspense fallback={<Loading />}><Preview document={d} signers={signers} placed={placed} /></Suspense>}
        </>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t("new.toNote")}>
          <Notes of={warnings.map((w) => w.msg)} />
          <AnchorLink size="sm" c="inherit" underline="always" to="/new" search={{ document: d.id, step: "place" }}>{t("new.toBoxes")}</AnchorLink>
        </Alert>
      )}
      <Accepting findings={findings} />
      {unseen.length > 0 && <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>{t("new.unseen", { names: unseen.map((p) => p.name).join(", ") })} <AnchorLink size="sm" c="inherit" underline="always" to="/new" search={{ document: d.id, step: "place" }}>{t("new.toPlace")}</AnchorLink></Alert>}
      {nothing && <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />}>{t("new.nothing")} <AnchorLink size="sm" c="inherit" underline="always" to="/new" search={{ document: d.id, step: "people" }}>{t("new.toPeople")}</AnchorLink></Alert>}
      {short && <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />}>{t("new.short")}</Alert>}
      {finalize.isError && <Trouble error={finalize.error} retry={() => finalize.mutate()} />}
      {finalize.error instanceof Problem && <RefusedBoxes document={d.id} placed={placed} fields={finalize.error.fields} />}
      <Group justify="space-between">
        <Text size="sm" c="dimmed" style={{ flex: "1 1 14rem" }}>{t("new.final")}</Text>
        <Button size="md" variant="default" onClick={save.open}>{t("document.asTemplate")}</Button>
        <Button size="md" disabled={nothing || !findings.all} loading={finalize.isPending} onClick={() => finalize.mutate()}>{t(cost.stampOnly ? "new.finalizeStamp" : "new.finalize")}</Button>
      </Group>
      {saving && <Suspense><SaveTemplate document={d} close={save.close} /></Suspense>}
    </Stack>
  );
}

/** Messages edits how the people are reached. Changes are saved at once; store gets what saves the rest and fails if that is refused. */
function Messages({ document: d, known, guests, store }: { document: Detail; known: Delivery; guests: boolean; store: RefObject<(() => Promise<void>) | undefined> }) {
  const { delivery, setDelivery, change, saver, versioned, refused } = useSavedDelivery(d, known);
  useEffect(() => {
    store.current = async () => {
      if (!(await saver.flush())) throw saver.error;
    };
    return () => { store.current = undefined; };
  }, [saver, store]);
  return (
    <Stack gap="xs">
      <Group justify="flex-end"><Saved saver={saver} also={refused} /></Group>
      <ConflictNotice saver={saver} versioned={versioned} load={setDelivery} />
      <HowReached value={delivery} onChange={change} guests={guests} expires={d.expired !== null} />
    </Stack>
  );
}

/** RefusedBoxes lists the boxes for which the document was refused. Each line leads to its box. */
function RefusedBoxes({ document, placed, fields }: { document: number; placed: Placement[]; fields: Problem["fields"] }) {
  const t = useText();
  const wrong = fields.flatMap((f) => {
    const index = Number(/^(?:signers|placements)\[(\d+)\]/.exec(f.field)?.[1]);
    return placed[index] ? [{ index, box: placed[index], msg: f.msg }] : [];
  });
  if (wrong.length === 0) return null;
  return (
    <ul style={{ margin: 0 }}>
      {wrong.map(({ index, box, msg }) => (
        <li key={`${index} ${msg}`}>
          <AnchorLink size="sm" to="/new" search={{ document, step: "place", box: index }}>{t("place.refusedBox", { kind: t(`place.${box.type}`), name: box.name, page: box.page, why: msg })}</AnchorLink>
        </li>
      ))}
    </ul>
  );
}

function Order({ document: d, people, placed, stampOnly }: { document: Detail; people: Person[]; placed: Placement[]; stampOnly: boolean }) {
  const t = useText();
  const language = useLanguage();
  const boxes = (p: Person) => placed.filter((b) => b.user_id === groupOf(people, p)[0]!.user_id && b.type !== "emet");
  const does = (p: Person) => {
    if (!signs(p)) return t(`document.actsAs.${p.acts_as}`);
    const mine = boxes(p);
    const pages = pageRanges(mine.map((b) => b.page));
    if (mine.length === 0) return t("sign.invisible");
    return mine.length === 1 ? t("sign.place", { pages }) : t("sign.places", { count: mine.length, pages });
  };
  return (
    <Paper withBorder p="md" component="section">
      <Stack gap="sm">
        <Title order={2} size="h5">{t("new.what")}</Title>
        {stampOnly ? <Text size="sm">{t("new.stampOnly")}</Text> : (
          <Stack component="ol" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>
            {rounds(people, d.is_parallel).map((round, i) => (
              <Group component="li" key={i} align="flex-start" gap="sm" wrap="nowrap">
                <Badge circle variant="default" style={{ flex: "none" }}>{i + 1}</Badge>
                <Stack gap={6}>
                  {round.length > 1 && <Text size="xs" c="dimmed">{t("new.atOnce")}</Text>}
                  {round.map((p) => (
                    <div key={p.user_id}>
                      <Text size="sm" fw={600}>{p.name} {p.placeholder ? <Badge size="xs" variant="light">{t("template.open")}</Badge> : p.is_guest && <Badge size="xs" variant="default">{t("document.guest")}</Badge>}</Text>
                      <Text size="xs" c="dimmed">{does(p)}</Text>
                      {groupOf(people, p).length > 1 && <Text size="xs" c="dimmed">{t("document.anyOf", { names: groupOf(people, p).map((o) => o.name).join(", ") })}</Text>}
                    </div>
                  ))}
                </Stack>
              </Group>
            ))}
          </Stack>
        )}
        {people.some((p) => p.is_guest) && <Text size="xs" c="dimmed">{t("new.guestLater")}</Text>}
        <Text size="sm">{d.expired ? t("list.deadline", { when: new Date(d.expired).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) }) : t("new.noDue")}</Text>
      </Stack>
    </Paper>
  );
}

function Cost({ cost, left }: { cost: { emet: number; esgn: number }; left: { emet: number; esgn: number } | undefined }) {
  const t = useText();
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h5" mb="xs">{t("new.cost")}</Title>
      <Table>
        <Table.Thead><Table.Tr><Table.Th>{t("new.item")}</Table.Th><Table.Th ta="right">{t("new.needed")}</Table.Th><Table.Th ta="right">{t("new.left")}</Table.Th></Table.Tr></Table.Thead>
        <Table.Tbody>
          {(["emet", "esgn"] as const).map((unit) => (
            <Table.Tr key={unit}><Table.Td>{t(unit === "emet" ? "document.stamps" : "new.signatures")}</Table.Td><Table.Td ta="right">{cost[unit]}</Table.Td><Table.Td ta="right">{left ? left[unit] : "…"}</Table.Td></Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
