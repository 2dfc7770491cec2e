import { Alert, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import { noSearch } from "../../api/documents";
import { useText } from "../../text";
import { ButtonLink } from "../../ui/links";
import { Loading } from "../../ui/loading";
import { Paging } from "../../ui/paging";
import { ScreenTitle } from "../../ui/screen-title";
import { ScreenTrouble } from "../../ui/trouble";
import { ConsentList } from "./consent-list";
import { readQueue, type Queue } from "./queue";
import { Reader } from "./reader";
import { useSigning } from "./signing";

/** Many is the screen on which a member of the organisation signs several documents: with one consent over their list, or one after the other. */
export function Many() {
  const t = useText();
  const { ids, page } = useSearch({ from: "/member/sign-many" });
  const go = useNavigate();
  const queries = useQueryClient();
  const [round, setRound] = useState(0);
  const key = `${ids ?? ""} ${page} ${round}`;
  // Read once: afterwards the list stays what the signer was shown, whatever others do meanwhile.
  const found = useQuery({ queryKey: ["many", key], queryFn: () => readQueue(queries, { ids, page }), staleTime: Infinity, gcTime: 0, refetchOnWindowFocus: false });
  if (found.isPending) return <Loading />;
  if (found.isError) return <ScreenTrouble error={found.error} retry={() => void found.refetch()} />;
  const again = (rest: number[]) => {
    setRound(round + 1);
    void go({ to: "/sign-many", search: { ids: rest.join(","), page: 1 } });
  };
  if (found.data.documents.length === 0) {
    return (
      <Stack maw={1100} mx="auto">
        <ScreenTitle>{t("many.title")}</ScreenTitle>
        <Text>{t(found.data.leftOut > 0 ? "many.noneOfThese" : "many.none")}</Text>
        {found.data.total > 1 && <Paging page={page} total={found.data.total} change={(p) => void go({ to: "/sign-many", search: { page: p } })} />}
        <ButtonLink to="/inbox" search={noSearch} variant="default" style={{ alignSelf: "flex-start" }}>{t("many.toInbox")}</ButtonLink>
      </Stack>
    );
  }
  return <Loaded key={key} queue={found.data} again={again} />;
}

function Loaded({ queue: first, again }: { queue: Queue; again: (rest: number[]) => void }) {
  const t = useText();
  const [queue] = useState(first);
  const search = useSearch({ from: "/member/sign-many" });
  const go = useNavigate();
  const signing = useSigning(queue.documents);
  const [agreed, setAgreed] = useState(false);
  const reads = queue.documents.find((d) => d.id === search.read);
  if (reads) return <Reader queue={queue.documents} document={reads} signing={signing} agreed={agreed} setAgreed={setAgreed} />;
  return (
    <Stack maw={1300} mx="auto">
      {queue.leftOut > 0 && <Alert color="yellow" variant="light">{t("many.leftOut", { count: queue.leftOut })}</Alert>}
      <ConsentList queue={queue.documents} signing={signing} again={again} />
      {queue.total > 1 && <Paging page={search.page} total={queue.total} change={(page) => void go({ to: "/sign-many", search: { page } })} />}
    </Stack>
  );
}
