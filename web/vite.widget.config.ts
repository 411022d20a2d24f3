import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// One file that brings its styles along, as a notebook takes it.
export default defineConfig({
  plugins: [svelte({ compilerOptions: { css: "injected" }, emitCss: false })],
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    outDir: "../src/vicinal/explorer/static/widget",
    emptyOutDir: true,
    target: "es2022",
    // A busy machine is slow for reasons that are no fault of the plugins.
    rolldownOptions: { checks: { pluginTimings: false } },
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    lib: { entry: "src/widget.ts", formats: ["es"], fileName: "widget" },
  },
});
