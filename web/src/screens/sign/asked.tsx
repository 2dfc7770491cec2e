import { Button, Checkbox, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";

import { useAccount } from "../../api/account";
import type { Detail, Placement } from "../../api/documents";
import { isEmbedded } from "../../api/embed";
import { guest } from "../../api/guest";
import { specimen } from "../../api/specimen";
import { useText } from "../../text";
import { pageRanges } from "../../ui/page-ranges";
import { Trouble } from "../../ui/trouble";
import type { Answer } from "./answer";
import { Code } from "./code";
import { Consent } from "./consent";
import { Decline } from "./decline";
import { Delegate } from "./delegate";
import { initialsOf } from "./initials";
import { Look } from "./look";
import { EmbeddedProof, needsProof } from "./proof";
import { enough, type Reading } from "./reading";
import type { Tour } from "./tour";

/** What I am asked to do, in one sentence. */
export function useAsked(d: Detail, boxes: Placement[]): string {
  const t = useText();
  const pages = pageRanges(boxes.map((b) => b.page)); // initials may be on hundreds of them
  if (d.is_approve) return t("sign.approval");
  if (boxes.length === 0) return t("sign.invisible");
  return boxes.length === 1 ? t("sign.place", { pages }) : t("sign.places", { count: boxes.length, pages });
}

interface Props {
  document: Detail;
  /** Where my signature will appear. */
  boxes: Placement[];
  /** Whether the surrounding sheet has the title. */
  titled?: boolean;
  answer: Answer;
  reading: Reading;
  /** Leads to the boxes, where no other button does. */
  tour?: Tour | undefined;
}

/** Asked shows what I am asked to do, and takes the answer: one signature, one confirmation. */
export function Asked({ document: d, boxes, titled = false, answer, reading, tour }: Props) {
  const t = useText();
  const asked = useAsked(d, boxes);
  const account = useAccount();
  const state = useId();
  const signs = boxes.some((b) => b.type === "sign"), initials = boxes.some((b) => b.type === "paraf");
  const kept = useQuery(specimen("signature")), keptInitials = useQuery({ ...specimen("initials"), enabled: initials });
  const { hand, setHand, declining, setDeclining, sign, approve } = answer, act = d.is_approve ? approve : sign;
  if (declining) return <Decline document={d} answer={answer} titled={titled} />;
  if (answer.delegating) return <Delegate document={d} answer={answer} titled={titled} />;
  const ready = !kept.isPending && !(initials && keptInitials.isPending);
  const keeps = isEmbedded ? "nowhere" : guest.token() ? "device" : "account";
  const name = account?.fullname ?? guest.name() ?? "";
  return (
    <Stack gap="sm">
      <div>
        {!titled && <Title order={2} size="h5">{t("sign.asked")}</Title>}
        <Text size="sm">{asked}</Text>
        {d.participant?.group_members && <Text size="sm">{t(d.is_approve ? "sign.anyOfApproves" : "sign.anyOf", { names: d.participant.group_members.join(", ") })}</Text>}
        {titled && d.participant && <Text size="sm">{t(d.is_approve ? "sign.asApprover" : d.participant.acts_as === "witness" ? "sign.asWitness" : "sign.as", { name: d.participant.name })}</Text>}
      </div>
      {tour && <ShowPlace tour={tour} />}
      {signs && ready && <Look document={d.id} of="signature" text={name} kept={kept.data ?? null} keeps={keeps} hand={hand} setHand={setHand} titled={initials} />}
      {initials && ready && <Look document={d.id} of="initials" text={initialsOf(name)} kept={keptInitials.data ?? null} keeps={keeps} hand={answer.initials} setHand={answer.setInitials} titled />}
      <Text size="xs" c="dimmed">{t(d.is_approve ? "sign.meansApproval" : "sign.means")}</Text>
      <Read reading={reading} id={state} approves={d.is_approve} />
      <Consent consenting={answer.consenting} />
      {d.code?.to_sign && <Code document={d} check={d.code} />}
      <EmbeddedProof document={d.id} answer={answer} error={act.error} />
      {act.isError && <Trouble error={act.error} />}
      <Group justify="space-between">
        <Group gap={4}>
          <Button variant="subtle" color="red" onClick={() => setDeclining(true)}>{t("sign.decline")}</Button>
          {d.may_delegate && !isEmbedded && <Button variant="subtle" onClick={() => answer.setDelegating(true)}>{t("sign.delegate")}</Button>}
        </Group>
        <Button size="md" loading={act.isPending || act.isSuccess} disabled={!ready || !enough(reading) || !answer.consenting.accepted || d.code?.to_sign || (needsProof() && !answer.proof.password)} aria-describedby={state} onClick={() => {
          const shown = { digest: reading.digest, ...reading.shown() };
          if (d.is_approve) approve.mutate(shown);
          else sign.mutate({ shown, initials: initials ? { name, kept: keptInitials.data ?? null } : undefined });
        }}>{t(d.is_approve ? "document.approve" : "document.sign")}</Button>
      </Group>
    </Stack>
  );
}

/** ShowPlace leads to the reader's boxes, one after the other. */
export function ShowPlace({ tour }: { tour: Tour }) {
  const t = useText();
  if (tour.count === 0) return null;
  return (
    <Group gap={6} wrap="nowrap">
      <Button variant="subtle" size="compact-sm" style={{ flex: "none" }} onClick={tour.next}>{t(tour.count === 1 ? "sign.show" : "sign.showNext")}</Button>
      <Text size="xs" c="dimmed" role="status">{tour.at && tour.count > 1 && t("sign.shownPlace", { number: tour.at.number, count: tour.count, page: tour.at.page })}</Text>
    </Group>
  );
}

/** Read shows what remains to be read before signing, and lets the signer confirm that they have read everything. */
function Read({ reading, id, approves }: { reading: Reading; id: string; approves: boolean }) {
  const t = useText();
  const state = !reading.started ? (approves ? "sign.pagesComingApproval" : "sign.pagesComing") : reading.ended ? "sign.reachedEnd" : reading.confirmed ? "sign.confirmedRead" : approves ? "sign.readOnApproval" : "sign.readOn";
  return (
    <Stack gap={6}>
      {!reading.ended && <Checkbox label={t("sign.haveRead")} checked={reading.confirmed} onChange={(e) => reading.setConfirmed(e.currentTarget.checked)} />}
      <Text id={id} size="xs" c="dimmed" role="status">{t(state)}</Text>
    </Stack>
  );
}
