import { MantineProvider } from "@mantine/core";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import i18next from "i18next";
import { StrictMode } from "react";

import "../text";
import { account } from "../api/account";
import { Problem } from "../api/client";
import { makeRouter } from "./router";
import { theme } from "./theme";

const queries: QueryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: (times, error) => times < 2 && error instanceof Problem && error.retryable, staleTime: 5_000 },
  },
  queryCache: new QueryCache({
    // If the session ended elsewhere, the next request answers 401.
    onError: (error) => {
      if (error instanceof Problem && error.code === 401) queries.setQueryData(account.queryKey, null);
    },
  }),
});

// Messages of the service are in the language of the request.
i18next.on("languageChanged", () => void queries.invalidateQueries());

const router = makeRouter(queries);

const nonce = () => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

export function App() {
  return (
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={nonce}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
}
