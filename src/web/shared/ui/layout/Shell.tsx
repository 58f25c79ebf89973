import { useLocation } from "@tanstack/react-router"
import { type ReactNode, useEffect, useRef, useState } from "react"
import icon from "../../../icon.svg"
import { LANGUAGES } from "../../../../domain/Language.ts"
import { chooseLanguage, language } from "../../data/language.ts"
import { useOnline } from "../../data/liveUpdates.tsx"
import { VisitedPages } from "./Page.tsx"
import css from "./Shell.module.css"
import { uiTexts } from "../../sharedTexts.ts"

const THEME_KEY = "theme"

interface ShellProps {
  /** Application name or store selection. */
  readonly top: ReactNode
  readonly nav: ReactNode
  readonly account: ReactNode
  readonly children: ReactNode
}

/** Selects the colors, which the script in `index.html` applies before the first paint. */
const ThemeSelect = () => {
  const { dataset } = document.documentElement
  const [theme, setTheme] = useState(dataset["theme"])
  const change = (name: string) => {
    dataset["theme"] = name
    localStorage.setItem(THEME_KEY, name)
    setTheme(name)
  }
  return (
    <label className={css["choice"]}>
      {uiTexts.shell.theme}
      <select value={theme} onChange={({ target }) => change(target.value)}>
        {Object.entries(uiTexts.shell.themes).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Selects the language of the texts. The page loads again with them. */
const LanguageSelect = () => (
  <label className={css["choice"]}>
    {uiTexts.shell.language}
    <select value={language} onChange={({ target }) => chooseLanguage(target.value)}>
      {Object.entries(LANGUAGES).map(([name, text]) => (
        <option key={name} value={name} lang={name}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

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
          <nav aria-label={uiTexts.shell.mobileNavigation}>
            {nav}
            <ThemeSelect />
            <LanguageSelect />
          </nav>
        </details>
        <img src={icon} alt="" width={24} height={24} />
        <div className={css["top"]}>{top}</div>
        {account}
      </header>
      <nav className={css["side"]} aria-label={uiTexts.shell.navigation}>
        {nav}
        <ThemeSelect />
        <LanguageSelect />
      </nav>
      <main id="main" className={css["main"]} tabIndex={-1}>
        {isOnline ? undefined : <output className={css["offline"]}>{uiTexts.shell.offline}</output>}
        <VisitedPages>{children}</VisitedPages>
      </main>
    </div>
  )
}
