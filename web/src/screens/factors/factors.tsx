import { Alert, Stack } from "@mantine/core";
import { IconShieldLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";

import { useAccount } from "../../api/account";
import { factors } from "../../api/factors";
import { useText } from "../../text";
import { AnchorLink } from "../../ui/links";
import { Loading } from "../../ui/loading";
import { ScreenTitle } from "../../ui/screen-title";
import { Trouble } from "../../ui/trouble";
import { within } from "../../ui/within";
import { FactorSection } from "./section";

/** FactorScreen is the page of the second factors. Users whose organisation requires one, and who have none, see it first. */
export function FactorScreen() {
  const t = useText();
  const me = useAccount();
  const { then } = useSearch({ from: "/member/factors" });
  const found = useQuery(factors);
  return (
    <Stack maw={640} mx="auto">
      <ScreenTitle>{t("factor.title")}</ScreenTitle>
      {me?.must_enrol && <Alert color="yellow" variant="light" icon={<IconShieldLock aria-hidden />}>{t("factors.mustEnrol")}</Alert>}
      {me && !me.must_enrol && then !== undefined && <AnchorLink to={within(then)} size="sm">{t("factors.goOn")}</AnchorLink>}
      {found.isError && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.isPending ? <Loading /> : found.data && <FactorSection factors={found.data} />}
    </Stack>
  );
}
