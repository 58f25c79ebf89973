import { useLocation } from "@tanstack/react-router"
import { type ReactNode, useEffect, useRef } from "react"
import { useOnline } from "../data/liveUpdates.ts"
import css from "./Shell.module.css"

interface ShellProps {
  /** What the application is called, with the choice of a store where there is one. */
  readonly top: ReactNode
  /** Links to its pages. */
  readonly nav: ReactNode
  /** Who is signed in. */
  readonly account: ReactNode
  readonly children: ReactNode
}

/** The frame of every page: where one can go beside where one is. On a narrow screen the way there is behind a button. */
export const Shell = ({ account, children, nav, top }: ShellProps) => {
  const menu = useRef<HTMLDetailsElement>(null)
  const isOnline = useOnline()
  const { pathname } = useLocation()
  useEffect(() => menu.current?.removeAttribute("open"), [pathname])
  return (
    <div className={css["shell"]}>
      <a className={css["skip"]} href="#main">
        Skip to main content
      </a>
      <header className={css["bar"]}>
        <details ref={menu} className={css["menu"]}>
          <summary aria-label="Menu">☰</summary>
          <nav aria-label="Main, mobile">{nav}</nav>
        </details>
        <div className={css["top"]}>{top}</div>
        {account}
      </header>
      <nav className={css["side"]} aria-label="Main">
        {nav}
      </nav>
      <main id="main" className={css["main"]} tabIndex={-1}>
        {isOnline ? undefined : (
          <output className={css["offline"]}>
            You are offline. Data may be out of date. Changes are saved when you reconnect.
          </output>
        )}
        {children}
      </main>
    </div>
  )
}
