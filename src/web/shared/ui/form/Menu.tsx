import { lazy, Suspense } from "react"
import { buttonClass } from "./Button.tsx"
import type { MenuProps } from "./LoadedMenu.tsx"

// Menus of Base UI have 40 KiB. They load beside the page, which shows their disabled buttons until then.
const LoadedMenu = lazy(() => import("./LoadedMenu.tsx").then((loaded) => ({ default: loaded.LoadedMenu })))

/** Button that opens a menu of actions. */
export const Menu = (props: MenuProps) => (
  <Suspense
    fallback={
      <button type="button" className={buttonClass(props.kind ?? "plain")} aria-label={props.name} disabled>
        {props.label}
      </button>
    }
  >
    <LoadedMenu {...props} />
  </Suspense>
)
