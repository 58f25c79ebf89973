import { createLink, Outlet, useRouter } from "@tanstack/react-router"
import { ArrowLeft } from "lucide-react"
import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useRef
} from "react"
import { uiTexts } from "../../sharedTexts.ts"
import css from "./Layout.module.css"

interface PageProps {
  readonly title: string
  /** Content above the title: a link to the parent page. */
  readonly above?: ReactNode
  /** Buttons that apply to the whole page. */
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** Uses the full width, for tables. */
  readonly isWide?: boolean
}

/** Page with a heading. Sets the document title and moves the focus to the heading. */
export const Page = ({ above, actions, children, isWide = false, title }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className={isWide ? css["wide"] : css["page"]}>
      {above}
      <header className={css["header"]}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions === undefined ? undefined : <div className={css["actions"]}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface CardProps {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

export const Card = ({ actions, children, title }: CardProps) => (
  <section className={css["card"]}>
    {title === undefined && actions === undefined ? undefined : (
      <header className={css["header"]}>
        <h2>{title}</h2>
        {actions}
      </header>
    )}
    {children}
  </section>
)

/** List of name and value pairs. */
export const Facts = ({ facts }: { readonly facts: ReadonlyArray<readonly [name: string, value: ReactNode]> }) => (
  <dl className={css["facts"]}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

interface StackProps {
  readonly children: ReactNode
  /** Gives its cards less weight than those of the main content. */
  readonly isSecondary?: boolean
}

/** Vertical layout with the spacing of page sections. */
export const Stack = ({ children, isSecondary = false }: StackProps) => (
  <div className={css[isSecondary ? "secondary" : "stack"]}>{children}</div>
)

/** Horizontal layout, for example for the buttons of a form. */
export const Row = ({ children }: { readonly children: ReactNode }) => <div className={css["row"]}>{children}</div>

export const MutedText = ({ children }: { readonly children: ReactNode }) => <p className={css["quiet"]}>{children}</p>

/** Section on a warning background. As an alert, screen readers announce it. */
export const WarningBox = ({
  children,
  isAlert = false
}: {
  readonly children: ReactNode
  readonly isAlert?: boolean
}) => (
  <div className={css["warning"]} role={isAlert ? "alert" : undefined}>
    {children}
  </div>
)

/** Pages that were visited, for the links that lead back to them. */
interface Visits {
  /** Last search of each path, such as the filters of a list. */
  readonly searches: ReadonlyMap<string, string>
  /** Address of the page that is one step back, if the open page was opened from it. */
  readonly opener: string | undefined
}

const NO_VISITS: Visits = { searches: new Map(), opener: undefined }

const VisitsContext = createContext<{ readonly current: Visits }>({ current: NO_VISITS })

/** Remembers the pages that are left. */
export const VisitedPages = ({ children }: { readonly children: ReactNode }) => {
  const router = useRouter()
  const visits = useRef(NO_VISITS)
  const action = useRef<"PUSH" | "REPLACE" | "OTHER">("OTHER")
  useEffect(() => {
    const unsubscribeHistory = router.history.subscribe(({ action: { type } }) => {
      action.current = type === "PUSH" || type === "REPLACE" ? type : "OTHER"
    })
    const unsubscribeRouter = router.subscribe("onBeforeLoad", ({ fromLocation, hrefChanged }) => {
      if (fromLocation === undefined || !hrefChanged) return
      const { opener, searches } = visits.current
      visits.current = {
        searches: new Map([...searches, [fromLocation.pathname, fromLocation.searchStr]]),
        opener: { PUSH: fromLocation.href, REPLACE: opener, OTHER: undefined }[action.current]
      }
    })
    return () => {
      unsubscribeHistory()
      unsubscribeRouter()
    }
  }, [router])
  return <VisitsContext value={visits}>{children}</VisitsContext>
}

const BackAnchor = ({ children, href = "" }: ComponentProps<"a">) => {
  const { history } = useRouter()
  const { opener, searches } = useContext(VisitsContext).current
  const target = href + (searches.get(href) ?? "")
  const goBack = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // The list is one step back: going there restores its scroll position too.
    if (opener === target) history.back()
    else history.push(target)
  }
  return (
    <a className={css["back"]} href={target} onClick={goBack}>
      <ArrowLeft size={16} aria-hidden />
      <span className={css["backTo"]}>{uiTexts.page.backTo}</span> {children}
    </a>
  )
}

/** Link to the list that a page belongs to, with the filters that the list had. */
export const BackLink = createLink(BackAnchor)

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
