import { Center } from "@mantine/core";
import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, Outlet, redirect, type ErrorComponentProps } from "@tanstack/react-router";

import { account, readsAdministration } from "../api/account";
import { basePath } from "../api/base";
import { noSearch } from "../api/documents";
import { isEmbedded } from "../api/embed";
import { guest } from "../api/guest";
import { readAdmin } from "../screens/admin/flow";
import { loadAdminText } from "../text";
import { readSearch } from "../screens/list/flow";
import { readMany } from "../screens/many/flow";
import { readNew } from "../screens/new/flow";
import { Loading } from "../ui/loading";
import { NotFound, ScreenTrouble } from "../ui/trouble";
import { Shell } from "./shell";

interface Context {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFound, errorComponent: Broken });

function Broken({ error, reset }: ErrorComponentProps) {
  return <Center component="main" mih="100vh" p="md"><ScreenTrouble error={error} retry={reset} /></Center>;
}

/** Why a login with the provider of an organisation was refused, as the service says it in the address. */
const refusals = [
  "sso.provider_unavailable", "sso.login_lost", "sso.refused", "sso.answer_invalid", "sso.email_unverified", "sso.email_domain",
  "sso.no_account", "sso.no_group", "sso.other_identity", "sso.account_disabled", "sso.login_too_old",
] as const;
type Refused = (typeof refusals)[number] | "sso.failed";

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (s: Record<string, unknown>): { then: string | undefined; sso?: Refused | undefined; factors?: string | undefined } => ({
    then: typeof s.then === "string" ? s.then : undefined, sso: refusals.find((code) => s.sso === code) ?? (s.sso === undefined ? undefined : "sso.failed"),
    factors: typeof s.factors === "string" ? s.factors : undefined, // the company confirmed the login; the account has these second factors
  }),
  component: lazyRouteComponent(() => import("../screens/login"), "Login"),
});

/** The screens that require a login. */
const member = createRoute({
  getParentRoute: () => root,
  id: "member",
  beforeLoad: async ({ context, location }) => {
    if (guest.token()) throw redirect({ to: "/guest" }); // a guest's tab may show only their document
    const me = await context.queries.ensureQueryData(account);
    if (!me) throw redirect({ to: "/login", search: { then: location.href } });
    if (me.must_enrol && !me.is_reset && location.pathname !== "/factors") throw redirect({ to: "/factors", search: { then: location.href } });
    if (me.is_reset && location.pathname !== "/password") throw redirect({ to: "/password", search: { then: location.href } });
  },
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/inbox", search: noSearch });
  },
});

const inbox = createRoute({ getParentRoute: () => member, path: "/inbox", validateSearch: readSearch, component: lazyRouteComponent(() => import("../screens/list/list"), "Inbox") });
const sent = createRoute({ getParentRoute: () => member, path: "/sent", validateSearch: readSearch, component: lazyRouteComponent(() => import("../screens/list/list"), "Sent") });
const drafts = createRoute({ getParentRoute: () => member, path: "/drafts", validateSearch: readSearch, component: lazyRouteComponent(() => import("../screens/list/drafts"), "Drafts") });

const templates = createRoute({
  getParentRoute: () => member,
  path: "/templates",
  validateSearch: (s: Record<string, unknown>): { page: number; search: string } => ({ page: documentNumber(Number(s.page)) ?? 1, search: typeof s.search === "string" || typeof s.search === "number" ? String(s.search).slice(0, 200) : "" }),
  component: lazyRouteComponent(async () => (await Promise.all([import("../screens/templates/templates"), loadAdminText()]))[0], "Templates"),
});

const document = createRoute({ getParentRoute: () => member, path: "/document/$id", component: lazyRouteComponent(() => import("../screens/document/document"), "Document") });

const newDocument = createRoute({ getParentRoute: () => member, path: "/new", validateSearch: readNew, component: lazyRouteComponent(async () => (await Promise.all([import("../screens/new/new"), loadAdminText()]))[0], "New") });

