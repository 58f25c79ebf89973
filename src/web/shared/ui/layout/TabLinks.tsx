import { Outlet } from "@tanstack/react-router"
import type { ReactNode } from "react"
import css from "./Tabs.module.css"

/** Options of the link to the first tab, whose path all others start with. */
export const FIRST_TAB = { exact: true, includeSearch: false } as const

interface TabLinksProps {
  readonly label: string
  /** One link for each tab, which is a child route of the page. */
  readonly children: ReactNode
}

/** Tabs of a page, each with its own address. */
export const TabLinks = ({ children, label }: TabLinksProps) => (
  <>
    <nav className={css["links"]} aria-label={label}>
      {children}
    </nav>
    <div className={css["panel"]}>
      <Outlet />
    </div>
  </>
)
