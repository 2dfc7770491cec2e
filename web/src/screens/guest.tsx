import { Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";

import { api, Problem, take } from "../api/client";
import { detail } from "../api/documents";
import { guest } from "../api/guest";
import { takeGuest } from "../api/early";
import { useText } from "../text";
import { currentRate } from "../pdf/line-rate";
import { LineNote } from "../ui/line-note";
import { Loading } from "../ui/loading";
import { Mark } from "../ui/mark";
import { LanguageMenu, SchemeButton } from "../ui/preferences";
import { ScreenTitle } from "../ui/screen-title";
import { SkipLink } from "../ui/skip-link";
import { Sender } from "../ui/sender";
import { Trouble } from "../ui/trouble";
import { loadTypeface } from "../ui/typeface";
import { Signing } from "./sign/sign";

const AccountOffer = lazy(() => import("./account-offer").then((m) => ({ default: m.AccountOffer })));

/** Bytes a millisecond from which the typeface is worth loading: two parts of about 25 kB. */
const fastEnough = 200;

/**
 * Guest is the screen that a guest's link opens. It leads to their one document and nowhere else. With the number of a document in its address it
 * opens that one from the account of a person whose mailbox the document names.
 */
export function Guest() {
  const t = useText();
  const queries = useQueryClient();
  const { open } = useSearch({ from: "/guest" });
  const latest = useRef<string | number>("");
  const enter = useMutation({
    mutationFn: async (link: string | number) =>
      typeof link === "number" ? take(api.POST("/v1/auth/guest/document", { body: { document_id: link } }))
        : (await takeGuest(link)) ?? take(api.POST("/v1/auth/guest", { body: { link } })),
    onSuccess: ({ data }, link) => {
      if (link !== latest.current) return; // another link was opened meanwhile
      queries.removeQueries({ queryKey: ["document"] }); // fetched for the previous guest, who may see other data
      guest.enter({ token: data.token, document: data.document_id, person: data.user_id, name: data.name });
    },
  });
  const { mutate } = enter;
  useEffect(() => {
    const take = () => {
      const secret = location.hash.slice(1);
      if (secret === "") return;
      guest.leave();
      latest.current = secret;
      mutate(secret);
      history.replaceState(history.state, "", location.pathname); // remove the secret from the address
    };
    take();
    if (open !== undefined && latest.current === "") {
      guest.leave(); // the request is the account's
      latest.current = open;
      mutate(open);
    }
    window.addEventListener("hashchange", take); // another link was opened in the same tab
    return () => window.removeEventListener("hashchange", take);
  }, [mutate, open]);
  const document = enter.data?.data.document_id ?? (enter.isIdle ? guest.document() : undefined);
  const found = useQuery({ ...detail(document ?? 0), enabled: document !== undefined });
  const denied = found.error instanceof Problem && found.error.code === 401;
  // The token ended while it was used. The link, which this page remembers, opens the document again or says why it does not.
  const again = denied && found.dataUpdatedAt > 0 && latest.current !== "" && !enter.isError;
  useEffect(() => {
    if (again) mutate(latest.current);
  }, [again, mutate]);
  const brand = document !== undefined && !denied ? found.data?.owner : undefined;
  const readable = brand !== undefined;
  const offered = found.data?.account_offer?.email;
  const [offer, setOffer] = useState<string>(); // stays while the account is being created, after which it is offered no more
  useEffect(() => {
    if (offered !== undefined) setOffer(offered);
  }, [offered]);
  useEffect(() => {
    if (!readable || currentRate() < fastEnough) return;
    const later = setTimeout(loadTypeface, 2000); // after the pages, which the reader waits for
    return () => clearTimeout(later);
  }, [readable]);
  return (
    <Stack component="main" p="md" gap="md">
      {document !== undefined && !denied && <SkipLink />}
      <LineNote />
      <Group component="header" justify="space-between" maw={1300} w="100%" mx="auto" wrap="nowrap">
        <Group gap={6} wrap="nowrap"><Mark size={brand ? 20 : 28} /><Text fw={700} size={brand ? "sm" : "lg"}>{t("app.name")}</Text></Group>
        <Group gap={4} wrap="nowrap"><LanguageMenu /><SchemeButton /></Group>
      </Group>
      {brand && <Sender brand={brand} />}
      {(enter.isPending || again) && <Loading />}
      {!enter.isPending && !again && (document === undefined || denied) && (
        <Stack maw={560} mx="auto" w="100%" mt="xl">
          <ScreenTitle>{t("guest.title")}</ScreenTitle>
          {enter.isError ? <Trouble error={enter.error} retry={enter.error instanceof Problem && enter.error.retryable ? () => enter.mutate(enter.variables!) : undefined} /> : <Text role={denied ? "alert" : undefined}>{t(denied ? "guest.ended" : "guest.noLink")}</Text>}
        </Stack>
      )}
      {document !== undefined && !denied && <div id="main" tabIndex={-1}><Signing id={document} /></div>}
      {offer && !denied && <Suspense><AccountOffer email={offer} /></Suspense>}
    </Stack>
  );
}
