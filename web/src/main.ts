import { mount } from "svelte";
import { takeToken } from "./api/client";
import "./style/base.css";

takeToken();
// Imported only now, because the state of the page is read from the address.
const { default: App } = await import("./App.svelte");
const target = document.getElementById("app");
if (target) mount(App, { target });
