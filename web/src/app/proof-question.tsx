import { Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";

import { accepted, factors } from "../api/factors";
import { signPasskey } from "../api/passkey";
import type { Asked, Proof } from "../api/proof";
import { useText } from "../text";
import { Dialog } from "../ui/dialog";
import { FactorInput } from "../ui/factor-input";
import { AnchorLink } from "../ui/links";
import { Loading } from "../ui/loading";
import { Trouble } from "../ui/trouble";

/** ProofQuestion asks a signer for a second factor. It calls done with it, or with nothing if they cancel. */
export function ProofQuestion({ asked, done }: { asked: Asked; done: (p: Proof | undefined) => void }) {
  const t = useText();
  return (
    <Dialog opened onClose={() => done(undefined)} title={t("factor.signTitle")}>
      <Ask asked={asked} done={done} />
    </Dialog>
  );
}

function Ask({ asked, done }: { asked: Asked; done: (p: Proof | undefined) => void }) {
  const t = useText();
  const mine = useQuery({ ...factors, staleTime: 0 });
  const passkey = useMutation({ mutationFn: () => signPasskey(asked.documents), onSuccess: (answer) => done({ passkey: answer }) });
  if (mine.isError) return <Trouble error={mine.error} retry={() => void mine.refetch()} />;
  if (!mine.data) return <Loading />;
  const can = accepted(mine.data);
  return (
    <Stack gap="sm" data-proof>
      <Text size="sm">{t("factor.signLead", { count: asked.documents.length })}</Text>
      {asked.refusal !== undefined && <Text size="sm" c="var(--mantine-color-error)" role="alert">{asked.refusal}</Text>}
      {passkey.isError && <Trouble error={passkey.error} />}
      {can.length === 0 && <AnchorLink to="/factors" search={{ then: undefined }} size="sm" onClick={() => done(undefined)}>{t("factor.addFirst")}</AnchorLink>}
      <FactorInput accepted={can} submit={t("document.sign")} busy={passkey.isPending} onCode={(otp) => done({ otp })} onPasskey={() => passkey.mutate()} onBack={() => done(undefined)} />
    </Stack>
  );
}