const sign = createRoute({ getParentRoute: () => member, path: "/document/$id/sign", component: lazyRouteComponent(() => import("../screens/sign/sign"), "Sign") });
const signMany = createRoute({ getParentRoute: () => member, path: "/sign-many", validateSearch: readMany, component: lazyRouteComponent(() => import("../screens/many/many"), "Many") });
const admin = createRoute({
  getParentRoute: () => member,
  path: "/admin",
  validateSearch: readAdmin,
  beforeLoad: async ({ context }) => {
    const me = await context.queries.ensureQueryData(account);
    if (me && !readsAdministration(me)) throw redirect({ to: "/inbox", search: noSearch });
  },
  component: lazyRouteComponent(async () => (await Promise.all([import("../screens/admin/admin"), loadAdminText()]))[0], "Admin"),
});
const keys = createRoute({
  getParentRoute: () => member,
  path: "/keys",
  component: lazyRouteComponent(async () => (await Promise.all([import("../screens/admin/keys"), loadAdminText()]))[0], "Keys"),
});
const password = createRoute({
  getParentRoute: () => member,
  path: "/password",
  validateSearch: (s: Record<string, unknown>) => ({ then: typeof s.then === "string" ? s.then : undefined }),
  component: lazyRouteComponent(() => import("../screens/password"), "Password"),
});
const reset = createRoute({ getParentRoute: () => root, path: "/reset", component: lazyRouteComponent(async () => (await Promise.all([import("../screens/reset"), loadAdminText()]))[0], "Reset") });
const invitation = createRoute({ getParentRoute: () => root, path: "/invitation", component: lazyRouteComponent(async () => (await Promise.all([import("../screens/invitation"), loadAdminText()]))[0], "InvitationScreen") });
const factors = createRoute({
  getParentRoute: () => member,
  path: "/factors",
  validateSearch: (s: Record<string, unknown>) => ({ then: typeof s.then === "string" ? s.then : undefined }),
  component: lazyRouteComponent(async () => (await Promise.all([import("../screens/factors/factors"), loadAdminText()]))[0], "FactorScreen"),
});
const accountScreen = createRoute({
  getParentRoute: () => member,
  path: "/account",
  component: lazyRouteComponent(async () => (await Promise.all([import("../screens/account"), loadAdminText()]))[0], "AccountScreen"),
});
const organisations = createRoute({
  getParentRoute: () => member,
  path: "/organisations",
  validateSearch: (s: Record<string, unknown>): { to: string | undefined } => ({ to: typeof s.to === "string" ? s.to : undefined }),
  component: lazyRouteComponent(async () => (await Promise.all([import("../screens/organisations"), loadAdminText()]))[0], "Organisations"),
});
/** The number of a document in an address, as the code on a page has it. */
const documentNumber = (n: unknown): number | undefined => (Number.isSafeInteger(n) && Number(n) > 0 ? Number(n) : undefined);

const guestRoute = createRoute({ getParentRoute: () => root, path: "/guest", validateSearch: (s: Record<string, unknown>): { open?: number | undefined } => ({ open: documentNumber(s.open) }), component: lazyRouteComponent(() => import("../screens/guest"), "Guest") });

const embedRoute = createRoute({
  getParentRoute: () => root,
  path: "/embed/$organisation",
  validateSearch: (s: Record<string, unknown>): { language?: string | undefined } => ({ language: typeof s.language === "string" ? s.language : undefined }),
  component: lazyRouteComponent(() => import("../screens/embed/embed"), "Embed"),
});

const verify = createRoute({
  getParentRoute: () => root,
  path: "/verify",
  validateSearch: (s: Record<string, unknown>): { serial: string | undefined; document?: number | undefined } => ({ document: documentNumber(s.document), serial: typeof s.serial === "string" || typeof s.serial === "number" ? String(s.serial).slice(0, 100) : undefined }),
  component: lazyRouteComponent(() => import("../screens/verify/verify"), "Verify"),
});

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([home, login, reset, invitation, guestRoute, embedRoute, verify, member.addChildren([inbox, sent, drafts, templates, newDocument, document, sign, signMany, admin, keys, password, factors, accountScreen, organisations])]),
    basepath: basePath,
    context: { queries },
    defaultPreload: "intent",
    defaultPendingComponent: Loading,
    scrollRestoration: !isEmbedded,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
