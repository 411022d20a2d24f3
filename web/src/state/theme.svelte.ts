/** Light or dark: as the system says, or as the reader chose. */

export type Theme = "system" | "light" | "dark";
const KEY = "vicinal-theme";

class ThemeChoice {
  value = $state<Theme>(stored());

  constructor() {
    this.apply();
  }

  next(): void {
    const order: Theme[] = ["system", "light", "dark"];
    this.value = order[(order.indexOf(this.value) + 1) % order.length] ?? "system";
    this.apply();
    try {
      localStorage.setItem(KEY, this.value);
    } catch {
      // A browser may forbid storage; then the choice lasts as long as the page.
    }
  }

  private apply(): void {
    document.documentElement.style.colorScheme = this.value === "system" ? "" : this.value;
  }
}

function stored(): Theme {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : "system";
  } catch {
    return "system";
  }
}

export const theme = new ThemeChoice();
