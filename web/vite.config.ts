import react from "@vitejs/plugin-react";
import { cpSync, createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, defineConfig, type Plugin } from "vite";

/** Files that pdf.js fetches while it draws. The service serves them below pdf/. */
const pdfFolders = ["cmaps", "standard_fonts", "wasm", "iccs"];

function pdfAssets(): Plugin {
  const from = path.dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  let out = "";
  return {
    name: "pdf-assets",
    apply: (_, { command, isPreview }) => command === "serve" ? !process.env.VITEST : !isPreview,
    configResolved(config) {
      out = path.resolve(config.root, config.build.outDir, "pdf");
    },
    configureServer(server) {
      server.middlewares.use("/pdf", (request, response, next) => {
        const file = path.join(from, path.normalize(new URL(request.url ?? "/", "http://x").pathname));
        if (file.startsWith(from) && existsSync(file)) createReadStream(file).pipe(response);
        else next();
      });
    },
    closeBundle() {
      for (const folder of pdfFolders) cpSync(path.join(from, folder), path.join(out, folder), { recursive: true });
    },
  };
}

/**
 * Puts src/early into the page, and marks what the service changes in the page of a guest: there the app is in a template, which the
 * early script adds to the page. In all other pages the service leaves the script out.
 */
function earlyScript(): Plugin {
  return {
    name: "early-script",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      async handler(page) {
        const built = await build({
          configFile: false, logLevel: "silent", publicDir: false,
          build: { write: false, target: "es2022", minify: true, lib: { entry: path.resolve("src/early/early.ts"), formats: ["iife"], name: "early" } },
        });
        const [{ output: [{ code }] }] = built as unknown as [{ output: [{ code: string }] }];
        const tags = /^ *<(?:script|link) [^>]*\.\/assets\/.*$\n/gm;
        const app = (page.match(tags) ?? []).join("");
        return page.replace(tags, "").replace("</head>", () => `<!--app-->\n${app}    <!--/app-->\n  </head>`).replace("</body>", () => `  <!--early--><script>${code.trim()}</script><!--/early-->\n  </body>`);
      },
    },
  };
}

/** Kinds of files that become shorter. */
const compressible = /\.(m?js|css|svg|json|wasm|bcmap|pfb|ttf|webmanifest)$/;

/** Stores each file that becomes at least a tenth shorter also in Brotli and gzip, so that the service compresses nothing. */
function precompressed(): Plugin {
  let out = "";
  return {
    name: "precompressed",
    apply: "build",
    configResolved(config) {
      out = path.resolve(config.root, config.build.outDir);
    },
    closeBundle: {
      order: "post",
      sequential: true,
      handler() {
        for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
          if (!entry.isFile() || !compressible.test(entry.name)) continue;
          const file = path.join(entry.parentPath, entry.name), plain = readFileSync(file);
          const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } });
          for (const [ending, encoded] of [[".br", brotli], [".gz", gzipSync(plain, { level: 9 })]] as const) {
            if (encoded.length < 0.9 * plain.length) writeFileSync(file + ending, encoded);
          }
        }
      },
    },
  };
}

// Addresses in the built page are relative to its <base>, which the service sets, so the app works below any prefix.
export default defineConfig({
  base: "./",
  plugins: [react(), pdfAssets(), earlyScript(), precompressed()],
  build: { target: "es2022", sourcemap: false, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { "/v1": "http://127.0.0.1:8080", "/docs": "http://127.0.0.1:8080", "/openapi.json": "http://127.0.0.1:8080" } },
  test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
} as Parameters<typeof defineConfig>[0]);
