import { MantineProvider, type MantineColorSchemeManager } from "@mantine/core";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import i18next from "i18next";
import { StrictMode } from "react";

import "../text";
import { account } from "../api/account";
import { Problem } from "../api/client";
import { isEmbedded } from "../api/embed";
import { currentLine, onLine } from "../api/line";
import { loadTypeface } from "../ui/typeface";
import { makeRouter } from "./router";
import { theme } from "./theme";

const queries: QueryClient = new QueryClient({
  defaultOptions: {
    // Requests are tried again where they are sent, which knows what the service asked for. A change that is made without a
    // network must fail at once: if it waited for the network, it would be made when the user no longer expects it.
    queries: { retry: false, networkMode: "always", staleTime: 5_000 },
    mutations: { networkMode: "always" },
  },
  queryCache: new QueryCache({
    // If the session ended elsewhere, the next request answers 401.
    onError: (error) => {
      if (error instanceof Problem && error.code === 401) queries.setQueryData(account.queryKey, null);
    },
  }),
});

// What could not be read while the service was away is read again by itself.
onLine(() => {
  if (currentLine().state === "fine") void queries.refetchQueries({ predicate: (q) => q.state.error instanceof Problem && q.state.error.retryable });
});

// Messages of the service are in the language of the request.
i18next.on("languageChanged", () => void queries.invalidateQueries());

const router = makeRouter(queries);

// A guest's page offers it later: the document comes first.
if (!location.pathname.endsWith("/guest")) loadTypeface();

const nonce = () => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

/** In a frame, nothing is stored. */
const nowhere: MantineColorSchemeManager = { get: (usual) => usual, set: () => undefined, subscribe: () => undefined, unsubscribe: () => undefined, clear: () => undefined };

export function App() {
  return (
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={nonce} {...(isEmbedded ? { colorSchemeManager: nowhere } : {})}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
}
