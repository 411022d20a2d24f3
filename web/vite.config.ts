import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// The build goes into the Python package. A running service can be put behind `npx vite` while
// working on the page: VICINAL_SERVICE=http://127.0.0.1:8000 npx vite
const SERVICE = process.env["VICINAL_SERVICE"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  base: "./",
  plugins: [svelte()],
  build: {
    outDir: "../src/vicinal/explorer/static",
    emptyOutDir: true,
    target: "es2022",
    // The first ones that know light-dark(), which lets a reader choose the theme.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // The service answers its own pages only, so the requests are made to look like theirs.
  server: {
    proxy: { "/v1": { target: SERVICE, changeOrigin: true, headers: { origin: SERVICE } } },
  },
  resolve: process.env["VITEST"] ? { conditions: ["browser"] } : {},
  test: { environment: "jsdom", setupFiles: "tests/setup.ts", include: ["tests/**/*.test.ts"] },
});
