import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useEffect, useRef } from "react";

import type { Detail } from "../../api/documents";
import type { Following } from "../../api/events";
import { isEmbedded } from "../../api/embed";
import { guest } from "../../api/guest";
import { useText } from "../../text";
import { Download } from "../../ui/download";
import { AnchorLink } from "../../ui/links";
import { NextWaiting } from "./next-waiting";

interface Props {
  document: Detail;
  live: Following;
  /** What the reader has just done here, whether or not the document was fetched again since: the heading takes the focus. */
  acted: "signed" | "approved" | "declined" | "delegated" | undefined;
  /** Shows the newest revision; undefined if it is shown. */
  showNewest: (() => void) | undefined;
  /** Asks for the reason to decline; undefined if the reader cannot. */
  decline: (() => void) | undefined;
}

/** Whether the reader is a signer or an approver whose turn has not come. They may decline already. */
export const waitsForTurn = (d: Detail): boolean => d.status === "processing" && d.mode === "signing" && !d.is_sign && !d.is_approve && d.participant?.role === "signer" && !d.participant.signed_at;

/** Outcome says how the document stands for a reader who has nothing to sign now: what they did, who is next, and where the file will be. */
export function Outcome({ document: d, live, acted, showNewest, decline }: Props) {
  const t = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!acted) return;
    // The reader keeps their place on the page, unless they would not see the heading there.
    heading.current!.focus({ preventScroll: true });
    const r = heading.current!.getBoundingClientRect();
    if (r.bottom <= 0 || r.top >= window.innerHeight) heading.current!.scrollIntoView({ block: "center" });
  }, [acted]);
  const me = d.participant;
  const signed = acted === "signed" || (d.mode === "signing" && me?.signing_status === true);
  const approved = acted === "approved" || (me?.acts_as === "approver" && me.signed_at !== null);
  const mine = signed || approved;
  const delegate = me?.delegated_to;
  const next = (live.status?.progress ?? d.progress).steps.filter((s) => s.step === "approved" || s.step === "signed").flatMap((s) => s.waiting_for);
  const waits = !acted && waitsForTurn(d);
  return (
    <Stack gap="xs">
      <Title ref={heading} order={2} size="h5" tabIndex={-1} style={{ outlineOffset: 4 }}>{signed ? t("sign.signed") : approved ? t("sign.approved") : acted === "declined" ? t("sign.declined") : me?.acted_for ? t("sign.actedFor", { name: me.acted_for }) : delegate ? t("sign.delegated", { name: delegate.name }) : waits ? t("sign.notYourTurn") : d.description}</Title>
      <div role="status">
        {live.lost && <Text size="sm">{t("steps.lost")}</Text>}
        {waits && <Text size="sm">{t(me?.acts_as === "approver" ? "sign.beforeApproval" : "sign.before", { count: next.length, who: next.join(", ") })}</Text>}
        {acted === "declined" && d.status !== "processing" && <Text size="sm">{d.description}</Text>}
        {mine && !d.is_sign && !d.is_approve && <Text size="sm">{d.status !== "processing" ? d.description : d.signing_status === "completed" ? t("sign.completing") : t("sign.next", { who: next.join(", ") })}</Text>}
        {mine && d.status === "processing" && !isEmbedded && <Text size="sm">{t(guest.token() ? "sign.downloadByLink" : "sign.downloadLater")}</Text>}
      </div>
      {acted && !guest.token() && <NextWaiting after={d.id} />}
      <Group gap="sm">
        {d.active_download_button && <Download id={d.id} />}
        {d.active_download_button && !d.addresses_hidden && <Download id={d.id} file="evidence" />}
        {showNewest && <Button variant="default" size="compact-md" onClick={showNewest}>{t("sign.showNewest")}</Button>}
        {decline && <Button variant="subtle" color="red" onClick={decline}>{t("sign.decline")}</Button>}
        {!guest.token() && <AnchorLink to="/document/$id" params={{ id: String(d.id) }} size="sm">{t("sign.details")}</AnchorLink>}
      </Group>
    </Stack>
  );
}
