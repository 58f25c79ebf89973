import { useLocation } from "@tanstack/react-router"
import { type ReactNode, useEffect, useRef } from "react"
import { useOnline } from "../../data/liveUpdates.ts"
import css from "./Shell.module.css"
import { uiTexts } from "../uiTexts.ts"

interface ShellProps {
  /** Application name or store selection. */
  readonly top: ReactNode
  readonly nav: ReactNode
  readonly account: ReactNode
  readonly children: ReactNode
}

/** Frame of all pages: header, navigation and content. On narrow screens the navigation is behind a button. */
export const Shell = ({ account, children, nav, top }: ShellProps) => {
  const menu = useRef<HTMLDetailsElement>(null)
  const isOnline = useOnline()
  const { pathname } = useLocation()
  useEffect(() => menu.current?.removeAttribute("open"), [pathname])
  return (
    <div className={css["shell"]}>
      <a className={css["skip"]} href="#main">
        {uiTexts.shell.skipToContent}
      </a>
      <header className={css["bar"]}>
        <details ref={menu} className={css["menu"]}>
          <summary aria-label={uiTexts.shell.menu}>☰</summary>
          <nav aria-label={uiTexts.shell.mobileNavigation}>{nav}</nav>
        </details>
        <div className={css["top"]}>{top}</div>
        {account}
      </header>
      <nav className={css["side"]} aria-label={uiTexts.shell.navigation}>
        {nav}
      </nav>
      <main id="main" className={css["main"]} tabIndex={-1}>
        {isOnline ? undefined : <output className={css["offline"]}>{uiTexts.shell.offline}</output>}
        {children}
      </main>
    </div>
  )
}
