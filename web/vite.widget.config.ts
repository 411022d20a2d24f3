import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// One file that brings its styles along, as a notebook takes it.
export default defineConfig({
  plugins: [svelte({ compilerOptions: { css: "injected" }, emitCss: false })],
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    outDir: "../src/vicinal/explorer/static/widget",
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    lib: { entry: "src/widget.ts", formats: ["es"], fileName: "widget" },
  },
});
