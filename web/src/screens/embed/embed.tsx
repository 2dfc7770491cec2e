import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";

import { api, Problem, take } from "../../api/client";
import { detail, type Detail } from "../../api/documents";
import { embed, isFramed } from "../../api/embed";
import { guest } from "../../api/guest";
import { useText } from "../../text";
import { LineNote } from "../../ui/line-note";
import { Loading } from "../../ui/loading";
import { LanguageMenu } from "../../ui/preferences";
import { ScreenTitle } from "../../ui/screen-title";
import { Sender } from "../../ui/sender";
import { Trouble } from "../../ui/trouble";
import { Signing } from "../sign/sign";

/** Signers do not load the editor. */
const Place = lazy(() => import("../place/place").then((m) => ({ default: m.Place })));

const gone = ["embed.address_used", "embed.address_expired", "embed.address_ended", "embed.address_invalid"];

/** Exchanges the secret of an address for a session, which lives as long as this page. */
async function enter(secret: string): Promise<number> {
  const origin = isFramed ? await embed.origin() : undefined;
  if (origin === undefined || secret === "") throw new Problem(0, "embed.alone", "");
  const { data } = await take(api.POST("/v1/auth/embedded", { body: { address: secret, origin } }));
  guest.enter({ token: data.token, document: data.document_id, person: data.user_id, name: data.name });
  embed.open({ document: data.document_id, person: data.user_id, purpose: data.purpose, asksPassword: data.asks_password });
  return data.document_id;
}

/** Embed is the screen that a page of an organisation shows in a frame: one document for one purpose, and a way to close it. */
export function Embed() {
  const t = useText();
  const [closed, setClosed] = useState(false);
  const begun = useRef(false);
  const opening = useMutation({
    mutationFn: enter,
    onSuccess: () => embed.post("ready"),
    onError: (error) => {
      if (error instanceof Problem) embed.post(gone.includes(error.reason) ? "expired" : "error", { code: error.reason, message: error.message });
    },
  });
  const { mutate } = opening;
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    const secret = location.hash.slice(1);
    history.replaceState(history.state, "", location.pathname + location.search); // remove the secret from the address
    mutate(secret);
  }, [mutate]);
  const end = useCallback(async () => {
    if (guest.token()) await take(api.POST("/v1/auth/logout", { body: {} })).catch(() => undefined); // it expires by itself
    guest.leave();
    setClosed(true);
    embed.post("closed");
  }, []);
  useEffect(() => embed.onClose(() => void end()), [end]);
  useHeight();
  const id = opening.data;
  const found = useQuery({ ...detail(id ?? 0), enabled: id !== undefined && !closed });
  const denied = found.error instanceof Problem && found.error.code === 401;
  useEffect(() => {
    if (denied && !closed) embed.post("expired", { code: "auth.required", message: t("embed.ended") });
  }, [denied, closed, t]);
  const alone = opening.error instanceof Problem && opening.error.reason === "embed.alone";
  return (
    <Stack component="main" p="md" gap="md">
      <LineNote />
      <Group component="header" justify="space-between" w="100%" maw={1300} mx="auto" wrap="nowrap">
        <div>{found.data && !denied && <Sender brand={found.data.owner} />}</div>
        <Group gap={4} wrap="nowrap">
          <LanguageMenu />
          {id !== undefined && !closed && !denied && <Button variant="subtle" color="gray" size="compact-md" onClick={() => void end()}>{t("embed.close")}</Button>}
        </Group>
      </Group>
      {opening.isPending && <Loading />}
      {(closed || denied || opening.isError) && (
        <Stack maw={560} mx="auto" w="100%">
          <ScreenTitle>{t("embed.title")}</ScreenTitle>
          {closed || denied || alone ? <Text role="status">{t(closed ? "embed.closed" : alone ? "embed.alone" : "embed.ended")}</Text> : <Trouble error={opening.error} />}
        </Stack>
      )}
      {id !== undefined && !closed && !denied && (embed.opened()?.purpose === "place" ? found.data && <Placing document={found.data} /> : <Signing id={id} />)}
    </Stack>
  );
}

/** Placing lets the owner place boxes, and say that they are done. */
function Placing({ document: d }: { document: Detail }) {
  const t = useText();
  const [done, setDone] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (done) heading.current?.focus();
  }, [done]);
  const finish = () => {
    embed.post("placed");
    setDone(true);
  };
  return (
    <Stack>
      <ScreenTitle style={{ overflowWrap: "anywhere" }}>{d.document_title}</ScreenTitle>
      {done ? (
        <Stack align="flex-start">
          <Title ref={heading} order={2} size="h5" tabIndex={-1}>{t("embed.placed")}</Title>
          <Button variant="default" onClick={() => setDone(false)}>{t("embed.again")}</Button>
        </Stack>
      ) : <Suspense fallback={<Loading />}><Place document={d} finish={finish} /></Suspense>}
    </Stack>
  );
}

/** Tells the page around this one how high the content is. */
function useHeight(): void {
  useEffect(() => {
    const root = document.getElementById("root")!;
    const watched = new ResizeObserver(() => embed.post("resize", { height: Math.ceil(root.scrollHeight) }));
    watched.observe(root);
    return () => watched.disconnect();
  }, []);
}
